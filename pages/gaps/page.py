"""Gaps: which test conditions are not covered, why, and which can be covered at all."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.campaign.file.conditions import ConditionRecord, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import is_proving
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.gaps import GapTable, gap_table
from pages.gaps.choice import settle_condition
from pages.gaps.condition import one_condition
from pages.gaps.justification import justify_form, say_what_came
from pages.gaps.matrix import matrix_and_choice
from pages.gaps.numbers import shares_and_counts
from pages.gaps.proof import proof_panel
from pages.gaps.retry import effect_button, retry_panel
from pages.gaps.table import conditions_table
from pages.shared.campaign_state import standing, what_was_run
from pages.shared.campaigns import CAMPAIGN, chosen_campaign
from pages.shared.evidence import evidence_pack
from pages.shared.frame import skip_to
from pages.shared.jobs import follow_campaign, is_active, is_changing
from pages.shared.page_registry import link
from pages.shared.words import page_help


def show(store: CampaignStore) -> None:
    """The numbers, the list of what is not covered, what can be done about it, and the matrix with one condition."""
    standing(store)
    table = gap_table(store)
    if not table.total.total:
        st.info("No test condition yet. They appear here once the campaign's worker has planned them.")
        return
    if is_active(store):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            words = "A worker searches for test pairs; proofs and retries can start once it has ended."
            st.caption(words, width="content")
            link("run", "Watch it on Run", {CAMPAIGN: store.path.stem})
    total = coverage_table(store).total
    shares_and_counts(store, table.total, total)
    condition = settle_condition(store, table)
    with st.container(key=skip_to("open conditions")):
        selected = conditions_table(store, table)
    _actions(store, table, condition, selected)
    matrix_and_choice(store, table, condition)
    one_condition(store, condition)
    what_was_run(store, total)


def _actions(store: CampaignStore, table: GapTable, condition: ConditionRecord, selected: Sequence[int]) -> None:
    """What can be done about the selected rows of the table, or without any about all conditions."""
    left, right = st.columns(2, gap="medium")
    with left, st.container(key=skip_to("reasons")):
        if table.matching() or condition.justification is not None:
            justify_form(store, condition, selected)
        say_what_came()
    with right:
        retry_panel(store, selected)
        proof_panel(store, selected)
        effect_button(store, table.total.count(Status.WITHOUT_EFFECT))


campaign = chosen_campaign(
    "Gaps", "Which test conditions are not covered, why, and whether they can be covered at all."
)
follow_campaign(campaign, show, changing=lambda store: is_changing(store) or is_proving(store))
evidence_pack("campaign", [campaign])
page_help("gaps")
