"""One campaign as it runs: a single fragment that asks the campaign's file again and again while it can change."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dnncov_core.campaign.library import cancel, resume
from dnncov_core.campaign.results import Progress
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import DnncovError
from dnncov_core.ratios import Ratio
from dnncov_core.records import State
from dnncov_core.statistics import CoverageRow, coverage_table
from pages.parts.campaigns import PARAMETER, watch_next
from pages.parts.results import follow, sentence
from pages.parts.words import ACTIVE, STATES, badge, duration, headline, moment, plain

EVERY_SECONDS = 0.7
CONTINUED = (State.INTERRUPTED, State.CANCELLED, State.FAILED)


def watch(campaign_id: str | None) -> None:
    """The panel of one campaign; call it once a page, at top level, campaign or not."""
    follow(campaign_id, lambda store: _show(str(campaign_id), store), every_seconds=EVERY_SECONDS)


def _show(campaign_id: str, store: CampaignStore) -> None:
    state, progress, total = store.state(), store.progress(), coverage_table(store).total
    with st.container(border=True):
        _head(campaign_id, store, state)
        share = progress.done / progress.total if progress.total else 0.0
        st.progress(share, text=f"{progress.done:,} of {progress.total:,} test conditions done")
        _numbers(progress, total, state)
        sentence(total)
        st.caption(STATES[state].sentence)
        if state is State.FAILED:
            st.error(plain(store.message()) or "The worker ended without a message.", icon=":material/error:")
        _links(campaign_id, total)


def _head(campaign_id: str, store: CampaignStore, state: State) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(headline(store.spec()), anchor=False, width="content")
        badge(state)
        st.caption(f"{plain(campaign_id)} · {moment(store.created())}", width="stretch")
        _actions(campaign_id, state, cancelling=store.cancel_requested())


def _actions(campaign_id: str, state: State, *, cancelling: bool) -> None:
    if state in ACTIVE:
        st.button(
            "Cancelling …" if cancelling else "Cancel",
            icon=":material/stop:",
            disabled=cancelling,
            on_click=_do,
            args=(cancel, campaign_id),
            key="cancel",
            help="Stops within two seconds. What is stored stays, and Resume goes on.",
        )
    if state in CONTINUED:
        st.button(
            "Resume",
            icon=":material/resume:",
            type="primary",
            on_click=_do,
            args=(resume, campaign_id),
            key="resume",
            help="Goes on with the test conditions that have no outcome yet.",
        )
    if state not in ACTIVE and st.button(
        "Close", icon=":material/close:", key="close", help="Takes the campaign off this page; its results stay."
    ):
        watch_next(None)
        st.rerun()


def _do(action: Callable[[str], None], campaign_id: str) -> None:
    try:
        action(campaign_id)
    except DnncovError as error:
        st.toast(str(error), icon=":material/error:")


def _numbers(progress: Progress, total: CoverageRow, state: State) -> None:
    adversarial = Ratio(progress.adversarial, progress.covered)
    rate = progress.done / progress.seconds if progress.seconds else 0.0
    with st.grid(5, min_column_width=150):
        _ratio("Covered", total.covered, "Test conditions with a replayable witness, of all test conditions.")
        _ratio("Adversarial", adversarial, "Test pairs with different labels within the bound, of all test pairs.")
        _ratio("Survive 8 bits", total.holds_8bit, "Witnesses that still hold when x2 is rounded to 8 bits.")
        _value(
            "Rate",
            f"{rate:.1f} / s" if rate else "–",
            f"{progress.attempts:,} attempts",
            "Test conditions done a second.",
        )
        left = (progress.total - progress.done) / rate if rate else 0.0
        if state in ACTIVE:
            spent = f"{duration(progress.seconds)} worked"
            _value("Time left", f"~ {duration(left)}" if rate else "–", spent, "At the mean rate so far.")
        else:
            _value("Working time", duration(progress.seconds), _pending(progress), "Time that workers spent on it.")


def _pending(progress: Progress) -> str:
    return f"{progress.total - progress.done:,} not tried yet"


def _ratio(label: str, ratio: Ratio, words: str) -> None:
    _value(label, ratio.percent, ratio.counts, words)


def _value(label: str, value: str, below: str, words: str) -> None:
    st.metric(label, value, delta=below, delta_color="off", delta_arrow="off", help=words)


def _links(campaign_id: str, total: CoverageRow) -> None:
    """Where the results are."""
    with st.container(horizontal=True, gap="small"):
        for page, name, icon in (
            ("pages/layers.py", "Layers", "layers"),
            ("pages/distances.py", "Distances", "show_chart"),
            ("pages/examples.py", "Examples", "image_search"),
        ):
            st.page_link(
                page,
                label=name,
                icon=f":material/{icon}:",
                query_params={PARAMETER: campaign_id},
                disabled=not total.covered.n,
                help=f"{name} of this campaign",
            )
