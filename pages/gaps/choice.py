"""Which test condition Gaps shows: the one of the address, of the menus, or of the matrix of a layer pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from dnncov_core.campaign.file.conditions import OPEN, ConditionRecord, LayerPairMatrix, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.features import FeaturePairs
from dnncov_core.figures.style import layer_pair
from dnncov_core.statistics.gaps import GapTable, gap_matrix, grid_of
from dnncov_core.types import Edge
from pages.shared import address
from pages.shared.campaigns import PARAMETER
from pages.shared.charts import chart
from pages.shared.downloads import export_page, of_campaign_now
from pages.shared.gallery import LAYERS
from pages.shared.links import CONDITION, EXAMPLES, link, pairs_of, to_condition, to_gallery

MOST_CHOICES = 2000
"""Features that a menu offers; more would make it slow."""
_UNKNOWN = "gaps-unknown"


def choose(campaign_id: str, ordinal: int) -> None:
    """Makes a test condition the one that the page shows, and that its address names."""
    st.session_state[_key(campaign_id)] = ordinal
    address.say(to_condition(campaign_id, ordinal))


def condition_shown(store: CampaignStore, table: GapTable) -> ConditionRecord:
    """The test condition that is shown, of a campaign that has some.

    To begin with, it is the first open one of the layer pair that has most of them.
    """
    campaign_id, asked = store.path.stem, address.asked()
    if asked.get(PARAMETER, campaign_id) != campaign_id:
        asked = {}
    edge = next((edge for edge in table.rows if "-".join(map(str, edge)) == asked.get(LAYERS)), None)
    last = "" if edge or address.returns() else str(st.session_state.get(_key(campaign_id), ""))
    named = asked.get(CONDITION, last)
    found = store.conditions.one(int(named)) if named.isdecimal() and len(named) < 20 else None
    if found is None:
        if named:
            st.session_state[_UNKNOWN] = named
        found = _first(store, edge or max(table.rows, key=lambda edge: table.rows[edge].open))
    choose(campaign_id, found.target.ordinal)
    return found


def _key(campaign_id: str) -> str:
    return f"gaps-condition-{campaign_id}"


def _first(store: CampaignStore, edge: Edge) -> ConditionRecord:
    """The first open condition of a layer pair; its first of all where none is open."""
    open_ones = store.conditions.page(edge=edge, statuses=OPEN, limit=1)
    return (open_ones or store.conditions.page(edge=edge, statuses=tuple(Status), limit=1))[0]


def menus(store: CampaignStore, table: GapTable, condition: ConditionRecord) -> None:
    """What leads to another condition: its layer pair, its features, or its ordinal."""
    campaign_id, edge = store.path.stem, condition.target.edge
    card = store.card()
    assert card is not None
    grid, pairs = grid_of(store, edge), store.spec().feature_pairs(card)
    i, j = grid.place(condition.target.ordinal)
    rows, columns = store.conditions.matrix_rows(grid), store.conditions.matrix_columns(grid, i)
    first, second, third, fourth = st.columns(4, vertical_alignment="bottom")
    with first:
        st.selectbox(
            "Layer pair",
            list(table.rows),
            format_func=layer_pair,
            help="Condition layer → decision layer.",
            **address.bound(f"gaps-edge-{campaign_id}", edge, partial(_to_edge, campaign_id)),
        )
    with second:
        _menu(store, "Condition", rows, i, partial(_to_row, campaign_id, grid), (grid, pairs, edge, None))
    with third:
        _menu(store, "Decision", columns, j, partial(_to_column, campaign_id, grid, i), (grid, pairs, edge, i))
    with fourth:
        st.number_input(
            "Ordinal",
            step=1,
            help="The number of a test condition, as the table and the command dnncov have it.",
            **address.bound(f"gaps-ordinal-{campaign_id}", condition.target.ordinal, partial(_to_ordinal, campaign_id)),
        )
    _left_out(rows, columns, edge)
    if unknown := st.session_state.pop(_UNKNOWN, ""):
        st.warning(f"This campaign asks about no test condition {unknown[:20]!r}.", icon=":material/help:")


def _menu(
    store: CampaignStore,
    side: str,
    asked: Sequence[int],
    place: int,
    then: Callable[[str], None],
    where: tuple[LayerPairMatrix, FeaturePairs, Edge, int | None],
) -> None:
    grid, pairs, edge, row = where

    def name(place: int) -> str:
        pair = pairs[grid.first + (place * grid.width if row is None else place)]
        feature = pair.condition if row is None else pair.decision
        return _feature(feature.neurons, place, feature.most)

    offered = list(asked[:MOST_CHOICES])
    if place not in offered:
        offered.append(place)
    st.selectbox(
        f"{side} {'neuron' if store.spec().feature_mode == 'neuron' else 'feature'}",
        offered,
        format_func=name,
        help=f"{side} features of layer {edge[0 if row is None else 1]} that the campaign asks about.",
        **address.bound(f"gaps-{side}-{store.path.stem}-{edge}-{row}", place, then),
    )


def _left_out(rows: Sequence[int], columns: Sequence[int], edge: Edge) -> None:
    for layer, asked in zip(edge, (rows, columns), strict=True):
        if len(asked) > MOST_CHOICES:
            st.caption(
                f"The menu has the first {MOST_CHOICES:,} of {len(asked):,} features of layer {layer} that the campaign"
                " asks about. Choose others by ordinal, in the matrix, or in the table."
            )


def _feature(neurons: tuple[int, ...], place: int, most: int | None) -> str:
    """A feature's name in menus.

    >>> _feature((7,), 7, None), _feature((4, 5, 6), 2, None), _feature((), 0, 3)
    ('7', '2: neurons 4 to 6', 'any 1 to 3 neurons')
    """
    if most is not None:
        return f"any 1 to {most:,} neurons"
    return str(neurons[0]) if len(neurons) == 1 else f"{place}: neurons {neurons[0]} to {neurons[-1]}"


def _to_edge(campaign_id: str, key: str) -> None:
    with open_campaign(campaign_id) as store:
        choose(campaign_id, _first(store, st.session_state[key]).target.ordinal)


def _to_row(campaign_id: str, grid: LayerPairMatrix, key: str) -> None:
    row = st.session_state[key]
    with open_campaign(campaign_id) as store:
        choose(campaign_id, grid.ordinal(row, store.conditions.matrix_columns(grid, row)[0]))


def _to_column(campaign_id: str, grid: LayerPairMatrix, row: int, key: str) -> None:
    choose(campaign_id, grid.ordinal(row, st.session_state[key]))


def _to_ordinal(campaign_id: str, key: str) -> None:
    ordinal = st.session_state[key]
    with open_campaign(campaign_id) as store:
        known = ordinal is not None and store.conditions.one(ordinal) is not None
    if known:
        choose(campaign_id, ordinal)
    elif ordinal is not None:
        st.session_state[_UNKNOWN] = str(ordinal)


def matrix_and_choice(store: CampaignStore, table: GapTable) -> ConditionRecord:
    """The matrix of a layer pair, and the test condition chosen in it, in its menus, in the table, or by address."""
    st.subheader("By layer pair", anchor=False)
    condition = condition_shown(store, table)
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
