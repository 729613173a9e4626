"""What an activation function does to an interval of u: bounds of v, and two lines with v between them.

Lines are v >= slope u + intercept below and v <= slope u + intercept above. All hold for v as the network's own
precision computes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dnncov_core.errors import NetworkError
from dnncov_core.networks.graph import Apply, CanonicalGraph
from dnncov_core.networks.operators import Activation
from dnncov_core.networks.places import described
from dnncov_core.proofs.rounding import EPS64, down, up

JUMPS = {"sign", "where"}
"""Functions of pieces that need not meet; nothing is said of these."""
TURNS = {
    "sigmoid": (),
    "log_sigmoid": (),
    "tanh": (),
    "elu": (0.0,),
    "selu": (),
    "celu": (0.0,),
    "softplus": (),
    "softsign": (),
}
"""Where functions that are not piecewise linear may turn; between these points they rise or fall."""
DIPS = {
    "gelu": (-1.0, -0.5, -0.171),
    "silu": (-1.5, -1.0, -0.279),
    "mish": (-1.3, -1.1, -0.309),
    "hardswish": (-1.6, -1.4, -0.376),
}
"""Functions that fall to one least value, between the first two numbers, and rise after it; the third is below it."""
EXACT = ("relu", "relu6")
_SMOOTH_ROUNDINGS = 64
"""Errors of PyTorch's smooth functions stay far below so many roundings of 1 + |u| + |v|."""
_SOFTPLUS = ((), (1.0,), (1.0, 20.0))
_SOFTPLUS_STEP = 2.1e-9
"""Where PyTorch's softplus becomes u itself, at 20, it steps down by log(1 + exp(-20))."""


@dataclass(frozen=True)
class Interval:
    """low <= value <= high, each ``(n,)`` in float64."""

    low: Tensor
    high: Tensor

    def size(self) -> Tensor:
        """The largest absolute value."""
        return torch.maximum(self.low.abs(), self.high.abs())

    def within(self, other: Interval) -> Interval:
        """What both allow."""
        return Interval(torch.maximum(self.low, other.low), torch.minimum(self.high, other.high))


@dataclass(frozen=True)
class Lines:
    """Two lines, each number ``(n,)``."""

    lower_slope: Tensor
    lower: Tensor
    upper_slope: Tensor
    upper: Tensor


def check_activations(graph: CanonicalGraph) -> None:
    """Refuses an activation function whose bounds are not known here.

    Raises:
        NetworkError: with its name and its module.
    """
    for layer, function in graph.functions.items():
        pieces = function.breaks is not None and function.kind not in JUMPS
        node = graph.last_node[layer]
        usual = function.kind != "softplus" or node.args[1:] in _SOFTPLUS
        if not pieces and not (usual and function.kind in (*TURNS, *DIPS)):
            expected = f"activations of linear pieces that meet, or {', '.join((*TURNS, *DIPS))}, for proofs"
            got = described(node, function.kind if usual else "softplus with another beta or threshold")
            raise NetworkError(expected, got, "leave out the proofs for this network")


def values(function: Activation, apply: Apply, u: Interval, eps: float) -> Interval:
    """Bounds of v for u in an interval.

    Args:
        function: what is known of the activation function.
        apply: the function itself, on values ``(m, n)``.
        u: the interval.
        eps: as `rounding.precision` gives it.
    """
    found = apply(_points(function, u))
    low, slack = found.amin(0), _slack(function, found, u, eps)
    if function.kind in DIPS:
        first, last, least = DIPS[function.kind]
        low = torch.where((u.low < last) & (u.high > first), low.clamp(max=least), low)
    if function.kind in EXACT:
        return Interval(low, found.amax(0))
    return Interval(down(low - slack), up(found.amax(0) + slack))


def lines(function: Activation, apply: Apply, u: Interval, eps: float) -> Lines:
    """The lines that leave the least room at both ends, among those through two points where pieces begin or end.

    Functions that are not piecewise linear get two constants.
    """
    if function.breaks is None:
        v, flat = values(function, apply, u, eps), torch.zeros_like(u.low)
        return Lines(flat, v.low, flat, v.high)
    points = _points(function, u)
    found = apply(points)
    first, second = torch.combinations(torch.arange(len(points))).T
    slopes = torch.nan_to_num((found[second] - found[first]) / (points[second] - points[first]), 0.0, 0.0, 0.0)
    above = found - slopes[:, None] * points
    error = 4 * EPS64 * (found.abs().amax(0) + slopes.abs() * u.size()) + _slack(function, found, u, eps)
    lower, upper = down(above.amin(1) - error), up(above.amax(1) + error)
    ends = above[:, :2]
    low_place = (ends - lower[:, None]).sum(1).argmin(0, keepdim=True)
    high_place = (upper[:, None] - ends).sum(1).argmin(0, keepdim=True)
    chosen = [table.gather(0, at)[0] for at in (low_place, high_place) for table in (slopes, lower, upper)]
    return Lines(chosen[0], chosen[1], chosen[3], chosen[5])


def outer_slopes(function: Activation, apply: Apply, like: Tensor) -> tuple[Tensor, Tensor] | None:
    """The slopes left and right of 0 of a function of two pieces, each ``(n,)``; None for others."""
    if function.breaks != (0.0,):
        return None
    left, right = apply(torch.stack([torch.full_like(like, -1.0), torch.ones_like(like)]))
    return -left, right


def _points(function: Activation, u: Interval) -> Tensor:
    """Both ends of the interval and the turning points within, ``(m, n)``: the extremes of v are among theirs."""
    turns = (*(function.breaks or ()), *TURNS.get(function.kind, ()))
    return torch.stack([u.low, u.high, *(torch.full_like(u.low, at).clamp(u.low, u.high) for at in turns)])


def _slack(function: Activation, found: Tensor, u: Interval, eps: float) -> Tensor:
    """How much v as computed may differ from the function's value."""
    if function.kind in EXACT:
        return torch.zeros_like(u.low)
    size = found.abs().amax(0)
    if function.breaks is not None:
        return 4 * eps * size
    step = _SOFTPLUS_STEP if function.kind == "softplus" else 0.0
    return _SMOOTH_ROUNDINGS * eps * (1 + u.size() + size) + step
