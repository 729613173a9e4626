"""The list of what a suite does not cover: looked through, chosen from, and downloaded."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

import streamlit as st

from dnncov_core.figures.style import layer_pair, modules_in_words
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement
from dnncov_core.suites.open_conditions import FREE, load_list, write_table
from dnncov_core.types import IntArray
from pages.shared.words import paged, plain

PER_PAGE = 50


def chosen_of_list(found: StoredMeasurement, criterion: MeasuredCriterion, file: Path) -> IntArray:
    """The list in a measurement's file, to be looked through and downloaded; what is chosen of it.

    Raises:
        DataError: the list cannot be read.
    """
    rows = _rows(str(file), file.stat().st_mtime_ns, criterion)
    with st.expander("List, to look through and to narrow", icon=":material/list:"):
        rows = _chosen(criterion, rows)
        with paged(f"missing-page-{criterion.text}-{len(rows)}", len(rows), PER_PAGE) as part:
            shown = [_row(found, *row) for row in rows[part].tolist()]
            st.dataframe(shown, hide_index=True, alt="Test conditions that are not covered")
        st.download_button(
            f"Download these {len(rows):,} (CSV)",
            partial(_table, found, criterion, rows),
            f"{plain(found.spec.network)}-{criterion.key}-open.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            help="For a spreadsheet, and for `dnncov run --conditions`.",
        )
    return rows


def _chosen(criterion: MeasuredCriterion, rows: IntArray) -> IntArray:
    """Those of one layer pair, or with one neuron."""
    left, right = st.columns(2)
    edges = [(row.condition_layer, row.layer) for row in criterion.rows if row.covered < row.total]
    edge = left.selectbox(
        "Only layer pair",
        [None, *edges],
        format_func=lambda edge: layer_pair(edge) if edge else "All layer pairs",
        placeholder="All layer pairs",
        key=f"missing-edge-{criterion.text}-{len(edges)}",
    )
    words = "The number of a neuron within its layer, from 0, on either side of the feature pair."
    neuron = right.number_input(
        "Only neuron", value=None, min_value=0, step=1, key="missing-neuron", placeholder="Any", help=words
    )
    if edge is not None:
        rows = rows[(rows[:, 1] == edge[0]) & (rows[:, 3] == edge[1])]
    return rows if neuron is None else rows[(rows[:, 2] == neuron) | (rows[:, 4] == neuron)]


def _row(found: StoredMeasurement, ordinal: int, k: int, i: int, layer: int, j: int) -> dict[str, object]:
    condition = str(i) if found.spec.feature_mode == "neuron" else FREE
    modules = modules_in_words([found.layers.get(k, "")], found.layers.get(layer, ""))
    pair = layer_pair((k, layer))
    return {"Ordinal": ordinal, "Layer pair": pair, "Modules": modules, "Condition": condition, "Decision": str(j)}


def _table(found: StoredMeasurement, criterion: MeasuredCriterion, rows: IntArray) -> str:
    file = io.StringIO(newline="")
    write_table(file, found, {criterion.text: rows})
    return file.getvalue()


@st.cache_resource(max_entries=8, show_spinner=False)
def _rows(file: str, stamp: int, criterion: MeasuredCriterion) -> IntArray:
    """The list of one criterion; ``stamp`` tells its file from one of the same name."""
    return load_list(Path(file), criterion)
