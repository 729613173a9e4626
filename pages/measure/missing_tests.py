"""What a suite does not cover: how much, a list of it, a campaign for it, and what suite and tests cover together."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

import streamlit as st

from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.errors import DnncovError
from dnncov_core.figures.style import layer_pair
from dnncov_core.phrases.numbers import counted
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.suite_and_tests import suite_and_tests
from dnncov_core.suites.library import OPEN, file_of
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement
from dnncov_core.suites.open_conditions import FREE, is_about, is_listed, load_list, write_table
from dnncov_core.types import IntArray
from pages.measure.campaign_form import campaign_bar
from pages.shared.campaigns import CAMPAIGN, label, spec_of
from pages.shared.jobs import badge
from pages.shared.page_registry import link
from pages.shared.words import paged, plain, say_error

PER_PAGE = 50
MOST_SHOWN = 5
"""Campaigns, newest first, whose tests are shown beside the suite."""
NO_LIST = (
    "There is no list of what is not covered: an earlier version measured it, or there are more feature pairs than a"
    " list takes. Measure again, or choose some layers."
)


def missing_tests(measurement_id: str, found: StoredMeasurement) -> None:
    """What a measurement found open by each covering method, and the button that starts a campaign for it."""
    asked = {each.text: each for each in found.criteria if each.total and is_listed(each.text)}
    if not asked:
        return
    with st.container(border=True, key="missing-tests"):
        st.subheader("Missing tests", anchor=False)
        chosen = st.segmented_control(
            "Test conditions of",
            list(asked),
            format_func=lambda text: plain(asked[text].name),
            default=next(iter(asked)),
            required=True,
            key=f"missing-{','.join(asked)}",
        )
        _of_criterion(measurement_id, found, asked[chosen])


def _of_criterion(measurement_id: str, found: StoredMeasurement, criterion: MeasuredCriterion) -> None:
    left = (criterion.total or 0) - criterion.covered
    more = " That is an upper bound, since the search left something out." if criterion.bounds else ""
    of = f"of {counted(criterion.total or 0, 'test condition')} of {plain(criterion.name)}"
    st.markdown(f"**{left:,}** {of} {'is' if left == 1 else 'are'} not covered by {plain(found.spec.suite)}.{more}")
    begun = _together(found, criterion)
    file = file_of(measurement_id, OPEN)
    if not left:
        return
    if not file.exists():
        st.caption(NO_LIST)
        return
    button = st.container()
    try:
        rows = _listed(found, criterion, _rows(str(file), file.stat().st_mtime_ns, criterion))
    except DnncovError as error:
        say_error(error)
        return
    campaign_bar(found, criterion, rows, button, begun=begun)


@st.cache_resource(max_entries=8, show_spinner=False)
def _rows(file: str, stamp: int, criterion: MeasuredCriterion) -> IntArray:
    """The list of one criterion; ``stamp`` tells its file from one of the same name."""
    return load_list(Path(file), criterion)


def _listed(found: StoredMeasurement, criterion: MeasuredCriterion, rows: IntArray) -> IntArray:
    """The list, to be looked through and downloaded; what is chosen of it."""
    with st.expander("List, to look through and to choose from", icon=":material/list:"):
        rows = _chosen(criterion, rows)
        with paged(f"missing-page-{criterion.text}-{len(rows)}", len(rows), PER_PAGE) as part:
            shown = [_row(found, *row) for row in rows[part].tolist()]
            st.dataframe(shown, hide_index=True, alt="Test conditions that are not covered")
        st.download_button(
            f"These {len(rows):,} (CSV)",
            partial(_table, found, criterion, rows),
            f"{plain(found.spec.network)}-{criterion.key}-open.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            help="For a spreadsheet, and for dnncov run --conditions.",
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
    modules = f"{found.layers.get(k, '')} → {found.layers.get(layer, '')}"
    pair = layer_pair((k, layer))
    return {"Ordinal": ordinal, "Layer pair": pair, "Modules": modules, "Condition": condition, "Decision": str(j)}


def _table(found: StoredMeasurement, criterion: MeasuredCriterion, rows: IntArray) -> str:
    file = io.StringIO(newline="")
    write_table(file, found, {criterion.text: rows})
    return file.getvalue()


def _together(found: StoredMeasurement, criterion: MeasuredCriterion) -> bool:
    """Suite, tests and both together, of the newest campaigns for what is open here; whether there is one."""
    files = campaigns()
    specs = {each: spec for each in files if (spec := spec_of(each, files)) is not None}
    own = [each for each, spec in specs.items() if is_about(spec, found, criterion)]
    for campaign_id in own[:MOST_SHOWN]:
        with open_campaign(campaign_id) as store, store.at_one_moment():
            both, state = suite_and_tests(store.spec(), coverage_table(store).total), store.state()
        assert both is not None
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            badge(state)
            link("run", "Open the campaign", {CAMPAIGN: campaign_id}, words=plain(label(campaign_id)))
            link("examples", "See and download its tests", {CAMPAIGN: campaign_id})
            st.markdown(plain(both.words))
    return bool(own)
