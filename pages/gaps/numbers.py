"""How many test conditions of a campaign are covered, and what is known of the rest."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import is_proving
from dnncov_core.criteria.effects import shown_effect
from dnncov_core.phrases.conditions import MOST_NAMED, refuted_words
from dnncov_core.phrases.coverage import (
    FEASIBLE,
    WITNESSES,
    covered_in_brief,
    eligible,
    estimated,
    is_sample,
    sample,
    sampling,
)
from dnncov_core.phrases.effect import EFFECT_MEANS
from dnncov_core.phrases.numbers import counted
from dnncov_core.statistics.coverage import CoverageRow
from dnncov_core.statistics.gaps import GapCounts
from pages.gaps.proof import tried
from pages.shared.links import to_condition
from pages.shared.page_registry import link
from pages.shared.words import metric, plain

RESUME = "Resume the campaign to find out; so does `dnncov resume`."
WITHOUT = "The table lists the others where you choose the outcome covered, without effect."


def shares_and_counts(store: CampaignStore, counts: GapCounts, total: CoverageRow) -> None:
    """Covered of both denominators and with effect, and the rest; before any proof nothing can be proved infeasible."""
    spec = store.spec()
    rest = counts.total - counts.covered.n
    with st.grid(3, min_column_width=150):
        pairs = eligible(spec, total.available)
        said = f"{sampling(spec, total.covered.total, total.available)} {estimated(pairs, total.estimate)}"
        words = f"{WITNESSES} {plain(said.strip())}"
        metric("Covered", counts.covered.percent, covered_in_brief(total.covered, total.available), words)
        _with_effect(total, shown_effect(spec.effect))
        metric("Covered, of feasible", counts.feasible.percent, counts.feasible.counts, FEASIBLE)
        words = "No input within the bounds can satisfy them."
        if tried(store) or counts.proved_infeasible:
            _number("Proved infeasible", counts.proved_infeasible, rest, words, " so far" * is_proving(store))
        else:
            metric("Proved infeasible", "not tried", "no proof yet", f"{words} Ask for a proof below.")
        n_refuted = len(store.conditions.refuted())
        more = f" · {n_refuted:,} more refuted" * bool(n_refuted)
        _number("Justified", counts.justified, rest, "Somebody says why they need no test pair.", more)
        _number("Open", counts.open, rest, "Neither covered, nor proved infeasible, nor justified.")
    asked, available = total.covered.total, total.available
    if is_sample(asked, available):
        which = plain(sample(spec, asked, available))
        st.caption(f"The test conditions are {which}, and the other {available - asked:,} were not asked about.")
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


def _number(label: str, n: int, rest: int, words: str, more: str = "") -> None:
    metric(label, f"{n:,}", f"of {rest:,} not covered{more}", words)
