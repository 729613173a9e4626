"""Which test condition Gaps shows: the one of the address, of the menus, or of the matrix of a layer pair."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dnncov_core.campaign.file.conditions import OPEN, ConditionRecord, LayerPairMatrix, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.figures.style import layer_pair
from dnncov_core.partitions import Feature
from dnncov_core.statistics.gaps import GapTable, gap_matrix, layer_pair_matrix
from dnncov_core.types import Edge
from pages.shared import address
from pages.shared.campaigns import CAMPAIGN
from pages.shared.charts import chart
from pages.shared.downloads import export_page, of_campaign_now
from pages.shared.gallery import LAYERS
from pages.shared.links import CONDITION, pairs_of, to_condition, to_gallery
from pages.shared.page_registry import link
from pages.shared.words import plain

MOST_CHOICES = 2000
"""Features that a menu offers; more would make it slow."""
_UNKNOWN = "gaps-unknown"


def choose(campaign_id: str, ordinal: int) -> None:
    """Makes a test condition the one that the page shows, and that its address names."""
    st.session_state[_key(campaign_id)] = ordinal
    address.say(to_condition(campaign_id, ordinal))


def settle_condition(store: CampaignStore, table: GapTable) -> ConditionRecord:
    """Chooses the test condition that is shown, of a campaign that has some: that of the address, or the last one.

    To begin with, it is the first open one of the layer pair that has most of them.
    """
    campaign_id, parameters = store.path.stem, address.parameters()
    if parameters.get(CAMPAIGN, campaign_id) != campaign_id:
        parameters = {}
    edge = next((edge for edge in table.rows if "-".join(map(str, edge)) == parameters.get(LAYERS)), None)
    last = "" if edge or address.returns() else str(st.session_state.get(_key(campaign_id), ""))
    named = parameters.get(CONDITION, last)
    ordinal = address.number(named)
    condition = None if ordinal is None else store.conditions.one(ordinal)
    if condition is None:
        if named:
            st.session_state[_UNKNOWN] = named
        condition = _first(store, edge or max(table.rows, key=lambda edge: table.rows[edge].open))
    choose(campaign_id, condition.target.ordinal)
    return condition


def _key(campaign_id: str) -> str:
    return f"gaps-condition-{campaign_id}"


def _first(store: CampaignStore, edge: Edge) -> ConditionRecord:
    """The first open condition of a layer pair; its first of all where none is open."""
    open_ones = store.conditions.page(edge=edge, statuses=OPEN, limit=1)
    return (open_ones or store.conditions.page(edge=edge, statuses=tuple(Status), limit=1))[0]


def menus(store: CampaignStore, table: GapTable, condition: ConditionRecord) -> None:
    """Menus that choose another condition: by its layer pair, its features, or its ordinal."""
    campaign_id, edge, ordinal = store.path.stem, condition.target.edge, condition.target.ordinal
    card = store.card()
    assert card is not None
    grid, pairs = layer_pair_matrix(store, edge), store.spec().feature_pairs(card)
    i, j = grid.place(ordinal)
    rows, columns = store.conditions.matrix_rows(grid), store.conditions.matrix_columns(grid, i)

    noun = "neuron" if store.spec().feature_mode == "neuron" else "feature"
    with st.grid(4, min_column_width=130):
        st.selectbox(
            "Layer pair",
            list(table.rows),
            format_func=layer_pair,
            help="Condition layer → decision layer.",
            **address.bound(f"gaps-edge-{campaign_id}", edge, partial(_choose_edge, campaign_id)),
        )
        st.selectbox(
            f"Condition {noun}",
            _offered(rows, i),
            format_func=lambda row: _feature(pairs[grid.first + row * grid.width].condition, row),
            help=f"Condition features of layer {edge[0]} that the campaign asks about.",
            **address.bound(f"gaps-condition-{edge}-{campaign_id}", i, partial(_choose_row, campaign_id, grid)),
        )
        st.selectbox(
            f"Decision {noun}",
            _offered(columns, j),
            format_func=lambda column: _feature(pairs[grid.first + column].decision, column),
            help=f"Decision features of layer {edge[1]} that the campaign asks about.",
            **address.bound(
                f"gaps-decision-{edge}-{i}-{campaign_id}", j, partial(_choose_column, campaign_id, grid, i)
            ),
        )
        st.number_input(
            "Ordinal",
            step=1,
            help="The number of a test condition, as the table and the command dnncov have it.",
            **address.bound(f"gaps-ordinal-{campaign_id}", ordinal, partial(_choose_ordinal, campaign_id)),
        )
    _left_out(rows, columns, edge)
    if unknown := st.session_state.pop(_UNKNOWN, ""):
        st.warning(f"This campaign asks about no test condition {plain(repr(unknown[:20]))}.", icon=":material/help:")


def _choose_edge(campaign_id: str, key: str) -> None:
    with open_campaign(campaign_id) as store:
        first = _first(store, st.session_state[key])
    choose(campaign_id, first.target.ordinal)


def _choose_row(campaign_id: str, grid: LayerPairMatrix, key: str) -> None:
    row = st.session_state[key]
    with open_campaign(campaign_id) as store:
        column = store.conditions.matrix_columns(grid, row)[0]
    choose(campaign_id, grid.ordinal(row, column))


def _choose_column(campaign_id: str, grid: LayerPairMatrix, row: int, key: str) -> None:
    choose(campaign_id, grid.ordinal(row, st.session_state[key]))


def _choose_ordinal(campaign_id: str, key: str) -> None:
    """Chooses the test condition whose number was entered; an emptied field changes nothing."""
    ordinal = st.session_state[key]
    if ordinal is None:
        return
    with open_campaign(campaign_id) as store:
        known = store.conditions.one(ordinal) is not None
    if known:
        choose(campaign_id, ordinal)
    else:
        st.session_state[_UNKNOWN] = str(ordinal)


def _offered(places: Sequence[int], chosen: int) -> list[int]:
    """The first features of many, and the one that is chosen."""
    return list(dict.fromkeys([*places[:MOST_CHOICES], chosen]))


def _left_out(rows: Sequence[int], columns: Sequence[int], edge: Edge) -> None:
    for layer, places in zip(edge, (rows, columns), strict=True):
        if len(places) > MOST_CHOICES:
            st.caption(
                f"The menu has the first {MOST_CHOICES:,} of {len(places):,} features of layer {layer} that the"
                " campaign asks about. Choose others by ordinal, in the matrix, or in the table."
            )


def _feature(feature: Feature, place: int) -> str:
    """A feature's name in menus.

    >>> _feature(Feature(2, (7,)), 7), _feature(Feature(2, (4, 5, 6)), 2), _feature(Feature(2, (), 3), 0)
    ('7', '2: neurons 4 to 6', 'any 1 to 3 neurons')
    """
    if feature.most is not None:
        return "any 1 neuron" if feature.most == 1 else f"any 1 to {feature.most:,} neurons"
    first, last = feature.neurons[0], feature.neurons[-1]
    return str(first) if len(feature.neurons) == 1 else f"{place}: neurons {first} to {last}"


def matrix_and_choice(store: CampaignStore, table: GapTable, condition: ConditionRecord) -> None:
    """The matrix of the layer pair of a test condition, and menus that choose another one."""
    st.subheader("By layer pair", anchor=False)
    menus(store, table, condition)
    edge = condition.target.edge
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
