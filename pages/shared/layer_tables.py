"""Tables by layer: their rows, the names of the rows, and the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from dnncov_core.export.exhibits import Exhibit
from dnncov_core.figures.axes import condition_layers, layer_tick, modules
from dnncov_core.figures.style import distance_axis, layer_pair
from dnncov_core.phrases.coverage import held_at_8_bits, is_sample
from dnncov_core.programme_costs import ProgrammeRow
from dnncov_core.ratios import number
from dnncov_core.records import LayerCounts, Outcome
from dnncov_core.statistics.adversarial import AdversarialTable
from dnncov_core.statistics.coverage import CoverageTable
from dnncov_core.statistics.distances import LayerDistanceTable, shown
from dnncov_core.statistics.grouping import By, Place, usual_grouping
from pages.shared import address
from pages.shared.captions import caption

MOST_ROWS = 60
"""Longer tables scroll."""

ROW_HEIGHT = 35
"""Height of a table in pixels."""

MODULES = {
    "Modules": st.column_config.Column(help="What the network's own program calls these layers."),
    "Module": st.column_config.Column(help="What the network's own program calls the decision layer."),
}
HELP = MODULES | {
    "Of feasible": st.column_config.Column(help="Covered, of the test conditions not proved infeasible."),
    "With effect": st.column_config.Column(help="Covered, with effect, of all test conditions."),
    "Hold at 8 bits": st.column_config.Column(
        help="Witnesses that hold when x2 is rounded to 8 bits, of all witnesses."
    ),
    "Feature pairs": st.column_config.Column(help="All feature pairs between these layers, sampled or not."),
    "Adversarial": st.column_config.Column(
        help="Of the test pairs of the same row; and from how many different seeds these pairs are."
    ),
    "Of all adversarial": st.column_config.Column(help="Of the adversarial pairs of all rows."),
}

WITHOUT_WITNESS = {
    Outcome.EXHAUSTED: "Exhausted",
    Outcome.PROVED_INFEASIBLE: "Proved infeasible",
    Outcome.ERROR: "Error",
    Outcome.PENDING: "Not tried yet",
}
"""Columns for outcomes, shown where some test condition has the outcome."""


def grouping(layers: Sequence[LayerCounts]) -> By:
    """A choice between rows by decision layer and by layer pair; none where these are the same."""
    return By.LAYER_PAIR if usual_grouping(layers) is By.LAYER_PAIR else rows_choice()


def rows_choice() -> By:
    """A choice between rows by decision layer, which comes first, and by layer pair."""
    chosen = st.segmented_control(
        "Rows",
        [By.DECISION_LAYER.value, By.LAYER_PAIR.value],
        format_func=lambda value: f"By {value}",
        default=By.DECISION_LAYER.value,
        required=True,
        label_visibility="collapsed",
        help="By decision layer, all its condition layers together; or each pair of condition and decision layer.",
        **address.view("grouping", "by", By.DECISION_LAYER.value, {"pair": By.LAYER_PAIR.value}),
    )
    return By(chosen)


def layer_cells(place: Place | None, by: By) -> dict[str, str]:
    """The cells of a table that say which layers a row is of; None for all of them."""
    name = "All" if place is None else layer_tick(place, by)
    if by is By.LAYER_PAIR:
        return {"Layer pair": name, "Modules": "" if place is None else modules(place)}
    return {
        "Decision layer": name,
        "Module": "" if place is None else place.decision_name,
        "Condition layers": "" if place is None else condition_layers(place),
    }


def layer_table(
    rows: Sequence[dict[str, object]], *, alt: str, columns: Mapping[str, ColumnConfig | None] | None = None
) -> None:
    """A table by layer, in its whole length unless it is very long; ``columns`` says what its heads mean."""
    st.dataframe(
        rows,
        hide_index=True,
        height=ROW_HEIGHT * (MOST_ROWS + 1) if len(rows) > MOST_ROWS else "content",
        column_config=columns,
        alt=alt,
    )


def counts_table(coverage: CoverageTable, adversarial: AdversarialTable) -> None:
    """One row a layer pair or decision layer and one for all of them, each share with its numerator and denominator."""
    everything = coverage.total
    covered = "Covered, of sampled" if is_sample(everything.covered.total, everything.available) else "Covered"
    both = zip((*coverage.rows, everything), (*adversarial.rows, adversarial.total), strict=True)
    rows: list[dict[str, object]] = [
        {
            **layer_cells(c.place, coverage.by),
            "Feature pairs": f"{c.available:,}",
            covered: c.covered.display(),
            **({} if everything.feasible == everything.covered else {"Of feasible": c.feasible.display()}),
            "With effect": "not known yet" if c.effects.unknown else c.with_effect.display(),
            "Hold at 8 bits": held_at_8_bits(c.holds_8bit, c.covered.n),
            "Adversarial": a.words,
            "Of all adversarial": a.of_adversarial.display(),
            **{name: c.count(outcome) for outcome, name in WITHOUT_WITNESS.items() if coverage.total.count(outcome)},
        }
        for c, a in both
    ]
    layer_table(rows, alt=f"Counts by {coverage.by.value}", columns=HELP)


def distances_table(table: LayerDistanceTable) -> None:
    """One row a layer pair or decision layer, and one for all of them."""
    unit, head = distance_axis(table.norm, table.unit), shown(table.spreads).head
    rows: list[dict[str, object]] = [
        {
            **layer_cells(row.place, table.by),
            "Test pairs": row.pairs.n,
            f"{unit}, {head}": row.pairs.words,
            "Adversarial pairs": row.adversarial.n,
            f"Of adversarial pairs, {head}": row.adversarial.words,
        }
        for row in (*table.rows, table.total)
    ]
    layer_table(rows, alt=f"Distances by {table.by.value}", columns=MODULES)


def programme_costs(costs: Exhibit) -> None:
    """The section about linear programmes; nothing for campaigns that solved none."""
    if not costs.table:
        return
    st.subheader("Linear programmes by layer", anchor=False)
    rows = [programme_cells(row) for row in costs.table]
    st.dataframe(rows, hide_index=True, alt="Cost of linear programmes by layer pair")
    caption(costs, "programmes")


def programme_cells(row: ProgrammeRow) -> dict[str, str]:
    """The cells of a table that say what linear programmes of a layer pair cost."""
    return {
        "Layer pair": layer_pair(row.edge),
        "LP calls": number(row.calls, ","),
        "Variables": f"{row.variables:,}",
        "Constraints, mean": f"{row.constraints_mean:,.1f}",
        "Constraints, most": f"{row.constraints_max:,}",
        "Seconds a call, mean": number(row.seconds_mean, ".4f"),
        "Iterations a call, mean": number(row.iterations_mean, ",.1f"),
        "Paper's variables": number(row.reference_variables, ","),
        "Paper's constraints": number(row.reference_constraints, ","),
    }
