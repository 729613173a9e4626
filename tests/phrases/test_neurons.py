"""Names of neurons, against a slow count through the layer."""

from __future__ import annotations

import itertools

import pytest

from dnncov_core.phrases.neurons import AXES, feature_words, neuron_words, place_words, places_of
from dnncov_core.records import LayerInfo

SHAPES = [((3, 5), False), ((2, 3, 4), False), ((2, 2, 3, 2), False), ((5, 3), True), ((3, 4, 2), True)]


@pytest.mark.parametrize(("shape", "channels_last"), SHAPES)
def test_every_neuron_is_named_by_its_place(shape: tuple[int, ...], channels_last: bool) -> None:
    places = list(itertools.product(*map(range, shape)))
    layer = LayerInfo(2, "", "relu", len(places), shape, channels_last=channels_last)
    axes = AXES[len(shape), channels_last]
    for neuron, place in enumerate(places):
        where = dict(zip(axes, place, strict=True))
        first = f"channel {where.pop('channel')}"
        said = ", ".join([first, *(f"{axis} {at}" for axis, at in where.items())])
        assert neuron_words(layer, (neuron,)) == f"{said} (neuron {neuron})"
        assert places_of(layer, [neuron])["channel"].tolist() == [int(first.split()[1])]


def test_a_channel_and_a_window_are_named_as_boxes_and_other_sets_by_number() -> None:
    layer = LayerInfo(2, "", "relu", 32, (2, 4, 4))
    assert neuron_words(layer, tuple(range(16, 32))) == "channel 1 (16 neurons)"
    assert neuron_words(layer, (1, 2, 5, 6)) == "channel 0, rows 0 to 1, columns 1 to 2 (4 neurons)"
    assert neuron_words(layer, (1, 6)) == "1, 6"
    assert feature_words(layer, (1, 6)) == "layer 2, neurons 1, 6"
    assert feature_words(layer, (17,)) == "layer 2, channel 1, row 0, column 1 (neuron 17)"


def test_what_has_no_channels_has_numbers_alone() -> None:
    layer = LayerInfo(2, "", "relu", 10, (10,))
    assert place_words(layer, (3,)) == ""
    assert feature_words(layer, (3,)) == "layer 2, neuron 3"
    assert neuron_words(layer, (), 1) == "any 1"
