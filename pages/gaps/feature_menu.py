"""A menu of the condition or decision features of a layer pair, after one of channels where neurons have these."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dnncov_core.partitions import Feature
from dnncov_core.phrases.neurons import has_places, neuron_words, place_words, places_of
from dnncov_core.records import LayerInfo
from pages.shared import address
from pages.shared.words import help_of

MOST_CHOICES = 2000
"""Features that a menu offers; more would make it slow."""


def feature_menu(
    layer: LayerInfo,
    places: Sequence[int],
    chosen: int,
    *,
    name: str,
    feature: Callable[[int], Feature],
    show: Callable[[int], None],
    key: str,
) -> str:
    """A menu of features, after one of channels where neurons have these; what it leaves out, in words.

    Args:
        layer: whose features they are.
        places: of the features that the campaign asks about, among those of the layer.
        chosen: the place of the one that is shown.
        name: Condition or Decision.
        feature: makes one from its place.
        show: shows the one at a place.
        key: of the menu.
    """
    shown, of_channel = feature(chosen), ""
    single = shown.most is None and len(shown.neurons) == 1
    if single and has_places(layer):
        channels = dict(zip(places, places_of(layer, places)["channel"].tolist(), strict=True))
        channel = channels[chosen]
        firsts = {of: place for place, of in reversed(channels.items())}
        st.selectbox(
            f"{name} channel",
            sorted(firsts),
            help=f"Channels of layer {layer.index} with neurons that the campaign asks about.",
            **address.bound(f"{key}-channel", channel, lambda key: show(firsts[st.session_state[key]])),
        )
        places, of_channel = [each for each in places if channels[each] == channel], f"channel {channel}, "
    st.selectbox(
        f"{name} {'neuron' if single else 'feature'}",
        list(dict.fromkeys([*places[:MOST_CHOICES], chosen])),
        format_func=lambda place: _named(feature(place), place, layer).removeprefix(of_channel),
        help=help_of("Feature", f"{name} features of layer {layer.index} that the campaign asks about."),
        **address.bound(key, chosen, lambda key: show(st.session_state[key])),
    )
    if len(places) <= MOST_CHOICES:
        return ""
    return (
        f"The menu has the first {MOST_CHOICES:,} of {len(places):,} features of layer {layer.index} that the"
        " campaign asks about; choose others by ordinal, in the matrix, or in the table."
    )


def _named(feature: Feature, place: int, layer: LayerInfo) -> str:
    """A feature's name in menus.

    >>> dense = LayerInfo(2, "", "relu", 10, (10,))
    >>> _named(Feature(2, (7,)), 7, dense), _named(Feature(2, (4, 5, 6)), 2, dense)
    ('7', '2: neurons 4 to 6')
    >>> _named(Feature(2, (), 3), 0, dense), _named(Feature(2, (5,)), 5, LayerInfo(2, "", "relu", 8, (2, 2, 2)))
    ('any 1 to 3 neurons', 'channel 1, row 0, column 1 (neuron 5)')
    """
    if feature.most is not None:
        return "any 1 neuron" if feature.most == 1 else f"any 1 to {feature.most:,} neurons"
    if len(feature.neurons) == 1 or place_words(layer, feature.neurons):
        return neuron_words(layer, feature.neurons)
    return f"{place}: neurons {feature.neurons[0]} to {feature.neurons[-1]}"
