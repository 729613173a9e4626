"""Interval propagation: bounds of every u over a box of inputs, in one pass through the network.

A batch of four goes through the network: the middle of each interval, half its width, the largest absolute value, and
zeros. Linear operators take the first as they are, the others by their absolute twins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx
from torch.nn import functional

from dnncov_core.affine_parts import Stage, flat
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.networks.operators import max_pool_geometry
from dnncov_core.proofs.operator_errors import moves, roundings, twin
from dnncov_core.proofs.relaxations import Interval, check_activations, values
from dnncov_core.proofs.rounding import EPS64, down, gamma, precision, up


@dataclass(frozen=True)
class StageBounds:
    """What is known of one layer, or of one max pooling.

    Attributes:
        before: bounds of u, or of what is pooled, ``(n,)``.
        after: bounds of v, or of the pooled values.
        error: at least the rounding errors of u, as the network or float64 computes it from the v before it.
    """

    before: Interval
    after: Interval
    error: Tensor


class Intervals:
    """Interval propagation for one network.

    Raises:
        NetworkError: an operator, an activation function or a precision that proofs do not know.
    """

    def __init__(self, network: Network) -> None:
        self.eps = precision(network.dtype)
        self.roundings = roundings(network)
        check_activations(network.graph)
        self.box = _box(network)
        self._network = network.to(device="cpu", dtype=torch.float64)

    def bounds(self, known: Mapping[Stage, Interval] | None = None) -> dict[Stage, StageBounds]:
        """Bounds at each stage, in order of execution; those of u that are known already are kept."""
        run = _Pass(self, self._network, known or {})
        with torch.no_grad():
            return run.result()


class _Pass:
    def __init__(self, of: Intervals, network: Network, known: Mapping[Stage, Interval]) -> None:
        self._of, self._network, self._known = of, network, known
        self._found: dict[Stage, StageBounds] = {}

    def result(self) -> dict[Stage, StageBounds]:
        x = _packed(self._of.box, self._network.input_shape)
        logits = self._network.run(
            x, on_activation=self._activation, on_max_pool=self._max_pool, on_operator=self._operator
        )
        before, error = self._arriving(self._network.depth, logits)
        self._found[self._network.depth] = StageBounds(before, before, error)
        return self._found

    def _operator(self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any], compute: Any) -> Any:
        if moves(node) or node not in self._network.graph.depends:
            return compute(*args, **kwargs)
        plain, absolute = compute(*args, **kwargs), twin(node, args, kwargs, compute)
        if isinstance(plain, Tensor):
            return torch.cat([plain[:1], absolute[1:]])
        return (torch.cat([plain[0][:1], absolute[0][1:]]), *plain[1:])

    def _activation(self, layer: int, u: Tensor, apply: Apply) -> Tensor:
        before, error = self._arriving(layer, u)
        function = self._network.graph.functions[layer]
        after = values(function, flat(apply, u.shape[1:]), before, self._of.eps)
        self._found[layer] = StageBounds(before, after, error)
        return _packed(after, u.shape[1:])

    def _max_pool(self, name: str, pooled: Tensor, node: fx.Node) -> Tensor:
        before, error = self._arriving(name, pooled)
        kernel, stride, padding, dilation, ceil_mode = max_pool_geometry(node)
        ends = torch.stack([before.low, before.high]).reshape(2, *pooled.shape[1:])
        low, high = functional.max_pool2d(ends, kernel, stride, padding, dilation, ceil_mode=ceil_mode)
        after = Interval(low.flatten(), high.flatten())
        self._found[name] = StageBounds(before, after, error)
        return _packed(after, low.shape)

    def _arriving(self, stage: Stage, arrived: Tensor) -> tuple[Interval, Tensor]:
        middle, radius, magnitude, offset = arrived.flatten(1)
        n = self._of.roundings[stage]
        error = (gamma(n, self._of.eps) + gamma(n, 8 * EPS64)) * magnitude
        radius = radius - offset + error
        found = Interval(down(middle - radius), up(middle + radius))
        return found.within(self._known[stage]) if stage in self._known else found, error


def _packed(values: Interval, shape: tuple[int, ...]) -> Tensor:
    middle = (values.low + values.high) / 2
    radius = up(torch.maximum(values.high - middle, middle - values.low))
    return torch.stack([middle, radius, values.size(), torch.zeros_like(middle)]).reshape(4, *shape)


def _box(network: Network) -> Interval:
    """The declared bounds of every input, and what they become in the network's precision."""
    ends = (network.box.low, network.box.high)
    low, high = (torch.from_numpy(end).expand(network.input_shape).flatten() for end in ends)
    lower, higher = (ends.to(network.dtype).double() for ends in (low, high))
    return Interval(torch.minimum(low, lower), torch.maximum(high, higher))
