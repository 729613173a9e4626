"""One campaign as it runs: a single fragment that asks the campaign's file again and again while it can change."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.speed import seconds_left
from dnncov_core.criteria.effects import shown_effect
from dnncov_core.entries.kinds import own_name
from dnncov_core.phrases.adversarial import adversarial_means
from dnncov_core.phrases.coverage import EIGHT_BITS, NO_EIGHT_BITS, WITNESSES, covered_in_brief, sampling
from dnncov_core.phrases.effect import EFFECT_MEANS
from dnncov_core.phrases.numbers import duration, moment
from dnncov_core.phrases.states import cannot_resume, done_of, failure, stages_in_words, state_in_words, time_left
from dnncov_core.records import Stage, State
from dnncov_core.statistics.adversarial import adversarial_rate
from dnncov_core.statistics.coverage import CoverageRow, coverage_table
from dnncov_core.statistics.settings import title_of
from dnncov_core.suites.library import measurement_behind
from dnncov_core.workers import ACTIVE
from pages.run.restart import restart_button
from pages.shared.campaign_state import sentence, what_was_run
from pages.shared.campaigns import CAMPAIGN, MEASUREMENT
from pages.shared.job_buttons import below_campaign_button, campaign_button, close_button
from pages.shared.jobs import badge, follow_campaign, is_changing, why_it_failed
from pages.shared.lists import result_links
from pages.shared.network import say_no_labels
from pages.shared.page_registry import link
from pages.shared.words import metric, plain, with_own

EVERY_SECONDS = 0.7


def watch(campaign_id: str | None) -> None:
    """The panel of one campaign; call it once a page, at top level, campaign or not."""
    follow_campaign(campaign_id, lambda store: _show(str(campaign_id), store), every_seconds=EVERY_SECONDS)


def _show(campaign_id: str, store: CampaignStore) -> None:
    state, progress, total = store.state(), store.counts.progress(), coverage_table(store).total
    with st.container(border=True):
        _head(campaign_id, store, state)
        if words := failure(state, store.worker.message()):
            why_it_failed(words)
        at = store.stages.now()
        st.caption(stages_in_words(store.stages.seconds(), at) if at and state in ACTIVE else state_in_words(store))
        if cannot_resume(store):
            say_no_labels(store.spec().data)
        elif state is State.FAILED:
            restart_button(store)
        if progress.total:
            st.progress(progress.done / progress.total, text=done_of(progress))
            _numbers(store, progress, total)
            sentence(store, total)
        what_was_run(store, total)
        _links(campaign_id, store.spec(), total, closable=not is_changing(store))


def _head(campaign_id: str, store: CampaignStore, state: State) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(with_own(own_name(store), title_of(store.spec())), anchor=False, width="content")
        badge(state)
        st.caption(f"{plain(campaign_id)} · {moment(store.created())}", width="stretch")
        campaign_button(store)
    below_campaign_button(store)


def _numbers(store: CampaignStore, progress: CampaignProgress, total: CoverageRow) -> None:
    spec = store.spec()
    effect = shown_effect(spec.effect)
    adversarial = adversarial_rate(store.card(), progress.adversarial, progress.covered)
    searched = store.stages.seconds().get(Stage.SEARCH, progress.seconds)
    rate = progress.done / searched if searched else 0.0
    with st.grid(3, min_column_width=150):
        words = f"{WITNESSES} {plain(sampling(spec, total.covered.total, total.available))}"
        metric("Covered", total.covered.percent, covered_in_brief(total.covered, total.available), words)
        words = f"Test conditions whose witness shows an effect ({effect}): {EFFECT_MEANS[effect]}."
        known = not total.effects.unknown
        shown = (total.with_effect.percent, total.with_effect.counts) if known else ("–", "not known yet")
        metric("With effect", *shown, words)
        reused = "; one that is reused counts for each condition that it covers" if spec.reuse else ""
        words = f"Adversarial test pairs ({plain(adversarial_means(spec, store.card()))}), of all test pairs{reused}."
        metric("Adversarial", adversarial.percent, adversarial.counts, words)
        _eight_bits(total)
        metric(
            "Rate",
            f"{rate:.1f} / s" if rate else "–",
            f"{progress.attempts:,} attempts",
            "Mean number of test conditions done per second of searching.",
        )
        if store.state() in ACTIVE:
            spent = f"{duration(progress.seconds)} worked"
            words = "Estimated from the rate until now, with the baseline searches that follow."
            metric("Time left", time_left(seconds_left(store)) or "–", spent, words)
        else:
            pending = f"{progress.total - progress.done:,} not tried yet"
            metric("Working time", duration(progress.seconds), pending, "Time that workers spent on the campaign.")


def _eight_bits(total: CoverageRow) -> None:
    if total.covered.n and not total.holds_8bit.total:
        metric("Hold at 8 bits", "–", NO_EIGHT_BITS, "The inputs are no images.")
    else:
        metric("Hold at 8 bits", total.holds_8bit.percent, total.holds_8bit.counts, EIGHT_BITS)


def _links(campaign_id: str, spec: CampaignSpec, total: CoverageRow, *, closable: bool) -> None:
    """Where the results are; and Close, far from the button that it must not be taken for."""
    with st.container(horizontal=True, gap="small"):
        result_links(campaign_id, icons=True, disabled=not total.covered.n)
        if closable and total.covered.n:
            words = "Test pairs to look at and to download, on the page Examples"
            link("examples", "Its tests, to download", {CAMPAIGN: campaign_id}, icon="download", words=words)
        if closable and (behind := measurement_behind(spec)) is not None:
            link("measure", "Its measurement", {MEASUREMENT: behind}, words="What the suite covers and leaves open")
        st.space("stretch")
        if closable:
            close_button(CAMPAIGN, "Takes the campaign off this page; its results stay.")
