"""The matrix of the layer pair of the test condition that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from dnncov_core.campaign.file.conditions import OPEN, ConditionRecord, LayerPairMatrix
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.figures.decision_map import places
from dnncov_core.figures.style import INK, layer_pair
from dnncov_core.records import Target
from dnncov_core.statistics.decision_map import DecisionMap, decision_map, has_map
from dnncov_core.statistics.gaps import GapMatrix, GapTable, gap_matrix, layer_pair_matrix
from dnncov_core.types import Edge
from pages.gaps.choice import choose
from pages.gaps.menus import menus
from pages.shared.charts import TEXT, chart
from pages.shared.downloads import export_page, of_campaign_now
from pages.shared.frame import theme
from pages.shared.links import pairs_of, to_gallery
from pages.shared.page_registry import link


def matrix_and_choice(store: CampaignStore, table: GapTable, condition: ConditionRecord) -> None:
    """The matrix or map of the layer pair of a test condition, and menus that choose another one."""
    st.subheader("By layer pair", anchor=False)
    edge, provenance = condition.target.edge, of_campaign(store)
    menus(store, table, edge, condition.target.ordinal)
    if store.spec().feature_mode != "free":
        _matrix(store, edge, condition.target.ordinal)
    if has_map(store, edge):
        _map(store, edge, condition.target)
    _to_its_pairs(store, table, edge)
    kinds = ["gaps"] * (store.spec().feature_mode != "free")
    kinds += ["decisions"] * any(has_map(store, each) for each in table.rows)
    kinds += ["justification-history"] * bool(store.justifications.history())
    export_page("gaps", provenance, lambda: of_campaign_now(provenance.id, *kinds, "conditions"))


def _matrix(store: CampaignStore, edge: Edge, ordinal: int) -> None:
    matrix, grid, key = gap_matrix(store, edge), layer_pair_matrix(store, edge), f"gaps-matrix-{store.path.stem}-{edge}"
    blocks = f" in blocks of {matrix.block[0]} by {matrix.block[1]}" if matrix.aggregated else ""
    chart(
        exhibit("gaps", matrix, of_campaign(store), part=f"{edge[0]}-{edge[1]}"),
        on_page={"shown": grid.place(ordinal), "frame": TEXT.get(theme(), INK)},
        key=key,
        alt=f"Matrix: status of the test conditions of layers {layer_pair(edge)}, by condition and decision"
        f" feature{blocks}; a click on a cell shows its condition below",
        on_select=partial(_clicked, store.path.stem, grid, matrix, key),
    )


def _map(store: CampaignStore, edge: Edge, target: Target) -> None:
    table, grid, key = decision_map(store, edge), layer_pair_matrix(store, edge), f"gaps-map-{store.path.stem}-{edge}"
    chart(
        exhibit("decisions", table, of_campaign(store), part=f"{edge[0]}-{edge[1]}"),
        on_page={"shown": target.decision_neurons[0], "frame": TEXT.get(theme(), INK)},
        key=key,
        alt=f"Map: decision neurons of layer {edge[1]} by channel, row and column, strong where test conditions are"
        " open; a click on a cell shows one below",
        on_select=partial(_clicked_on_map, store.path.stem, grid, table, key),
    )


def _to_its_pairs(store: CampaignStore, table: GapTable, edge: Edge) -> None:
    n = table.rows[edge].covered.n
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        label = f"Test pairs of layers {layer_pair(edge)}: {n:,}"
        link("examples", label, to_gallery(store.path.stem, pairs_of([edge])), disabled=not n)
        st.caption(
            "A click on a cell shows its test condition below, with its test pair if it is covered.", width="stretch"
        )


def _clicked(campaign_id: str, grid: LayerPairMatrix, matrix: GapMatrix, key: str) -> None:
    """Shows the condition of the cell that was clicked; of a block of them the first open one, or the first."""
    points = st.session_state[key].selection.points
    if not points:
        return
    i, j = (
        int(points[0][letter] // step) * size
        for letter, step, size in zip("yx", matrix.steps, matrix.block, strict=True)
    )
    _choose_first(campaign_id, grid, range(i, i + matrix.block[0]), [range(j, j + matrix.block[1])])


def _clicked_on_map(campaign_id: str, grid: LayerPairMatrix, table: DecisionMap, key: str) -> None:
    """Shows a condition whose decision neuron is in the cell that was clicked, an open one if there is any."""
    points = st.session_state[key].selection.points
    if points:
        y, x = places(table)
        (cell,) = np.flatnonzero((y == points[0]["y"]) & (x == points[0]["x"]))
        neurons = [range(n, n + 1) for n in table.neurons_at(int(cell)).tolist()]
        _choose_first(campaign_id, grid, range(grid.pairs // grid.width), neurons)


def _choose_first(campaign_id: str, grid: LayerPairMatrix, rows: range, columns: Sequence[range]) -> None:
    """Chooses the first open condition of these rows and columns of the matrix, or the first."""
    with open_campaign(campaign_id) as store:
        found = [store.conditions.first_of_block(grid, rows, some) for some in columns]
        known = [each for n in found if n is not None and (each := store.conditions.one(n)) is not None]
    if known:
        first = min(known, key=lambda each: (each.status not in OPEN, each.target.ordinal))
        choose(campaign_id, first.target.ordinal)
