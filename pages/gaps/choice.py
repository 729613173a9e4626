"""Which test condition Gaps shows: the one of the address, or the one that was chosen last."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.conditions import OPEN, ConditionRecord, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.statistics.gaps import GapTable
from dnncov_core.types import Edge
from pages.shared import address
from pages.shared.campaigns import CAMPAIGN
from pages.shared.gallery import LAYERS
from pages.shared.links import CONDITION, to_condition
from pages.shared.words import plain

_UNKNOWN = "gaps-unknown"


def choose(campaign_id: str, ordinal: int) -> None:
    """Makes a test condition the one that the page shows, and that its address names."""
    st.session_state[_key(campaign_id)] = ordinal
    address.say(to_condition(campaign_id, ordinal))


def settle_condition(store: CampaignStore, table: GapTable) -> ConditionRecord:
    """Chooses the test condition that is shown, of a campaign that has some: that of the address, or the last one.

    To begin with, it is the first open one of the layer pair that has most of them.
    """
    campaign_id, parameters = store.path.stem, address.parameters()
    if parameters.get(CAMPAIGN, campaign_id) != campaign_id:
        parameters = {}
    edge = next((edge for edge in table.rows if "-".join(map(str, edge)) == parameters.get(LAYERS)), None)
    last = "" if edge or address.returns() else str(st.session_state.get(_key(campaign_id), ""))
    named = parameters.get(CONDITION, last)
    ordinal = address.number(named)
    condition = None if ordinal is None else store.conditions.one(ordinal)
    if condition is None:
        if named:
            unknown(named)
        condition = first_of(store, edge or max(table.rows, key=lambda edge: table.rows[edge].open))
    choose(campaign_id, condition.target.ordinal)
    return condition


def _key(campaign_id: str) -> str:
    return f"gaps-condition-{campaign_id}"


def first_of(store: CampaignStore, edge: Edge) -> ConditionRecord:
    """The first open condition of a layer pair; its first of all where none is open."""
    open_ones = store.conditions.page(edge=edge, statuses=OPEN, limit=1)
    return (open_ones or store.conditions.page(edge=edge, statuses=tuple(Status), limit=1))[0]


def unknown(named: str) -> None:
    """Notes that a test condition was asked for, by its ordinal, that the campaign does not ask about."""
    st.session_state[_UNKNOWN] = named


def say_unknown() -> None:
    """Says once which test condition was asked for in vain."""
    if named := st.session_state.pop(_UNKNOWN, ""):
        st.warning(f"This campaign asks about no test condition {plain(repr(named[:20]))}.", icon=":material/help:")
