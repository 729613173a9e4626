"""How many test conditions are covered, and what became of the rest."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.phrases.coverage import FEASIBLE, WITNESSES, covered_of, is_sample, sampling
from dnncov_core.statistics import CoverageRow, GapCounts
from pages.shared.words import metric


def shares_and_counts(counts: GapCounts, *, total: CoverageRow, spec: CampaignSpec, proofs_tried: bool) -> None:
    """Covered of both denominators, and what became of the rest; before any proof nothing can be proved infeasible.

    Args:
        counts: of all test conditions.
        total: the same campaign's coverage, which knows of how many feature pairs these are a sample.
        spec: what was asked.
        proofs_tried: whether somebody asked for a proof.
    """
    rest = counts.total - counts.covered.n
    with st.grid(5, min_column_width=150):
        words = f"{WITNESSES} {sampling(spec, total.covered.total, total.available)}"
        metric("Covered", counts.covered.percent, covered_of(total.covered, total.available, ""), words)
        metric("Covered, of feasible", counts.feasible.percent, counts.feasible.counts, FEASIBLE)
        words = "No input within the bounds can satisfy them."
        if proofs_tried or counts.proved_infeasible:
            _number("Proved infeasible", counts.proved_infeasible, rest, words)
        else:
            metric("Proved infeasible", "not tried", "no proof yet", f"{words} Ask for a proof below.")
        _number("Justified", counts.justified, rest, "Somebody says why they need no test pair.")
        _number("Open", counts.open, rest, "Neither covered, nor proved infeasible, nor justified.")
    asked, available = total.covered.total, total.available
    if is_sample(asked, available):
        st.caption(f"{sampling(spec, asked, available)} Of the other {available - asked:,} nothing is known.")


def _number(label: str, n: int, rest: int, words: str) -> None:
    metric(label, f"{n:,}", f"of {rest:,} not covered", words)
