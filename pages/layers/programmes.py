"""What linear programmes cost by layer pair, as a table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.figures.style import layer_pair
from dnncov_core.programmes import ProgrammeRow
from dnncov_core.ratios import number

HEADS = (
    "Layer pair",
    "LP calls",
    "Variables",
    "Constraints, mean",
    "Constraints, most",
    "Seconds a call, mean",
    "Iterations a call, mean",
    "Paper's variables",
    "Paper's constraints",
)


def programme_costs(costs: Sequence[ProgrammeRow]) -> None:
    """The section about linear programmes; nothing for campaigns that solved none."""
    if not costs:
        return
    st.subheader("Linear programmes by layer", anchor=False)
    rows = [dict(zip(HEADS, _cells(row), strict=True)) for row in costs]
    st.dataframe(rows, hide_index=True, alt="Cost of linear programmes by layer pair")
    st.caption(
        "The generator lp adds constraints only when a solution breaks them, so that their number varies from call to"
        " call; the last two columns are the size of the paper's formulation for two neurons, with a variable for each"
        " input and neuron and all constraints at once. Seconds include building the programme."
        + (" n/a: not recorded by the version that made these attempts." if _unrecorded(costs) else "")
    )


def _unrecorded(costs: Sequence[ProgrammeRow]) -> bool:
    return any(row.seconds_mean is None for row in costs)


def _cells(row: ProgrammeRow) -> tuple[str, ...]:
    return (
        layer_pair(row.edge),
        number(row.calls, ","),
        f"{row.variables:,}",
        f"{row.constraints_mean:,.1f}",
        f"{row.constraints_max:,}",
        number(row.seconds_mean, ".4f"),
        number(row.iterations_mean, ",.1f"),
        number(row.reference_variables, ","),
        number(row.reference_constraints, ","),
    )
