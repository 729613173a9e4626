"""How far a campaign is, and what it shows, in a line or two above whatever a page has of it."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.phrases.adversarial import BASELINE_SEARCHES, adversarial_means, baselines
from dnncov_core.phrases.coverage import at_8_bits, covered_of, distinct, have_witness, of_all, sampling
from dnncov_core.phrases.states import how_far
from dnncov_core.ratios import Ratio
from dnncov_core.records import State
from dnncov_core.statistics import CoverageRow, control_table, interval_of, is_random_sample
from pages.shared.jobs import badge, campaign_button, why_it_failed


def standing(store: CampaignStore) -> None:
    """The state, how far the campaign is and what can be done about it; below, why it failed."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        badge(store.state())
        st.caption(how_far(store.state(), store.counts.progress()), width="stretch")
        campaign_button(store)
    if store.state() is State.FAILED:
        why_it_failed(store.worker.message())


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
    beside = control_table(store).total
    if found := baselines(beside.searched, beside.random, beside.ascent):
        st.markdown(found, help=BASELINE_SEARCHES)
