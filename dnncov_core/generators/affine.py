"""A network with its activation pattern held fixed: every layer's u is an affine function of what feeds it.

The pattern is that of a seed x1, with the condition feature's signs flipped where the covering method asks for it, and
it includes the winners of each max pooling. Within it the network is a set of affine maps, from the input x and from
the v of earlier layers to the u of a layer, and v is affine in u.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, fx
from torch.nn import functional

from dnncov_core.activations import Activations
from dnncov_core.errors import NetworkError
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.types import IntArray

Matrix = np.ndarray[Any, np.dtype[np.float64]]
INPUT = 1
_JUST_ACTIVE = 1e-12


@dataclass(frozen=True)
class Piece:
    """Where low <= u <= high, v = slope * u + intercept."""

    low: float
    high: float
    slope: float
    intercept: float


def pieces_of(kind: str, apply: Apply) -> list[Piece]:
    """The linear pieces of an activation function, from the left; the first is where the sign is -1.

    Raises:
        NetworkError: the function is not piecewise linear.
    """
    if kind == "relu6":
        return [Piece(-math.inf, 0, 0, 0), Piece(0, 6, 1, 0), Piece(6, math.inf, 0, 6)]
    if kind in ("relu", "leaky_relu"):
        slope = -float(apply(torch.tensor(-1.0, dtype=torch.float64)))
        return [Piece(-math.inf, 0, slope + 0.0, 0), Piece(0, math.inf, 1, 0)]
    raise NetworkError(
        "piecewise-linear activations (relu, leaky_relu, relu6) for linear programming",
        kind,
        "choose another generator for this network",
    )


@dataclass(frozen=True)
class Pattern:
    """The piece that each neuron of each fixed layer is on: an index into that layer's pieces, ``(s_k,)``."""

    pieces: Mapping[int, list[Piece]]
    on: Mapping[int, IntArray]
    flipped: Mapping[int, IntArray] = field(default_factory=dict)

    def slopes(self, layer: int) -> Matrix:
        """dv/du of each neuron, ``(s_k,)``."""
        return np.array([piece.slope for piece in self.pieces[layer]])[self.on[layer]]

    def intercepts(self, layer: int) -> Matrix:
        """v - slope * u of each neuron, ``(s_k,)``."""
        return np.array([piece.intercept for piece in self.pieces[layer]])[self.on[layer]]


def pattern_of(
    pieces: Mapping[int, list[Piece]],
    values: Activations,
    layers: Collection[int],
    flip: tuple[int, Collection[int]] | None,
) -> Pattern:
    """The pattern of one input on ``layers``, with the signs of neurons ``flip = (layer, neurons)`` changed.

    A neuron that becomes active is put on the piece next to u = 0.
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
        on[layer][chosen] = np.where(on[layer][chosen] > 0, 0, 1)
        flipped[layer] = chosen
    return Pattern(pieces, on, flipped)


@dataclass(frozen=True)
class AffineMap:
    """value = constant + sum over sources of matrix @ source; matrix is ``(n, s_source)``, constant ``(n,)``."""

    constant: Matrix
    matrices: Mapping[int, Matrix]


@dataclass(frozen=True)
class PoolRows:
    """value[winner] >= value[other] for each window of a max pooling, as indices into its input."""

    name: str
    values: AffineMap
    winners: IntArray
    others: IntArray


@dataclass(frozen=True)
class AffineNetwork:
    """The affine maps of a fixed pattern: the u of each layer, and the rows that keep the pooling winners."""

    layers: Mapping[int, AffineMap]
    pools: tuple[PoolRows, ...]


class AffineExtractor:
    """Reads affine maps off a network by sending basis vectors through it, in float64 on the CPU.

    Without max pooling the maps are the same for every pattern and are read once.

    Raises:
        NetworkError: an activation function that is not piecewise linear.
    """

    def __init__(self, network: Network) -> None:
        self._network = network.to(device="cpu", dtype=torch.float64)
        self._kinds = {layer.index: layer.kind for layer in network.layers}
        self.pieces: dict[int, list[Piece]] = {}
        zero = torch.zeros(1, *network.input_shape, dtype=torch.float64)
        self._pools: set[str] = set()
        self._network.run(zero, on_activation=self._note_pieces, on_max_pool=self._note_pool)
        self._widths = {layer.index: layer.neurons for layer in network.layers}
        self._shapes = {layer.index: layer.shape for layer in network.layers}

    def _note_pieces(self, layer: int, u: Tensor, apply: Apply) -> Tensor:
        self.pieces[layer] = pieces_of(self._kinds[layer], apply)
        return apply(u)

    def _note_pool(self, name: str, values: Tensor, node: fx.Node) -> Tensor:
        self._pools.add(name)
        return pool(values, node)[0]

    def maps(self, x1: Tensor, pattern: Pattern, last_layer: int) -> AffineNetwork:
        """Maps into every layer up to ``last_layer`` for the pattern of ``x1``, ``(1, *input_shape)``.

        Pooling rows are those that the pattern's layers and ``last_layer`` depend on.
        """
        if not self._pools:
            return self._patternless
        found = self._read(self._winners(x1, pattern, last_layer), last_layer)
        needed = frozenset[str]().union(*map(self._network.max_pools_into, {*pattern.on, last_layer}))
        return replace(found, pools=tuple(rows for rows in found.pools if rows.name in needed))

    @cached_property
    def _patternless(self) -> AffineNetwork:
        return self._read({}, self._network.depth)

    def _winners(self, x1: Tensor, pattern: Pattern, last_layer: int) -> dict[str, Tensor]:
        """Index of each window's largest entry at x1, where flipped neurons sit just beside u = 0."""
        winners: dict[str, Tensor] = {}

        def activation(layer: int, u: Tensor, apply: Apply) -> Tensor:
            v = apply(u).flatten(1)
            if layer in pattern.flipped:
                chosen = torch.from_numpy(pattern.flipped[layer])
                on = torch.from_numpy(pattern.on[layer])[chosen] > 0
                v[:, chosen] = torch.where(on, _JUST_ACTIVE, 0.0).double()
            return v.reshape(u.shape)

        def max_pool(name: str, values: Tensor, node: fx.Node) -> Tensor:
            pooled, winners[name] = pool(values, node)
            return pooled

        self._network.run(x1, on_activation=activation, on_max_pool=max_pool, last_layer=last_layer)
        return winners

    def _read(self, winners: Mapping[str, Tensor], last_layer: int) -> AffineNetwork:
        outputs: dict[int | str, dict[int, Tensor]] = {}
        sources = [INPUT, *(layer for layer in self.pieces if layer < last_layer)]
        nodes: dict[str, fx.Node] = {}
        for source in sources:
            for place, values in self._responses(source, winners, nodes, last_layer).items():
                outputs.setdefault(place, {})[source] = values
        maps = {place: _affine_map(responses) for place, responses in outputs.items()}
        layers = {place: found for place, found in maps.items() if isinstance(place, int)}
        pools = tuple(
            PoolRows(name, maps[name], *_window_pairs(nodes[name], winners[name])) for name in winners if name in maps
        )
        return AffineNetwork(layers, pools)

    def _responses(
        self, source: int, winners: Mapping[str, Tensor], nodes: dict[str, fx.Node], last_layer: int
    ) -> dict[int | str, Tensor]:
        """u of each layer, and each pooling's input, for source = 0 and for each of its basis vectors."""
        width = self._widths[source]
        basis = torch.cat([torch.zeros(1, width), torch.eye(width)]).double().reshape(-1, *self._shapes[source])
        seen: dict[int | str, Tensor] = {}

        def activation(layer: int, u: Tensor, apply: Apply) -> Tensor:
            seen[layer] = u.flatten(1)
            return basis if layer == source else torch.zeros_like(u)

        def max_pool(name: str, values: Tensor, node: fx.Node) -> Tensor:
            seen[name], nodes[name] = values.flatten(1), node
            chosen = winners[name].expand(len(values), *winners[name].shape[1:])
            return values.flatten(-2).gather(-1, chosen.flatten(-2)).reshape(chosen.shape)

        start = basis if source == INPUT else torch.zeros(width + 1, *self._shapes[INPUT]).double()
        logits = self._network.run(start, on_activation=activation, on_max_pool=max_pool, last_layer=last_layer)
        if last_layer == self._network.depth:
            seen[last_layer] = logits
        return seen


def pool(values: Tensor, node: fx.Node) -> tuple[Tensor, Tensor]:
    """Max pooling with the winners' indices within each channel's plane."""
    kernel, stride, padding, dilation, ceil_mode = pool_geometry(node)
    pooled, winners = functional.max_pool2d(
        values, kernel, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=True
    )
    return pooled, winners


def pool_geometry(node: fx.Node) -> tuple[list[int], list[int], list[int], list[int], bool]:
    """Kernel, stride, padding, dilation, ceil mode of a max_pool2d node, each of two numbers."""
    given: list[Any] = list(node.args[1:])
    for i, name in enumerate(("kernel_size", "stride", "padding", "dilation", "ceil_mode")):
        if len(given) <= i:
            given.append(node.kwargs.get(name, [[], [], 0, 1, False][i]))
    kernel, stride, padding, dilation = (_two(value) for value in given[:4])
    return kernel, stride or kernel, padding, dilation, bool(given[4])


def _two(value: int | Sequence[int]) -> list[int]:
    numbers = [value] if isinstance(value, int) else list(value)
    return numbers * 2 if len(numbers) == 1 else numbers


def _affine_map(responses: Mapping[int, Tensor]) -> AffineMap:
    constant = next(iter(responses.values()))[0]
    matrices = {source: (values[1:] - values[0]).T.numpy() for source, values in responses.items()}
    return AffineMap(constant.numpy(), {source: matrix for source, matrix in matrices.items() if matrix.any()})


def _window_pairs(node: fx.Node, winners: Tensor) -> tuple[IntArray, IntArray]:
    """(winner, other) of every window, as indices into the flattened input ``(channels, height, width)``."""
    height, width = node.all_input_nodes[0].meta["val"].shape[-2:]
    kernel, stride, padding, dilation, _ = pool_geometry(node)
    pairs: list[tuple[int, int]] = []
    for channel, row, column in np.ndindex(*winners.shape[1:]):
        winner = int(winners[0, channel, row, column])
        rows = (row * stride[0] - padding[0] + i * dilation[0] for i in range(kernel[0]))
        columns = [column * stride[1] - padding[1] + j * dilation[1] for j in range(kernel[1])]
        entries = (y * width + x for y in rows if 0 <= y < height for x in columns if 0 <= x < width)
        plane = channel * height * width
        pairs += [(plane + winner, plane + other) for other in entries if other != winner]
    winner_column, other_column = np.array(pairs, np.int64).reshape(-1, 2).T
    return winner_column, other_column
