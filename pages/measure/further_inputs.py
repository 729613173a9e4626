"""How much each further input of a suite adds, and which of them to label or to keep: orders, made by a worker."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import Provenance
from dnncov_core.figures.further_inputs import TITLES
from dnncov_core.phrases.numbers import counted
from dnncov_core.records import State
from dnncov_core.selection.library import inputs_file, open_selection, standing, start
from dnncov_core.selection.orders import asked_criterion, offered, title_of
from dnncov_core.selection.selection import Selection
from dnncov_core.selection.selection_file import rows_csv
from dnncov_core.selection.tables import first_round_in_words, reached, reached_by_all
from dnncov_core.suites.measurement_file import StoredMeasurement
from dnncov_core.workers import ACTIVE, WorkerStatus
from pages.shared.charts import chart
from pages.shared.jobs import follow, share_bar, why_it_failed
from pages.shared.words import plain, say_error, table

ORDERED = "ordered"
"""Key of the selections that this session has made, by measurement."""
ABOUT = (
    "Orders the inputs of this suite without their labels, and shows what the first ones of each order cover, beside"
    " random orders: which of them to label, to keep or to run first. A process of its own does it."
)
CHOICE = (
    "Which order selects the inputs. To find mistakes: one that says how unsure the network is (DeepGini, Margin,"
    " Entropy). To test what the others do not: a criterion."
)
DOING = {
    "reference data": "Reference data",
    "neurons": "Inputs through the network",
    "layer pairs": "Layer pairs",
    "surprise": "Surprise",
    "orders": "Ordering",
}


def further_inputs(measurement_id: str, found: StoredMeasurement, provenance: Provenance) -> None:
    """The panel of the orders of a measurement's suite; call it once a page, at top level."""
    made: dict[str, str] = st.session_state.setdefault(ORDERED, {})
    selection_id = made.get(measurement_id)
    with st.expander("How much does each further input add", icon=":material/sort:"):
        st.caption(ABOUT)
        _form(measurement_id, found, made)
        follow(
            None if selection_id is None else lambda: nullcontext(standing(selection_id)),
            _show,
            changing=lambda status: status.state in ACTIVE,
            every_seconds=1.0,
        )
        if selection_id is not None and standing(selection_id).state is State.FINISHED:
            _result(selection_id, provenance)


def _form(measurement_id: str, found: StoredMeasurement, made: dict[str, str]) -> None:
    """Which order selects, how many inputs, which orders stand beside it, and the button."""
    measured = [each.text for each in found.criteria if _is_told(each.text, found.spec.reference)]
    orders = offered(measured)
    left, middle, right = st.columns([1.2, 2.4, 1.0], vertical_alignment="bottom")
    first = left.selectbox("Order", orders, format_func=title_of, key="order-by", help=CHOICE)
    others = [each for each in orders if each != first]
    beside = middle.multiselect("Beside it", others, format_func=title_of, key="orders-beside")
    budget = right.number_input("Inputs to select", 1, found.inputs, min(200, found.inputs), key="order-budget")
    told = first if _is_told(first, found.spec.reference) else next(iter(measured), "ss")
    if st.button("Order the inputs", icon=":material/sort:", key="order-inputs"):
        try:
            by = ",".join([first, *beside])
            made[measurement_id] = start(found.spec, by=by, criterion=told, budget=int(budget))
        except DnncovError as error:
            say_error(error)
            return
        st.rerun()


def _is_told(text: str, reference: str | None) -> bool:
    try:
        return bool(asked_criterion(text, reference).text)
    except DnncovError:
        return False


def _show(status: WorkerStatus) -> None:
    if status.state in ACTIVE:
        share_bar(status, DOING.get(status.doing, "Loading network and inputs"))
    elif status.state is not State.FINISHED:
        why_it_failed(status.message)


def _result(selection_id: str, provenance: Provenance) -> None:
    """What the selected inputs reach, the curves, and the inputs as files."""
    try:
        selection = open_selection(selection_id)
    except DnncovError as error:
        say_error(error)
        return
    n = len(selection.selected)
    st.markdown(
        f"**The first {counted(n, 'input')} of {selection.inputs:,}, by {plain(title_of(selection.first.order))}**"
    )
    heads = ("Order", *(f"{curve.title[0].upper()}{curve.title[1:]}" for curve in selection.curves))
    rows = [
        (title_of(each.order), *(reached(curve, each.order, n) for curve in selection.curves))
        for each in selection.rankings
    ]
    table(heads, [*rows, ("All inputs", *map(reached_by_all, selection.curves))])
    for words in filter(None, map(first_round_in_words, selection.rankings)):
        st.caption(plain(words))
    _files(selection_id, selection)
    for curve in selection.curves:
        key = f"further-{curve.measure}"
        own = exhibit("further-inputs", (selection, curve), provenance, part=curve.measure)
        chart(own, key=key, alt=f"Lines: {TITLES[curve.measure].lower()}, an order each")


def _files(selection_id: str, selection: Selection) -> None:
    """The selected inputs as rows, and as data for Measure and the command."""
    inputs = inputs_file(selection_id)
    name = f"selected-{selection_id}"
    own: dict[str, Any] = {"icon": ":material/download:", "on_click": "ignore"}
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Rows (CSV)", partial(rows_csv, selection), f"{name}.csv", "text/csv", key="selected.csv", **own
        )
        content, kind = partial(Path.read_bytes, inputs), "application/octet-stream"
        st.download_button("Inputs (NPZ)", content, f"{name}.npz", kind, key="selected.npz", **own)
    st.caption("Rows are counted from 0. The NPZ file is data, as the page Bring and `--suite` take them.")
