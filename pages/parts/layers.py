"""Rows of tables by layer: which they are, and what names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from dnncov_core.figures.axes import condition_layers, layer_tick, modules
from dnncov_core.records import LayerCounts
from dnncov_core.statistics import By, Place, usual_grouping

MOST_ROWS = 60
"""Longer tables scroll."""

ROW_HEIGHT = 35
"""Of a table, in pixels."""

GROUPED = (
    "**By decision layer**: in a network with branches a decision layer follows several condition layers. Their counts"
    " are added, and means and deviations are over all their test pairs together.\n\n"
)


def grouping(layers: Sequence[LayerCounts]) -> By:
    """A choice between rows by decision layer and by layer pair; none where these are the same."""
    if usual_grouping(layers) is By.LAYER_PAIR:
        return By.LAYER_PAIR
    chosen = st.segmented_control(
        "Rows",
        [By.DECISION_LAYER.value, By.LAYER_PAIR.value],
        format_func=lambda value: f"By {value}",
        default=By.DECISION_LAYER.value,
        required=True,
        key="grouping",
        persist_state="session",
        label_visibility="collapsed",
        help="By decision layer, all its condition layers together; or each pair of condition and decision layer.",
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
    long = len(rows) > MOST_ROWS
    st.dataframe(
        rows,
        hide_index=True,
        height=ROW_HEIGHT * (MOST_ROWS + 1) if long else "content",
        column_config=columns,
        alt=alt,
    )
