"""Neurons and features by name: of layers with channels, where in the layer a neuron is, with its number beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dnncov_core.records import LayerInfo

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


def channels_of(layer: LayerInfo, neurons: Sequence[int]) -> list[int]:
    """The channel of each of these neurons of a layer with places.

    >>> channels_of(LayerInfo(3, "", "relu", 2048, (8, 16, 16)), [1210, 3])
    [4, 0]
    """
    at = np.unravel_index(np.array(neurons, np.int64), layer.shape)
    channels: list[int] = at[AXES[len(layer.shape), layer.channels_last].index("channel")].tolist()
    return channels


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
    at = np.stack(np.unravel_index(np.array(neurons), layer.shape))
    low, high = at.min(axis=1).tolist(), at.max(axis=1).tolist()
    if math.prod(b - a + 1 for a, b in zip(low, high, strict=True)) != len(set(neurons)):
        return ""
    names = AXES[len(layer.shape), layer.channels_last]
    axes = sorted(zip(names, low, high, layer.shape, strict=True), key=lambda axis: axis[0] != "channel")
    whole = len(neurons) > 1
    return ", ".join(
        f"{name} {a}" if a == b else f"{name}s {a} to {b}"
        for name, a, b, size in axes
        if not (whole and size > 1 and b - a + 1 == size) or name == "channel"
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
