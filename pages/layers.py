"""Layers: coverage, adversarial pairs, and the cost of linear programmes by layer."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.store import CampaignStore
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.programmes import programme_table
from dnncov_core.records import Outcome
from dnncov_core.statistics import (
    AdversarialTable,
    CoverageTable,
    adversarial_of,
    counts_by_layer,
    coverage_of,
)
from pages.parts import frame
from pages.parts.campaigns import choose
from pages.parts.charts import chart, places_for_two
from pages.parts.controls import controls
from pages.parts.counts import eight_bits, sampled
from pages.parts.exporting import export_page
from pages.parts.facts import GLOSSARY, what_was_run
from pages.parts.layers import GROUPED, grouping, layer_cells, layer_table
from pages.parts.programmes import programme_costs
from pages.parts.results import follow, sentence, standing
from pages.parts.ways import follow_click, on_click, to_gaps, to_pairs, ways

HELP = {
    "Covered, of feasible": st.column_config.Column(help="Covered, of the test conditions not proved infeasible."),
    "Hold at 8 bits": st.column_config.Column(
        help="Witnesses that hold when x2 is rounded to 8 bits, of all witnesses."
    ),
    "Feature pairs": st.column_config.Column(help="That exist between these layers, sampled or not."),
    "Adversarial, of test pairs": st.column_config.Column(help="Of the test pairs of the same row."),
    "Share of all adversarial": st.column_config.Column(help="Of the adversarial pairs of all rows."),
}

WITHOUT_WITNESS = {
    Outcome.EXHAUSTED: "Exhausted",
    Outcome.PROVED_INFEASIBLE: "Proved infeasible",
    Outcome.ERROR: "Error",
    Outcome.PENDING: "Not tried yet",
}
"""Columns of the table, where some test condition ended so."""
CLICKS = (
    "A click on a bar of coverage shows its test conditions on Gaps; on a bar of adversarial pairs, these pairs in"
    " Examples. Or choose here:"
)

frame.require()
st.title("Layers", anchor=False)
st.caption("How many test conditions have a replayable witness, and where the adversarial pairs are.")


def table_of(coverage: CoverageTable, adversarial: AdversarialTable) -> list[dict[str, object]]:
    """One row a layer pair or decision layer and one for all of them, each share with its numerator and denominator."""
    rows = zip((*coverage.rows, coverage.total), (*adversarial.rows, adversarial.total), strict=True)
    return [
        {
            **layer_cells(c.place, coverage.by),
            "Feature pairs": f"{c.available:,}",
            "Covered, of sampled" if sampled(coverage.total) else "Covered": c.covered.display(),
            "Covered, of feasible": c.feasible.display(),
            "Hold at 8 bits": eight_bits(c),
            "Adversarial, of test pairs": a.of_pairs.display(),
            "Share of all adversarial": a.of_adversarial.display(),
            **{name: c.count(outcome) for outcome, name in WITHOUT_WITNESS.items() if coverage.total.count(outcome)},
        }
        for c, a in rows
    ]


def show(store: CampaignStore) -> None:
    """Both figures, the table that they draw, and what the linear programmes cost."""
    follow_click()
    standing(store)
    layers = counts_by_layer(store)
    by = grouping(layers)
    coverage, adversarial = coverage_of(store, layers, by), adversarial_of(layers, by, store.card())
    sentence(store, coverage.total)
    known = of_campaign(store)
    left, right = places_for_two(len(coverage.rows))
    with left:
        first = chart(
            exhibit("coverage", coverage, known),
            key="coverage",
            alt=f"Bars: share of covered test conditions by {by.value}; a click leads to the matrix on Gaps",
            on_select=on_click("coverage", to_gaps(known.id, layers)),
        )
    with right:
        second = chart(
            exhibit("adversarial", adversarial, known),
            key="adversarial",
            alt=f"Bars: share of adversarial pairs by {by.value}; a click leads to these pairs",
            on_select=on_click("adversarial", to_pairs(known.id, layers, adversarial=lambda data: True)),
        )
    st.caption(CLICKS)
    ways(store, layers, by)
    layer_table(table_of(coverage, adversarial), alt=f"Counts by {by.value}", columns=HELP)
    third = controls(store, layers, by, known)
    programmes = programme_table(store)
    programme_costs(programmes)
    export_page("layers", known, lambda: [first, second, third, exhibit("programmes", programmes, known)])
    what_was_run(store, coverage.total)


follow(choose(), show)
with st.expander("How these numbers are computed", icon=":material/help:"):
    st.markdown(
        GLOSSARY
        + "A **feature pair** is a condition feature of layer k and a decision feature of layer k+1. The input is"
        " layer 1, and the output is layer K.\n\n"
        "**Covered** counts the test conditions for which the covering method holds on a fresh pass of the real network"
        " over a stored pair of inputs; the denominator is every test condition of the campaign, tried or not."
        " Where these are a random sample of all feature pairs, the number of all is said beside them.\n\n"
        "**Another label with the same budget** is a control of up to 200 test pairs, drawn at random: from each"
        " seed, random perturbations and projected gradient ascent may go as far as the test pair (or the bound b) and"
        " make as many passes as its search, and ask for another label alone.\n\n"
        "**Hold at 8 bits** counts the witnesses that still hold when x2 is rounded to 256 grey levels.\n\n"
        "**Adversarial** counts the test pairs whose two labels differ and whose distance is within the bound b, if"
        " the campaign has one: once of the layers' own test pairs, once of all adversarial pairs, as the paper"
        " does.\n\n"
        + GROUPED
        + "100 % stands only for all, 0 % only for none, and n/a where there was nothing to count."
    )
