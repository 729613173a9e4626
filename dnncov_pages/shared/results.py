"""Whatever follows a campaign while it can change."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DnncovError
from dnncov_core.ratios import percentage
from dnncov_core.records import State
from dnncov_core.statistics import CoverageRow, control_total, interval_of, is_random_sample
from dnncov_core.workers import ACTIVE
from dnncov_pages.shared.acting import actions, is_changing
from dnncov_pages.shared.counts import adversarial_means, control_words, covered_of, sampling
from dnncov_pages.shared.words import STATES, badge, plain, roughly

CONTROL = (
    "A control: what searches find that ask for another label and for no test condition. Each starts at the seed of a"
    " test pair, may go as far as this pair (or the bound b, if the campaign has one) and make as many passes through"
    " the network as its search made (40 where linear programmes made none). An AE rate says something about a"
    " criterion only beside them."
)
FEW = 10
"""Adversarial pairs below which a distance curve says little."""


def is_active(store: CampaignStore) -> bool:
    """Whether the campaign's numbers may still change by themselves."""
    return store.state() in ACTIVE


def follow(
    campaign_id: str | None,
    show: Callable[[CampaignStore], None],
    *,
    every_seconds: float = 3.0,
    changing: Callable[[CampaignStore], bool] = is_changing,
) -> None:
    """Calls ``show`` now, and every so often while the campaign is ``changing``.

    Call it once a page, at top level and in every run, also without a campaign: fragments that poll must not come and
    go. When the campaign becomes active or inactive, the whole page runs again.
    """
    active = campaign_id is not None and _is_changing(campaign_id, changing)

    def body() -> None:
        if campaign_id is None:
            return
        try:
            with open_campaign(campaign_id) as store, store.at_one_moment():
                show(store)
                changed = changing(store) != active
        except DnncovError as error:
            st.error(str(error), icon=":material/error:")
            return
        if changed:
            st.rerun()

    st.fragment(body, run_every=every_seconds if active else None)()


def _is_changing(campaign_id: str, changing: Callable[[CampaignStore], bool]) -> bool:
    try:
        with open_campaign(campaign_id) as store:
            return changing(store)
    except DnncovError:
        return False  # the body says what is wrong


def standing(store: CampaignStore) -> None:
    """The state, how far the campaign is and what can be done about it; below, why it failed."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        badge(store.state())
        st.caption(how_far(store), width="stretch")
        actions(store)
    why_it_failed(store)


def how_far(store: CampaignStore) -> str:
    """How many test conditions are done, how long the rest takes, and what the state means where it says more."""
    state, progress = store.state(), store.counts.progress()
    done = f"{progress.done:,} of {progress.total:,} test conditions done." if progress.total else ""
    left = time_left(progress) if state is State.RUNNING else ""
    means = "" if state in (State.RUNNING, State.FINISHED) else STATES[state].sentence
    return " ".join(part for part in (done, f"{left} left." if left else "", means) if part)


def time_left(progress: CampaignProgress) -> str:
    """How long the rest takes at the mean rate so far; empty where there is none yet, and while the control is made."""
    if not (progress.done and progress.seconds) or progress.done == progress.total:
        return ""
    return f"~ {roughly(progress.seconds * (progress.total - progress.done) / progress.done)}"


def why_it_failed(store: CampaignStore) -> None:
    """The reason that the worker of a failed campaign left."""
    if store.state() is State.FAILED:
        st.error(plain(store.worker.message()) or "The worker ended without a message.", icon=":material/error:")


def sentence(store: CampaignStore, total: CoverageRow) -> None:
    """What the campaign shows, in the words that these numbers allow; nothing before there are test conditions."""
    if not total.covered.total:
        return
    spec = store.spec()
    text = f"**{covered_of(total)} have a replayable witness.**"
    if interval := interval_of(total.covered, sample=is_random_sample(spec, total)):
        low, high = (percentage(share) for share in interval)
        text += f" For all {total.available:,} feature pairs this sample says {low} to {high} (95 % interval)."
    if spec.reuse:
        text += f" {store.pairs.count_distinct():,} different test pairs cover them."
    if total.holds_8bit.total:
        text += f" {total.holds_8bit.counts} of these witnesses hold after rounding to 8 bits."
    st.markdown(f"{text} Adversarial: {adversarial_means(spec)}.", help=sampling(spec, total))
    if control := control_words(control_total(store)):
        st.markdown(control, help=CONTROL)


def hint_at_more_adversarial(spec: CampaignSpec, found: int) -> None:
    """Says why a campaign found few adversarial pairs, if the order of its seeds is why."""
    if found < FEW and spec.seed_order == "nearest":
        st.caption(
            "Nearest first takes steps so small that few change the label. A campaign with seeds in random order, as in"
            " the paper, finds more adversarial pairs."
        )
