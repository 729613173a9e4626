"""Feature modes: how a layer of s_k neurons is split into features (the paper's partitions of a layer).

A partition is a sequence of features that are made when asked for, since a layer may have millions of neurons.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar, overload

from dnncov_core.errors import SpecificationError
from dnncov_core.records import LayerInfo
from dnncov_core.types import Edge


@dataclass(frozen=True)
class Feature:
    """A set of neurons of one layer; 0-based indices within the layer.

    A free feature names no neurons: it is whatever set of 1 to ``most`` neurons of the layer changes its sign.
    """

    layer: int
    neurons: tuple[int, ...]
    most: int | None = None


def block_size(neurons: int, omega: float) -> int:
    """The largest feature that omega allows: max(1, floor(omega * s_k))."""
    return max(1, math.floor(Fraction(str(omega)) * neurons))  # exact: 0.29 of 100 neurons are 29


Item = TypeVar("Item")


class Computed(Sequence[Item]):
    """A sequence of ``size`` items, each made by its place when it is asked for."""

    def __init__(self, size: int, made: Callable[[int], Item]) -> None:
        self._size, self._made = size, made

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...

    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        if isinstance(place, slice):
            return [self._made(i) for i in range(self._size)[place]]
        return self._made(range(self._size)[place])


Split = Callable[[LayerInfo, float], Computed[Feature]]


def _singletons(layer: LayerInfo, omega: float) -> Computed[Feature]:
    return Computed(layer.neurons, lambda i: Feature(layer.index, (i,)))


def _blocks(layer: LayerInfo, omega: float) -> Computed[Feature]:
    size = block_size(layer.neurons, omega)

    def block(place: int) -> Feature:
        start = place * size
        return Feature(layer.index, tuple(range(start, min(start + size, layer.neurons))))

    return Computed(-(-layer.neurons // size), block)


def _free(layer: LayerInfo, omega: float) -> Computed[Feature]:
    feature = Feature(layer.index, (), block_size(layer.neurons, omega))
    return Computed(1, lambda place: feature)


def _has_maps(layer: LayerInfo) -> bool:
    return layer.maps is not None


def without_maps(layers: Sequence[LayerInfo], edges: Collection[Edge], k: int) -> SpecificationError:
    """The error for layer ``k``, which has no feature maps; it names the decision layers that can be asked about."""
    refused = {edge[1] for edge in edges if not all(_has_maps(layers[place - 1]) for place in edge)}
    names, layer = [str(each) for each in sorted({edge[1] for edge in edges} - refused)], layers[k - 1]
    others = f"choose decision layers {', '.join(names)} (--layers {','.join(names)}), or " if names else "choose "
    return SpecificationError(
        "layers with feature maps (channels, height, width), or with tokens, for feature mode map",
        f"layer {layer.index} ({layer.name}) of shape {layer.shape}",
        f"{others}another feature mode",
    )


def _windows(layer: LayerInfo, omega: float) -> Computed[Feature]:
    """Whole feature maps where omega allows them, else square windows of them, row by row; the layer has maps.

    A window of tokens is as many neighbouring ones as omega allows.
    """
    assert layer.maps is not None, "the mode does not fit"
    channels, height, width = layer.maps
    most = block_size(layer.neurons, omega)
    square = math.isqrt(most) if len(layer.shape) > 2 else most
    side = max(height, width) if height * width <= most else square
    down, across = -(-height // side), -(-width // side)

    def window(place: int) -> Feature:
        channel, rest = divmod(place, down * across)
        row, column = (side * part for part in divmod(rest, across))
        rows, columns = range(row, min(row + side, height)), range(column, min(column + side, width))
        places = (y * width + x for y in rows for x in columns)
        if layer.channels_last:
            return Feature(layer.index, tuple(at * channels + channel for at in places))
        return Feature(layer.index, tuple(channel * height * width + at for at in places))

    return Computed(channels * down * across, window)


@dataclass(frozen=True)
class FeatureMode:
    """A way to split a condition layer and a decision layer into features; ``fits`` says which layers it can split."""

    title: str
    words: str
    condition: Split
    decision: Split
    fits: Callable[[LayerInfo], bool] = lambda layer: True


FEATURE_MODES: dict[str, FeatureMode] = {
    "neuron": FeatureMode("Single neurons", "Each neuron is a feature of its own.", _singletons, _singletons),
    "fixed": FeatureMode(
        "Fixed sets",
        "Neighbouring neurons in sets of max(1, ⌊ω s_k⌋), s_k being the layer's number of neurons.",
        _blocks,
        _blocks,
    ),
    "free": FeatureMode(
        "Free sets",
        "The condition feature is whatever set of 1 to max(1, ⌊ω s_k⌋) neurons changes its sign, the decision feature"
        " a single neuron: the paper's experiment on ImageNet. For the criteria SS and SV.",
        _free,
        _singletons,
    ),
    "map": FeatureMode(
        "Feature maps",
        "Each feature map of a convolution, or square windows of it with at most ω s_k neurons; of tokens, one channel"
        " of all of them, or of neighbouring ones.",
        _windows,
        _windows,
        _has_maps,
    ),
}
