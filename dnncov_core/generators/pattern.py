"""Activation patterns: the linear piece that each neuron is on for one input, with the condition's signs flipped, and
the winners of max poolings, which are held fixed too."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, fx
from torch.nn import functional

from dnncov_core.errors import NetworkError
from dnncov_core.layer_values import Activations
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.networks.operators import max_pool_geometry
from dnncov_core.types import IntArray

MOST_KEPT = 512
"""Features whose weights are kept."""
_BESIDE = 1e-12
"""How far from u = 0 a neuron sits whose sign is changed."""
Matrix = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Piece:
    """Where low <= u <= high, v = slope * u + intercept, with a slope and an intercept of each neuron, ``(s_k,)``."""

    low: float
    high: float
    slope: Matrix
    intercept: Matrix


def first_positive(pieces: Sequence[Piece]) -> int:
    """The place of the piece that begins at u = 0."""
    return [piece.low for piece in pieces].index(0.0)


def pieces_of(breaks: Sequence[float], apply: Apply, like: Tensor) -> list[Piece]:
    """The linear pieces of an activation function, from the left, read from two values within each of them.

    Args:
        breaks: values of u at which pieces meet, ascending.
        apply: the function.
        like: u of one input, ``(1, *shape)``.
    """
    found = []
    for low, high in itertools.pairwise((-math.inf, *breaks, math.inf)):
        width = (high - low) / 3 if math.isfinite(high - low) else 1.0
        first = low + width if math.isfinite(low) else high - 2 * width
        one, other = (apply(torch.full_like(like, u)).flatten().double().numpy() for u in (first, first + width))
        slope = (other - one) / width + 0.0
        found.append(Piece(low, high, slope, one - slope * first))
    return found


def pieces_by_layer(network: Network) -> dict[int, list[Piece]]:
    """The pieces of each activation layer.

    Raises:
        NetworkError: an operator or an activation function that is not piecewise linear, or one that falls.
    """
    if network.obstacle:
        expected = "affine operators, max_pool2d and piecewise-linear activations, for linear programming"
        raise NetworkError(expected, network.obstacle, "choose a gradient search for this network")
    found: dict[int, list[Piece]] = {}

    def note(layer: int, u: Tensor, apply: Apply) -> Tensor:
        breaks = network.graph.functions[layer].breaks
        assert breaks is not None, "no obstacle"
        found[layer] = pieces_of(breaks, apply, u)
        return apply(u)

    in_float64 = network.to(device="cpu", dtype=torch.float64)
    with torch.no_grad():
        in_float64.run(torch.zeros(1, *network.input_shape), on_activation=note)
    for layer, pieces in found.items():
        if any((piece.slope < 0).any() for piece in pieces):
            got = f"a negative slope of {network.layers[layer - 1].kind} in layer {layer}"
            fix = "choose a gradient search for this network"
            raise NetworkError("activation functions that do not fall, for linear programming", got, fix)
    return found


@dataclass(frozen=True)
class Pattern:
    """The piece that each neuron of each fixed layer is on: an index into that layer's pieces, ``(s_k,)``."""

    pieces: Mapping[int, list[Piece]]
    on: Mapping[int, IntArray]
    flipped: Mapping[int, IntArray] = field(default_factory=dict)

    def slopes(self, layer: int) -> Matrix:
        """dv/du of each neuron, ``(s_k,)``."""
        return self._at(layer, [piece.slope for piece in self.pieces[layer]])

    def intercepts(self, layer: int) -> Matrix:
        """v - slope * u of each neuron, ``(s_k,)``."""
        return self._at(layer, [piece.intercept for piece in self.pieces[layer]])

    def _at(self, layer: int, of_pieces: list[Matrix]) -> Matrix:
        return np.stack(of_pieces)[self.on[layer], np.arange(len(self.on[layer]))]


def pattern_of(
    pieces: Mapping[int, list[Piece]],
    values: Activations,
    layers: Collection[int],
    flip: tuple[int, Collection[int]] | None,
) -> Pattern:
    """The pattern of one input on ``layers``, with the signs of neurons ``flip = (layer, neurons)`` changed.

    A neuron whose sign changes is put on the piece next to u = 0.
    """
    on: dict[int, IntArray] = {}
    for layer in layers:
        u = values[layer].u[0].double().cpu().numpy()
        inner_bounds = [piece.low for piece in pieces[layer][1:]]
        on[layer] = np.sum([u >= bound for bound in inner_bounds], axis=0).astype(np.int64)
    flipped: dict[int, IntArray] = {}
    if flip is not None:
        layer, neurons = flip
        chosen = np.array(sorted(neurons), np.int64)
        first = first_positive(pieces[layer])
        on[layer][chosen] = np.where(on[layer][chosen] >= first, first - 1, first)
        flipped[layer] = chosen
    return Pattern(pieces, on, flipped)


@dataclass(frozen=True)
class Pooling:
    """One max pooling of a pattern, with each window's winner within its channel's plane, ``(1, channels, h, w)``."""

    node: fx.Node
    winners: Tensor

    def pooled(self, values: Tensor) -> Tensor:
        """What the winners give, for a batch."""
        chosen = self.winners.expand(len(values), *self.winners.shape[1:])
        return values.flatten(-2).gather(-1, chosen.flatten(-2)).reshape(chosen.shape)

    def inputs(self) -> IntArray:
        """The winner of every window, as an index into the flattened input ``(channels, height, width)``."""
        height, width = self.node.all_input_nodes[0].meta["val"].shape[-2:]
        planes = torch.arange(self.winners.shape[1]) * height * width
        found: IntArray = (self.winners + planes[None, :, None, None]).flatten().numpy()
        return found

    def window_pairs(self) -> tuple[IntArray, IntArray]:
        """(winner, other) of every window, as indices into the flattened input ``(channels, height, width)``."""
        height, width = self.node.all_input_nodes[0].meta["val"].shape[-2:]
        kernel, stride, padding, dilation, _ = max_pool_geometry(self.node)
        pairs: list[tuple[int, int]] = []
        for channel, row, column in np.ndindex(*self.winners.shape[1:]):
            winner = int(self.winners[0, channel, row, column])
            rows = (row * stride[0] - padding[0] + i * dilation[0] for i in range(kernel[0]))
            columns = [column * stride[1] - padding[1] + j * dilation[1] for j in range(kernel[1])]
            entries = (y * width + x for y in rows if 0 <= y < height for x in columns if 0 <= x < width)
            plane = channel * height * width
            pairs += [(plane + winner, plane + other) for other in entries if other != winner]
        winner_column, other_column = np.array(pairs, np.int64).reshape(-1, 2).T
        return winner_column, other_column


def poolings_of(network: Network, x1: Tensor, pattern: Pattern, last_layer: int) -> dict[str, Pooling]:
    """The max poolings on the way to ``last_layer`` with their winners at x1, ``(1, *input_shape)``, by name.

    Flipped neurons sit just beside u = 0. The network is in float64; without poolings it is not evaluated.
    """
    found: dict[str, Pooling] = {}

    def activation(layer: int, u: Tensor, apply: Apply) -> Tensor:
        v = apply(u).flatten(1)
        if layer in pattern.flipped:
            chosen = pattern.flipped[layer]
            side = np.where(pattern.on[layer] >= first_positive(pattern.pieces[layer]), _BESIDE, -_BESIDE)
            v[:, chosen] = torch.from_numpy(side * pattern.slopes(layer) + pattern.intercepts(layer))[chosen].to(v)
        return v.reshape(u.shape)

    def max_pool(name: str, values: Tensor, node: fx.Node) -> Tensor:
        kernel, stride, padding, dilation, ceil_mode = max_pool_geometry(node)
        pooled, winners = functional.max_pool2d(
            values, kernel, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=True
        )
        found[name] = Pooling(node, winners)
        return pooled

    if network.graph.max_pools:
        with torch.no_grad():
            network.run(x1, on_activation=activation, on_max_pool=max_pool, last_layer=last_layer)
    return found


def affine_in_sources(
    network: Network, layer: int, neurons: Sequence[int], poolings: Mapping[str, Pooling]
) -> tuple[Matrix, dict[int, Matrix]]:
    """u of some neurons as c + sum of W_k v_k over the layers that feed theirs: c ``(m,)``, W_k ``(m, s_k)`` by layer.

    Args:
        network: the network.
        layer: the layer of the neurons.
        neurons: m of its neurons.
        poolings: with the winners, the max poolings between.
    """

    def max_pool(name: str, values: Tensor, node: fx.Node) -> Tensor:
        return poolings[name].pooled(values)

    m, sources = len(neurons), network.graph.sources[layer]
    x = torch.zeros(m, *network.input_shape)
    with torch.enable_grad():
        v = [x.new_zeros(m, network.layers[k - 1].neurons, dtype=network.dtype).requires_grad_() for k in sources]
        given = dict(zip(sources, v, strict=True))
        u = network.run(x, given=given, last_layer=layer, on_activation=lambda _, u, apply: u, on_max_pool=max_pool)
        chosen = u.flatten(1)[range(m), list(neurons)]
        weights = torch.autograd.grad(chosen.sum(), v, materialize_grads=True)
    matrices = [weight.double().numpy() for weight in weights]
    return chosen.detach().double().numpy(), dict(zip(sources, matrices, strict=True))


class IntoLayers:
    """`affine_in_sources` of one network, which is kept where no max pooling between decides it."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._kept = lru_cache(maxsize=MOST_KEPT)(lambda layer, neurons: affine_in_sources(network, layer, neurons, {}))

    def __call__(
        self, layer: int, neurons: Sequence[int], poolings: Mapping[str, Pooling]
    ) -> tuple[Matrix, dict[int, Matrix]]:
        """See `affine_in_sources`."""
        if self.network.graph.max_pools_into[layer]:
            return affine_in_sources(self.network, layer, neurons, poolings)
        return self._kept(layer, tuple(neurons))


def needed(network: Network, poolings: Mapping[str, Pooling], layers: Sequence[int]) -> list[str]:
    """Names of the poolings that feed one of the layers without another activation layer between."""
    into = frozenset[str]().union(*map(network.graph.max_pools_into.__getitem__, layers))
    return [name for name in poolings if name in into]
