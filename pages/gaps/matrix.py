"""The matrix of one layer pair: which test conditions are covered, and which one the page shows."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.campaign.file.conditions import ConditionRecord, LayerPairMatrix
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.figures.style import layer_pair
from dnncov_core.statistics import GapTable, gap_matrix, grid_of
from dnncov_core.types import Edge
from pages.gaps.choice import choose, menus, shown
from pages.shared.charts import chart
from pages.shared.downloads import export_page, of_campaign_now
from pages.shared.links import EXAMPLES, link, pairs_of, to_gallery


def matrix_and_choice(store: CampaignStore, table: GapTable) -> ConditionRecord:
    """The matrix of a layer pair, and the test condition chosen in it, in its menus, in the table, or by address."""
    st.subheader("By layer pair", anchor=False)
    condition = shown(store, table)
    menus(store, table, condition)
    edge = condition.target.edge
    matrix, grid = gap_matrix(store, edge), grid_of(store, edge)
    blocks = f" in blocks of {matrix.block[0]} by {matrix.block[1]}" if matrix.aggregated else ""
    key, provenance = f"gaps-matrix-{store.path.stem}-{edge}", of_campaign(store)
    place = grid.place(condition.target.ordinal)
    drawn = chart(
        exhibit("gaps", matrix, provenance, part=f"{edge[0]}-{edge[1]}"),
        on_page={"shown": place},
        key=key,
        alt=f"Matrix: status of the test conditions of layers {layer_pair(edge)}, by condition and decision"
        f" feature{blocks}; a click on a cell shows its condition below",
        on_select=partial(_clicked, store.path.stem, grid, matrix.block, key),
    )
    _to_its_pairs(store, table, edge)
    export_page("gaps", provenance, lambda: [drawn, *of_campaign_now(provenance.id, "conditions")])
    return condition


def _to_its_pairs(store: CampaignStore, table: GapTable, edge: Edge) -> None:
    n = table.rows[edge].covered.n
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        label = f"Test pairs of layers {layer_pair(edge)}: {n:,}"
        address = to_gallery(store.path.stem, pairs_of([edge])) if n else None
        link(EXAMPLES, label, ":material/image_search:", address)
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
