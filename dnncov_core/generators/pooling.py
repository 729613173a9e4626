"""Max poolings with their winners held fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, fx
from torch.nn import functional

from dnncov_core.generators.pattern import Pattern
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.networks.operators import max_pool_geometry
from dnncov_core.types import IntArray

_JUST_ACTIVE = 1e-12


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

    Flipped neurons sit just beside u = 0. The network is in float64.
    """
    found: dict[str, Pooling] = {}

    def activation(layer: int, u: Tensor, apply: Apply) -> Tensor:
        v = apply(u).flatten(1)
        if layer in pattern.flipped:
            chosen = torch.from_numpy(pattern.flipped[layer])
            on = torch.from_numpy(pattern.on[layer])[chosen] > 0
            v[:, chosen] = torch.where(on, _JUST_ACTIVE, 0.0).double()
        return v.reshape(u.shape)

    def max_pool(name: str, values: Tensor, node: fx.Node) -> Tensor:
        pooled, winners = _pool(values, node)
        found[name] = Pooling(node, winners)
        return pooled

    network.run(x1, on_activation=activation, on_max_pool=max_pool, last_layer=last_layer)
    return found


def needed(network: Network, poolings: Mapping[str, Pooling], layers: Sequence[int]) -> list[str]:
    """Names of the poolings that feed one of the layers without another activation layer between."""
    into = frozenset[str]().union(*map(network.graph.max_pools_into.__getitem__, layers))
    return [name for name in poolings if name in into]


def _pool(values: Tensor, node: fx.Node) -> tuple[Tensor, Tensor]:
    """Max pooling with the winners' indices within each channel's plane."""
    kernel, stride, padding, dilation, ceil_mode = max_pool_geometry(node)
    pooled, winners = functional.max_pool2d(
        values, kernel, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=True
    )
    return pooled, winners
