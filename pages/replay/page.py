"""Replay: the test pairs of a campaign on another network, such as its next version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.phrases.numbers import out_of
from dnncov_core.ratios import Ratio
from dnncov_core.records import NetworkCard
from dnncov_core.registry import networks
from dnncov_core.suites.replays import job_of, result_of, start
from dnncov_core.workers import ACTIVE, WorkerStatus
from pages.replay.result import show_result
from pages.shared import address
from pages.shared.campaigns import CAMPAIGN, chosen_campaign, spec_of
from pages.shared.job_buttons import show_work
from pages.shared.jobs import follow
from pages.shared.refusals import attempt
from pages.shared.words import page_help, plain

NETWORK = "network"
"""Parameter of the address: the other network."""
Now = tuple[CampaignStore, WorkerStatus | None]


def chosen_network(campaign_id: str) -> str:
    """A menu of the networks of the same inputs and outputs, as far as these are known; first the campaign's own."""
    cards, spec = networks(), spec_of(campaign_id)
    own = next(iter(cards)) if spec is None or spec.network not in cards else spec.network
    known = [name for name, card in cards.items() if _form(card) in (None, _form(cards[own])) or cards[own] is None]
    named = address.parameters().get(NETWORK, own)
    chosen = named if named in known else own
    st.selectbox(
        "Other network",
        known,
        help="Embedded networks, those that you brought, and registered ones. It has the same inputs and classes.",
        **address.bound(
            "replayed-on", chosen, lambda key: address.say({CAMPAIGN: campaign_id, NETWORK: st.session_state[key]})
        ),
    )
    address.say({CAMPAIGN: campaign_id, NETWORK: chosen})
    return chosen


def _form(card: NetworkCard | None) -> object:
    """Inputs and number of outputs of a network; None where they are not known before it is loaded."""
    return None if card is None else (card.input_shape, len(card.classes))


@contextmanager
def opened(campaign_id: str, network: str) -> Iterator[Now]:
    """The campaign, at one moment, and where its replay on a network stands."""
    with open_campaign(campaign_id) as store, store.at_one_moment():
        yield store, job_of(campaign_id, network).status


def show(campaign_id: str, network: str, now: Now) -> None:
    """How far the replay is; or the button that starts it, and what the last one found."""
    (store, status), place = now, f"replay-{campaign_id}"
    done = out_of(Ratio(status.done, status.total), "test pair") if status and status.total else "loading"
    show_work(job_of(campaign_id, network), status, f"Replaying: {done}", place=place, key="cancel-replay")
    if status is None or status.state not in ACTIVE:
        st.button(
            f"Replay on {plain(network)}",
            icon=":material/replay:",
            type="primary",
            disabled=store.card() is None,
            key="replay",
            on_click=attempt,
            args=(place, start, campaign_id, network),
        )
    if (replayed := result_of(campaign_id, network)) is not None:
        show_result(store, replayed)


about = "What the test pairs of a campaign cover on another network, such as the next version of its own."
campaign = chosen_campaign("Replay", about, keeps=(NETWORK,))
other = chosen_network(campaign)
follow(
    partial(opened, campaign, other),
    partial(show, campaign, other),
    changing=lambda now: now[1] is not None and now[1].state in ACTIVE,
    every_seconds=1.0,
)
page_help("replay")
