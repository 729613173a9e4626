"""The strongest connections into each neuron: the paper's top weights, for any layers.

From a layer's v to the u of a following layer everything is affine but max pooling, so that the weight of unit i into
neuron j is the coefficient of v_{k,i} in u_{k+1,j}. With a max pooling between them the coefficient depends on which
entry each window passes on: the weight is the one of largest absolute value over the outcomes in which all windows of a
pooling pass the entry at the same position, so that each unit of a window is passed by one of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import reduce

import numpy as np
import torch
from torch import Tensor, fx
from torch.nn import functional

from dnncov_core.errors import NetworkError
from dnncov_core.networks.graph import Apply, OnMaxPool
from dnncov_core.networks.network import Network
from dnncov_core.networks.operators import max_pool_geometry
from dnncov_core.types import Edge, IntArray

MOST_NUMBERS = 2**21
"""Weights held at once, in float64."""

Position = tuple[int, int]
"""Row and column within a pooling window."""


def strongest_connections(network: Network, edge: Edge, most: int) -> IntArray:
    """Units of layer k with the largest absolute weight into each neuron of layer l, ``(s_l, min(most, s_k))``.

    The strongest come first, of equally strong ones the smaller index; -1 where a neuron has fewer connections, since a
    weight of 0 is none.

    Args:
        network: the network; its weights are taken in float64.
        edge: (k, l), one of its pairs of neighbouring layers.
        most: how many units to name for each neuron.

    Raises:
        NetworkError: an operator between the layers that is neither affine nor a max pooling, so that there are no
            weights.
    """
    if passed := network.graph.passed_into[edge[1]]:
        expected = f"affine operators and max_pool2d between layers {edge[0]} and {edge[1]}, for top weights"
        raise NetworkError(expected, sorted(passed)[0], "leave top weights out, or choose other layers")
    network = network.to(device="cpu", dtype=torch.float64)
    units, neurons = (network.layers[layer - 1].neurons for layer in edge)
    with torch.enable_grad():
        outcomes = [_affine(network, edge, _passing(passed)) for passed in _outcomes(network, edge)]
    parts, size = [], max(1, MOST_NUMBERS // (units + neurons))
    for start in range(0, neurons, size):
        chosen = torch.arange(start, min(start + size, neurons))
        weights = reduce(torch.maximum, (_weights(v, u, chosen).abs() for v, u in outcomes))
        parts.append(_largest(weights, min(most, units)))
    return np.concatenate(parts)


def _affine(network: Network, edge: Edge, on_max_pool: OnMaxPool) -> tuple[Tensor, Tensor]:
    """v of layer k, and u of layer l as a function of it that autograd can follow."""
    k, decision = edge
    v = torch.zeros(1, *network.layers[k - 1].shape, dtype=network.dtype, requires_grad=True)

    def activation(layer: int, u: Tensor, apply: Apply) -> Tensor:
        if layer == decision:
            return u
        return v if layer == k else torch.zeros_like(u)

    x = torch.zeros(1, *network.input_shape)
    return v, network.run(x, on_activation=activation, on_max_pool=on_max_pool, last_layer=decision)


def _outcomes(network: Network, edge: Edge) -> Iterator[dict[str, Position]]:
    """The position that each max pooling between two layers passes, in all combinations."""
    positions: dict[str, list[Position]] = {}

    def note(name: str, values: Tensor, node: fx.Node) -> Tensor:
        if values.requires_grad:
            rows, columns = max_pool_geometry(node)[0]
            positions[name] = list(itertools.product(range(rows), range(columns)))
        return _entries(values, node, (0, 0))

    _affine(network, edge, note)
    for combination in itertools.product(*positions.values()):
        yield dict(zip(positions, combination, strict=True))


def _passing(passed: Mapping[str, Position]) -> OnMaxPool:
    return lambda name, values, node: _entries(values, node, passed.get(name, (0, 0)))


def _entries(values: Tensor, node: fx.Node, position: Position) -> Tensor:
    """Each window's entry at one position, 0 where it lies in the padding."""
    kernel, stride, padding, dilation, _ = max_pool_geometry(node)
    pads, cuts = [], []
    for axis, n_windows in enumerate(node.meta["val"].shape[-2:]):
        reach = (n_windows - 1) * stride[axis] + 1
        length = reach + (kernel[axis] - 1) * dilation[axis]
        pads.append((padding[axis], length - padding[axis] - values.shape[axis - 2]))
        first = position[axis] * dilation[axis]
        cuts.append(slice(first, first + reach, stride[axis]))
    padded = functional.pad(values, (*pads[1], *pads[0]))
    return padded[..., cuts[0], cuts[1]].contiguous()


def _weights(v: Tensor, u: Tensor, chosen: Tensor) -> Tensor:
    """du_j / dv_i for the chosen neurons j, ``(len(chosen), s_k)``."""
    one_hot = functional.one_hot(chosen, u.numel()).to(u.dtype).reshape(-1, *u.shape)
    (found,) = torch.autograd.grad(u, v, one_hot, retain_graph=True, is_grads_batched=True)
    return found.flatten(1)


def _largest(sizes: Tensor, most: int) -> IntArray:
    """Places of the largest sizes of each row, ``(rows, most)``; -1 where the rest is 0."""
    found = np.full((len(sizes), most), -1, np.int64)
    least = sizes.topk(most, dim=1).values[:, -1].numpy()  # alone, since topk leaves the order of equal ones open
    for row, bound, units in zip(sizes.numpy(), least, found, strict=True):
        candidates = np.flatnonzero((row >= bound) & (row > 0))
        best = candidates[np.argsort(-row[candidates], kind="stable")][:most]
        units[: len(best)] = best
    return found
