"""Neurons and features by name: of layers with channels, where in the layer a neuron is, with its number beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dnncov_core.records import LayerInfo
from dnncov_core.types import IntArray

AXES: Mapping[tuple[int, bool], tuple[str, ...]] = {
    (2, False): ("channel", "position"),
    (3, False): ("channel", "row", "column"),
    (4, False): ("channel", "slice", "row", "column"),
    (2, True): ("token", "channel"),
    (3, True): ("row", "column", "channel"),
}
"""What the axes of a layer's shape are, by their number and whether channels come last; of others, nothing is known."""
MOST_NAMED = 6
"""Neurons of a feature that are named; of the others it is said how many there are."""


def has_places(layer: LayerInfo) -> bool:
    """Whether neurons of a layer are named by their places in it."""
    return (len(layer.shape), layer.channels_last) in AXES


def places_of(layer: LayerInfo, neurons: Sequence[int] | IntArray) -> dict[str, IntArray]:
    """Where in a layer with places these neurons are, by the names of its axes, of which the channel comes first.

    >>> places_of(LayerInfo(3, "", "relu", 2048, (8, 16, 16)), [1210, 3])["channel"].tolist()
    [4, 0]
    """
    names = AXES[len(layer.shape), layer.channels_last]
    at = dict(zip(names, np.unravel_index(np.asarray(neurons, np.int64), layer.shape), strict=True))
    return {"channel": at.pop("channel"), **at}


def channel_neurons(layer: LayerInfo, channel: int) -> range:
    """The neurons of one channel; none where a layer has no channels, or not this one.

    >>> channel_neurons(LayerInfo(3, "", "relu", 24, (4, 2, 3)), 2)
    range(12, 18)
    >>> channel_neurons(LayerInfo(3, "", "gelu", 15, (5, 3), channels_last=True), 1)
    range(1, 15, 3)
    """
    n = dict(zip(AXES.get((len(layer.shape), layer.channels_last), ()), layer.shape, strict=False)).get("channel", 0)
    if channel >= n:
        return range(0)
    if layer.channels_last:
        return range(channel, layer.neurons, n)
    return range(channel * (layer.neurons // n), (channel + 1) * (layer.neurons // n))


def place_words(layer: LayerInfo, neurons: Sequence[int]) -> str:
    """Where in its layer a neuron is, or several that fill a box of it; empty where that cannot be said.

    >>> convolution = LayerInfo(3, "", "relu", 2048, (8, 16, 16))
    >>> place_words(convolution, [1210]), place_words(convolution, [0, 1, 16, 17])
    ('channel 4, row 11, column 10', 'channel 0, rows 0 to 1, columns 0 to 1')
    >>> place_words(convolution, range(256)), place_words(convolution, [0, 300]), place_words(convolution, [])
    ('channel 0', '', '')
    >>> place_words(LayerInfo(4, "", "gelu", 640, (10, 64), channels_last=True), [130])
    'channel 2, token 2'
    """
    if not has_places(layer) or not neurons:
        return ""
    ends = {name: (int(at.min()), int(at.max())) for name, at in places_of(layer, neurons).items()}
    if math.prod(last - first + 1 for first, last in ends.values()) != len(set(neurons)):
        return ""
    sizes = dict(zip(AXES[len(layer.shape), layer.channels_last], layer.shape, strict=True))
    return ", ".join(
        f"{name} {first}" if first == last else f"{name}s {first} to {last}"
        for name, (first, last) in ends.items()
        if name == "channel" or len(neurons) == 1 or last - first + 1 < sizes[name]
    )


def neuron_words(layer: LayerInfo, neurons: Sequence[int], most: int | None = None) -> str:
    """The neurons of a feature; one that is free has at most ``most``, whichever these are.

    >>> dense, convolution = LayerInfo(2, "", "relu", 10, (10,)), LayerInfo(3, "", "relu", 2048, (8, 16, 16))
    >>> neuron_words(dense, (3, 4)), neuron_words(dense, tuple(range(9))), neuron_words(dense, (), 5)
    ('3, 4', '0, 1, 2, 3, 4, 5, … 9 in all', 'any 1 to 5')
    >>> neuron_words(convolution, (1210,)), neuron_words(convolution, tuple(range(256, 512)))
    ('channel 4, row 11, column 10 (neuron 1210)', 'channel 1 (256 neurons)')
    """
    if most is not None:
        return "any 1" if most == 1 else f"any 1 to {most:,}"
    if where := place_words(layer, neurons):
        beside = f"neuron {neurons[0]}" if len(neurons) == 1 else f"{len(neurons):,} neurons"
        return f"{where} ({beside})"
    rest = f", … {len(neurons)} in all" if len(neurons) > MOST_NAMED else ""
    return ", ".join(map(str, neurons[:MOST_NAMED])) + rest


def neuron_name(layer: LayerInfo, neuron: int) -> str:
    """One neuron in words.

    >>> neuron_name(LayerInfo(2, "", "relu", 10, (10,)), 7)
    'neuron 7'
    """
    words = neuron_words(layer, (neuron,))
    return words if has_places(layer) else f"neuron {words}"


def feature_words(layer: LayerInfo, neurons: Sequence[int], most: int | None = None) -> str:
    """A feature with its layer.

    >>> dense, convolution = LayerInfo(2, "", "relu", 10, (10,)), LayerInfo(3, "", "relu", 2048, (8, 16, 16))
    >>> feature_words(dense, (3, 4)), feature_words(dense, (), 5)
    ('layer 2, neurons 3, 4', 'layer 2, any 1 to 5 neurons')
    >>> feature_words(convolution, (1210,)), feature_words(convolution, (0, 300))
    ('layer 3, channel 4, row 11, column 10 (neuron 1210)', 'layer 3, neurons 0, 300')
    """
    named = neuron_words(layer, neurons, most)
    if most is not None:
        return f"layer {layer.index}, {named} neuron{'s' * (most != 1)}"
    if place_words(layer, neurons):
        return f"layer {layer.index}, {named}"
    return f"layer {layer.index}, neuron{'s' * (len(neurons) != 1)} {named}"
