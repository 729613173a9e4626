"""Gaps: which test conditions are not covered, why, and which can be covered at all."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.campaign.file.conditions import ConditionRecord, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import is_proving
from dnncov_core.criteria.effects import shown_effect
from dnncov_core.phrases.conditions import MOST_NAMED, refuted_words
from dnncov_core.phrases.coverage import FEASIBLE, WITNESSES, covered_in_brief, is_sample, sampling
from dnncov_core.phrases.effect import EFFECT_MEANS
from dnncov_core.phrases.numbers import counted
from dnncov_core.statistics.coverage import CoverageRow, coverage_table
from dnncov_core.statistics.gaps import GapCounts, GapTable, gap_table
from pages.gaps.choice import settle_condition
from pages.gaps.condition import one_condition
from pages.gaps.justification import justify_form, say_what_came
from pages.gaps.matrix import matrix_and_choice
from pages.gaps.proof import proof_panel, tried
from pages.gaps.retry import effect_button, retry_panel
from pages.gaps.table import conditions_table
from pages.shared.campaign_state import standing, what_was_run
from pages.shared.campaigns import CAMPAIGN, chosen_campaign
from pages.shared.jobs import follow_campaign, is_active, is_changing
from pages.shared.links import to_condition
from pages.shared.page_registry import link
from pages.shared.words import metric, page_help

RESUME = "Resume the campaign to find out; so does `dnncov resume`."
WITHOUT = "The table lists the others where you choose the outcome covered, without effect."


def shares_and_counts(store: CampaignStore, counts: GapCounts, total: CoverageRow) -> None:
    """Covered of both denominators and with effect, and the rest; before any proof nothing can be proved infeasible."""
    spec, rest = store.spec(), counts.total - counts.covered.n
    with st.grid(3, min_column_width=150):
        words = f"{WITNESSES} {sampling(spec, total.covered.total, total.available)}"
        metric("Covered", counts.covered.percent, covered_in_brief(total.covered, total.available), words)
        _with_effect(total, shown_effect(spec.effect))
        metric("Covered, of feasible", counts.feasible.percent, counts.feasible.counts, FEASIBLE)
        words = "No input within the bounds can satisfy them."
        if tried(store) or counts.proved_infeasible:
            _number("Proved infeasible", counts.proved_infeasible, rest, words)
        else:
            metric("Proved infeasible", "not tried", "no proof yet", f"{words} Ask for a proof below.")
        _number("Justified", counts.justified, rest, "Somebody says why they need no test pair.")
        _number("Open", counts.open, rest, "Neither covered, nor proved infeasible, nor justified.")
    asked, available = total.covered.total, total.available
    if is_sample(asked, available):
        st.caption(f"{sampling(spec, asked, available)} Of the other {available - asked:,} nothing is known.")
    _refuted(store)


def _with_effect(total: CoverageRow, effect: str) -> None:
    """How many of the covered ones are covered, with effect, or that this is not known yet."""
    label, words = "Covered, with effect", f"In the witness, {EFFECT_MEANS[effect]}."
    if unknown := total.effects.unknown:
        metric(label, "not known yet", f"of {counted(unknown, 'witness', 'witnesses')}", f"{words} {RESUME}")
    else:
        metric(label, total.with_effect.percent, total.with_effect.counts, f"{words} {WITHOUT}")


def _refuted(store: CampaignStore) -> None:
    """Which justifications a witness refutes, with links to their conditions."""
    refuted = store.conditions.refuted()
    if not refuted:
        return
    words = f"{refuted_words(refuted)} Open each, and withdraw its reason below if it does not hold."
    st.warning(words, icon=":material/warning:")
    with st.container(horizontal=True, gap="small"):
        for ordinal in (each.target.ordinal for each in refuted[:MOST_NAMED]):
            link("gaps", f"Condition {ordinal}", to_condition(store.path.stem, ordinal))


def _number(label: str, n: int, rest: int, words: str) -> None:
    metric(label, f"{n:,}", f"of {rest:,} not covered", words)


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
    _actions(store, table, condition, conditions_table(store, table))
    matrix_and_choice(store, table, condition)
    one_condition(store, condition)
    what_was_run(store, total)


def _actions(store: CampaignStore, table: GapTable, condition: ConditionRecord, selected: Sequence[int]) -> None:
    """What can be done about the selected rows of the table, or without any about all conditions."""
    left, right = st.columns(2, gap="medium")
    with left:
        if table.matching() or condition.justification is not None:
            justify_form(store, condition, selected)
        say_what_came()
    with right:
        retry_panel(store, selected)
        proof_panel(store)
        effect_button(store, table.total.count(Status.WITHOUT_EFFECT))


campaign = chosen_campaign(
    "Gaps", "Which test conditions are not covered, why, and whether they can be covered at all."
)
follow_campaign(campaign, show, changing=lambda store: is_changing(store) or is_proving(store))
page_help("gaps")
