"""Whatever follows a campaign while it can change."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.adversarial import BASELINE_SEARCHES, adversarial_means, baselines
from dnncov_core.phrases.coverage import at_8_bits, covered_of, distinct, have_witness, of_all
from dnncov_core.phrases.samples import sampling
from dnncov_core.phrases.states import how_far
from dnncov_core.ratios import Ratio
from dnncov_core.records import State
from dnncov_core.statistics import CoverageRow, control_total, interval_of, is_random_sample
from dnncov_core.workers import ACTIVE
from dnncov_pages.shared.acting import actions, is_changing
from dnncov_pages.shared.words import badge, plain


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
        st.caption(how_far(store.state(), store.counts.progress()), width="stretch")
        actions(store)
    why_it_failed(store)


def why_it_failed(store: CampaignStore) -> None:
    """The reason that the worker of a failed campaign left."""
    if store.state() is State.FAILED:
        st.error(plain(store.worker.message()) or "The worker ended without a message.", icon=":material/error:")


def shares(covered: Ratio, available: int, adversarial: Ratio) -> tuple[str, str]:
    """Coverage and AE in a few words each, in Markdown; ``available`` are the feature pairs to choose from."""
    return (
        f"**{covered.percent}** covered: {covered_of(covered, available)}",
        f"**{adversarial.percent}** adversarial: {adversarial.counts} test pairs",
    )


def sentence(store: CampaignStore, total: CoverageRow) -> None:
    """What the campaign shows, in the words that these numbers allow; nothing before there are test conditions."""
    if not total.covered.total:
        return
    spec, covered, available = store.spec(), total.covered, total.available
    said = [
        f"**{have_witness(covered, available)}**",
        of_all(available, interval_of(covered, sample=is_random_sample(spec, total))),
        distinct(store.pairs.count_distinct()) if spec.reuse else "",
        at_8_bits(total.holds_8bit),
        f"Adversarial: {adversarial_means(spec)}.",
    ]
    st.markdown(" ".join(filter(None, said)), help=sampling(spec, covered.total, available))
    beside = control_total(store)
    if found := baselines(beside.searched, beside.random, beside.ascent):
        st.markdown(found, help=BASELINE_SEARCHES)
