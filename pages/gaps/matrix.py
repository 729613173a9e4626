"""The matrix of the layer pair of the test condition that is shown."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.campaign.file.conditions import ConditionRecord, LayerPairMatrix
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.figures.style import layer_pair
from dnncov_core.statistics.gaps import GapTable, gap_matrix, layer_pair_matrix
from dnncov_core.types import Edge
from pages.gaps.choice import choose
from pages.gaps.menus import menus
from pages.shared.charts import chart
from pages.shared.downloads import export_page, of_campaign_now
from pages.shared.links import pairs_of, to_gallery
from pages.shared.page_registry import link


def matrix_and_choice(store: CampaignStore, table: GapTable, condition: ConditionRecord) -> None:
    """The matrix of the layer pair of a test condition, and menus that choose another one."""
    st.subheader("By layer pair", anchor=False)
    edge = condition.target.edge
    menus(store, table, edge, condition.target.ordinal)
    matrix, grid = gap_matrix(store, edge), layer_pair_matrix(store, edge)
    blocks = f" in blocks of {matrix.block[0]} by {matrix.block[1]}" if matrix.aggregated else ""
    key, provenance = f"gaps-matrix-{store.path.stem}-{edge}", of_campaign(store)
    place = grid.place(condition.target.ordinal)
    chart(
        exhibit("gaps", matrix, provenance, part=f"{edge[0]}-{edge[1]}"),
        on_page={"shown": place},
        key=key,
        alt=f"Matrix: status of the test conditions of layers {layer_pair(edge)}, by condition and decision"
        f" feature{blocks}; a click on a cell shows its condition below",
        on_select=partial(_clicked, store.path.stem, grid, matrix.block, key),
    )
    _to_its_pairs(store, table, edge)
    export_page("gaps", provenance, lambda: of_campaign_now(provenance.id, "gaps", "conditions"))


def _to_its_pairs(store: CampaignStore, table: GapTable, edge: Edge) -> None:
    n = table.rows[edge].covered.n
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        label = f"Test pairs of layers {layer_pair(edge)}: {n:,}"
        link("examples", label, to_gallery(store.path.stem, pairs_of([edge])), disabled=not n)
        st.caption(
            "A click on a cell shows its test condition below, with its test pair if it is covered.", width="stretch"
        )


def _clicked(campaign_id: str, grid: LayerPairMatrix, block: tuple[int, int], key: str) -> None:
    """Shows the condition of the cell that was clicked; of a block of them the first open one, or the first."""
    points = st.session_state[key].selection.points
    if not points:
        return
    i, j = points[0]["customdata"]
    with open_campaign(campaign_id) as store:
        ordinal = store.conditions.first_of_block(grid, range(i, i + block[0]), range(j, j + block[1]))
    if ordinal is not None:
        choose(campaign_id, ordinal)
