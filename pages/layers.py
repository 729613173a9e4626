"""Layers: coverage and adversarial pairs by layer pair."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.store import CampaignStore
from dnncov_core.figures import plot_adversarial, plot_coverage
from dnncov_core.figures.style import layer_pair
from dnncov_core.records import Outcome
from dnncov_core.statistics import AdversarialTable, CoverageTable, adversarial_table, coverage_table
from pages.parts import frame
from pages.parts.campaigns import choose
from pages.parts.results import follow, sentence, standing

HELP = {
    "Covered, of feasible": st.column_config.Column(help="Covered, of the test conditions not proved infeasible."),
    "Survive 8 bits": st.column_config.Column(
        help="Witnesses that hold when x2 is rounded to 8 bits, of all witnesses."
    ),
    "Adversarial, of test pairs": st.column_config.Column(help="Of the test pairs of the same layer pair."),
    "Share of all adversarial": st.column_config.Column(help="Of the adversarial pairs of all layer pairs."),
}

frame.require()
st.title("Layers", anchor=False)
st.caption("How many test conditions have a replayable witness, and where the adversarial pairs are.")


def table_of(coverage: CoverageTable, adversarial: AdversarialTable) -> list[dict[str, object]]:
    """One row a layer pair and one for all of them, each share with its numerator and denominator."""
    rows = zip((*coverage.rows, coverage.total), (*adversarial.rows, adversarial.total), strict=True)
    return [
        {
            "Layer pair": layer_pair(c.edge) if c.edge else "All",
            "Covered": c.covered.display(),
            "Covered, of feasible": c.feasible.display(),
            "Survive 8 bits": c.holds_8bit.display(),
            "Adversarial, of test pairs": a.of_pairs.display(),
            "Share of all adversarial": a.of_adversarial.display(),
            "Exhausted": c.count(Outcome.EXHAUSTED),
            "Proved infeasible": c.count(Outcome.PROVED_INFEASIBLE),
            "Error": c.count(Outcome.ERROR),
            "Not tried yet": c.count(Outcome.PENDING),
        }
        for c, a in rows
    ]


def show(store: CampaignStore) -> None:
    """Both figures, and the table that they draw."""
    standing(store)
    coverage, adversarial = coverage_table(store), adversarial_table(store)
    sentence(coverage.total)
    left, right = st.columns(2, gap="medium")
    with left:
        st.plotly_chart(
            plot_coverage(coverage), key="coverage", alt="Bars: share of covered test conditions by layer pair"
        )
    with right:
        st.plotly_chart(
            plot_adversarial(adversarial), key="adversarial", alt="Bars: share of adversarial pairs by layer pair"
        )
    st.dataframe(table_of(coverage, adversarial), hide_index=True, column_config=HELP, alt="Counts by layer pair")


follow(choose(), show)
with st.expander("How these numbers are computed", icon=":material/help:"):
    st.markdown(
        "A **test condition** asks a covering method of one feature pair: a condition feature of layer k and a decision"
        " feature of layer k+1. The input is layer 1, and the output is layer K.\n\n"
        "**Covered** counts the test conditions for which the covering method holds on a fresh pass of the real network"
        " over a stored pair of inputs; the denominator is every test condition of the campaign, tried or not.\n\n"
        "**Survives 8 bits** counts the witnesses that still hold when x2 is rounded to 256 grey levels.\n\n"
        "**Adversarial** counts the test pairs whose two labels differ within the bound b: once of the layer pair's own"
        " test pairs, once of all adversarial pairs, as in the paper.\n\n"
        "100 % stands only for all, 0 % only for none, and n/a where there was nothing to count."
    )
