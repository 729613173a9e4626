"""Menus that choose a test condition: by its layer pair, its channels and neurons or features, or its ordinal."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.campaign.file.conditions import LayerPairMatrix
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.figures.style import layer_pair
from dnncov_core.statistics.gaps import GapTable, layer_pair_matrix
from dnncov_core.types import Edge
from pages.gaps.choice import choose, first_of, say_unknown, unknown
from pages.gaps.feature_menu import feature_menu
from pages.shared import address
from pages.shared.words import help_of


def menus(store: CampaignStore, table: GapTable, edge: Edge, ordinal: int) -> None:
    """Menus that show the test condition with this ordinal, and choose another one."""
    campaign_id, card, grid = store.path.stem, store.card(), layer_pair_matrix(store, edge)
    assert card is not None
    pairs, (i, j) = store.spec().feature_pairs(card), grid.place(ordinal)
    with st.grid(4, min_column_width=130):
        st.selectbox(
            "Layer pair",
            list(table.rows),
            format_func=layer_pair,
            help=help_of("Layer pair", "Condition layer → decision layer."),
            **address.bound(f"gaps-edge-{campaign_id}", edge, partial(_choose_edge, campaign_id)),
        )
        conditions = feature_menu(
            card.layer(edge[0]),
            store.conditions.matrix_rows(grid),
            i,
            name="Condition",
            feature=lambda row: pairs[grid.ordinal(row, 0)].condition,
            show=partial(_choose_row, campaign_id, grid),
            key=f"gaps-condition-{edge}-{campaign_id}",
        )
        decisions = feature_menu(
            card.layer(edge[1]),
            store.conditions.matrix_columns(grid, i),
            j,
            name="Decision",
            feature=lambda column: pairs[grid.ordinal(0, column)].decision,
            show=lambda column: choose(campaign_id, grid.ordinal(i, column)),
            key=f"gaps-decision-{edge}-{i}-{campaign_id}",
        )
        st.number_input(
            "Ordinal",
            step=1,
            help=help_of("Ordinal", "The number of a test condition, as the table and the command dnncov have it."),
            **address.bound(f"gaps-ordinal-{campaign_id}", ordinal, partial(_choose_ordinal, campaign_id)),
        )
    for words in filter(None, (conditions, decisions)):
        st.caption(words)
    say_unknown()


def _choose_edge(campaign_id: str, key: str) -> None:
    with open_campaign(campaign_id) as store:
        first = first_of(store, st.session_state[key])
    choose(campaign_id, first.target.ordinal)


def _choose_row(campaign_id: str, grid: LayerPairMatrix, row: int) -> None:
    with open_campaign(campaign_id) as store:
        column = store.conditions.matrix_columns(grid, row)[0]
    choose(campaign_id, grid.ordinal(row, column))


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
        unknown(str(ordinal))
