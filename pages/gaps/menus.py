"""Menus that choose a test condition: by its layer pair, its channels and neurons or features, or its ordinal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from dnncov_core.campaign.file.conditions import LayerPairMatrix
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.figures.style import layer_pair
from dnncov_core.partitions import Feature
from dnncov_core.phrases.neurons import has_places, neuron_words, place_words, places_of
from dnncov_core.records import LayerInfo
from dnncov_core.statistics.gaps import GapTable, layer_pair_matrix
from dnncov_core.types import Edge
from pages.gaps.choice import choose, first_of, say_unknown, unknown
from pages.shared import address
from pages.shared.words import help_of

MOST_CHOICES = 2000
"""Features that a menu offers; more would make it slow."""


@dataclass(frozen=True)
class _Side:
    """The condition features or the decision features of a layer pair, as a menu offers them.

    Attributes:
        name: condition or decision.
        layer: whose features they are.
        feature: makes one from its place among those of the layer.
        places: of the features that the campaign asks about.
        chosen: the place of the one that is shown.
        choose: shows another one.
        key: of the menu.
    """

    name: str
    layer: LayerInfo
    feature: Callable[[int], Feature]
    places: Sequence[int]
    chosen: int
    choose: Callable[[int], None]
    key: str

    @property
    def single(self) -> bool:
        """Whether the features are single neurons."""
        feature = self.feature(self.chosen)
        return feature.most is None and len(feature.neurons) == 1

    def by_channel(self) -> dict[int, list[int]]:
        """The places of single neurons by their channels."""
        found: dict[int, list[int]] = {}
        of = places_of(self.layer, self.places)["channel"].tolist()
        for channel, place in zip(of, self.places, strict=True):
            found.setdefault(channel, []).append(place)
        return found


def menus(store: CampaignStore, table: GapTable, edge: Edge, ordinal: int) -> None:
    """Menus that show the test condition with this ordinal, and choose another one."""
    campaign_id = store.path.stem
    with st.grid(4, min_column_width=130):
        st.selectbox(
            "Layer pair",
            list(table.rows),
            format_func=layer_pair,
            help=help_of("Layer pair", "Condition layer → decision layer."),
            **address.bound(f"gaps-edge-{campaign_id}", edge, partial(_choose_edge, campaign_id)),
        )
        left_out = [_features(side) for side in _sides(store, edge, ordinal)]
        st.number_input(
            "Ordinal",
            step=1,
            help="The number of a test condition, as the table and the command dnncov have it.",
            **address.bound(f"gaps-ordinal-{campaign_id}", ordinal, partial(_choose_ordinal, campaign_id)),
        )
    for words in filter(None, left_out):
        st.caption(words)
    say_unknown()


def _sides(store: CampaignStore, edge: Edge, ordinal: int) -> tuple[_Side, _Side]:
    campaign_id, card, grid = store.path.stem, store.card(), layer_pair_matrix(store, edge)
    assert card is not None
    pairs, (i, j) = store.spec().feature_pairs(card), grid.place(ordinal)
    condition = _Side(
        "condition",
        card.layer(edge[0]),
        lambda row: pairs[grid.ordinal(row, 0)].condition,
        store.conditions.matrix_rows(grid),
        i,
        partial(_choose_row, campaign_id, grid),
        f"gaps-condition-{edge}-{campaign_id}",
    )
    decision = _Side(
        "decision",
        card.layer(edge[1]),
        lambda column: pairs[grid.ordinal(0, column)].decision,
        store.conditions.matrix_columns(grid, i),
        j,
        lambda column: choose(campaign_id, grid.ordinal(i, column)),
        f"gaps-decision-{edge}-{i}-{campaign_id}",
    )
    return condition, decision


def _features(side: _Side) -> str:
    """A menu of features, after one of channels where neurons have these; what it leaves out, in words."""
    places, layer, of_channel = side.places, side.layer, ""
    if side.single and has_places(layer):
        channels, channel = side.by_channel(), int(places_of(layer, [side.chosen])["channel"][0])
        places, of_channel = channels[channel], f"channel {channel}, "
        st.selectbox(
            f"{side.name.capitalize()} channel",
            list(channels),
            help=f"Channels of layer {layer.index} with neurons that the campaign asks about.",
            **address.bound(
                f"{side.key}-channel", channel, lambda key: side.choose(channels[st.session_state[key]][0])
            ),
        )
    st.selectbox(
        f"{side.name.capitalize()} {'neuron' if side.single else 'feature'}",
        list(dict.fromkeys([*places[:MOST_CHOICES], side.chosen])),
        format_func=lambda place: _feature(side.feature(place), place, layer).removeprefix(of_channel),
        help=help_of(
            "Feature", f"{side.name.capitalize()} features of layer {layer.index} that the campaign asks about."
        ),
        **address.bound(side.key, side.chosen, lambda key: side.choose(st.session_state[key])),
    )
    if len(places) <= MOST_CHOICES:
        return ""
    return (
        f"The menu has the first {MOST_CHOICES:,} of {len(places):,} features of layer {layer.index} that the"
        " campaign asks about. Choose others by ordinal, in the matrix, or in the table."
    )


def _feature(feature: Feature, place: int, layer: LayerInfo) -> str:
    """A feature's name in menus.

    >>> dense = LayerInfo(2, "", "relu", 10, (10,))
    >>> _feature(Feature(2, (7,)), 7, dense), _feature(Feature(2, (4, 5, 6)), 2, dense)
    ('7', '2: neurons 4 to 6')
    >>> _feature(Feature(2, (), 3), 0, dense), _feature(Feature(2, (5,)), 5, LayerInfo(2, "", "relu", 8, (2, 2, 2)))
    ('any 1 to 3 neurons', 'channel 1, row 0, column 1 (neuron 5)')
    """
    if feature.most is not None:
        return "any 1 neuron" if feature.most == 1 else f"any 1 to {feature.most:,} neurons"
    if len(feature.neurons) == 1 or place_words(layer, feature.neurons):
        return neuron_words(layer, feature.neurons)
    return f"{place}: neurons {feature.neurons[0]} to {feature.neurons[-1]}"


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
