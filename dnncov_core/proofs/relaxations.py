"""What an activation function does to an interval of u: bounds of v, and two lines with v between them.

Lines are v >= slope u + intercept below and v <= slope u + intercept above. All hold for v as the network's own
precision computes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dnncov_core.errors import NetworkError
from dnncov_core.networks.graph import Apply
from dnncov_core.proofs.rounding import EPS64, down, up

BREAKS = {"relu": (0.0,), "leaky_relu": (0.0,), "relu6": (0.0, 6.0)}
"""Where the pieces of a piecewise-linear function meet."""
TURNS = {"sigmoid": (), "tanh": (), "elu": (0.0,)}
"""Where other functions may turn; between these points they rise or fall."""
DIPS = {"gelu": (-1.0, -0.5, -0.171), "silu": (-1.5, -1.0, -0.279)}
"""Functions that fall to one least value, between the first two numbers, and rise after it; the third is below it."""
_EXACT = ("relu", "relu6")
_SMOOTH_ROUNDINGS = 64
"""Errors of PyTorch's smooth functions stay far below so many roundings of 1 + |u|."""


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


def check_activation(kind: str) -> None:
    """Refuses an activation function whose bounds are not known here.

    Raises:
        NetworkError: with its name.
    """
    known = (*BREAKS, *TURNS, *DIPS)
    if kind not in known:
        fix = "leave out the proofs for this network"
        raise NetworkError(f"activations among {', '.join(known)} for proofs", kind, fix)


def values(kind: str, apply: Apply, u: Interval, eps: float) -> Interval:
    """Bounds of v for u in an interval; ``eps`` as `rounding.precision` gives it."""
    found = apply(_points(kind, u))
    low, slack = found.amin(0), _slack(kind, found, u, eps)
    if kind in DIPS:
        first, last, least = DIPS[kind]
        low = torch.where((u.low < last) & (u.high > first), low.clamp(max=least), low)
    if kind in _EXACT:
        return Interval(low, found.amax(0))
    return Interval(down(low - slack), up(found.amax(0) + slack))


def lines(kind: str, apply: Apply, u: Interval, eps: float) -> Lines:
    """The lines that leave the least room at both ends, among the function's own pieces and its chord.

    Functions that are not piecewise linear get two constants.
    """
    if kind not in BREAKS:
        v, flat = values(kind, apply, u, eps), torch.zeros_like(u.low)
        return Lines(flat, v.low, flat, v.high)
    points = _points(kind, u)
    found = apply(points)
    chord = (found[1] - found[0]) / (u.high - u.low)
    slopes = torch.stack([torch.zeros_like(chord), torch.ones_like(chord), torch.nan_to_num(chord, 0.0, 0.0, 0.0)])
    slopes = torch.cat([slopes, _outer_slope(kind, apply, chord)])
    above = found - slopes[:, None] * points
    error = 4 * EPS64 * (found.abs().amax(0) + slopes.abs() * u.size()) + _slack(kind, found, u, eps)
    lower, upper = down(above.amin(1) - error), up(above.amax(1) + error)
    ends = above[:, :2]
    low_place = (ends - lower[:, None]).sum(1).argmin(0, keepdim=True)
    high_place = (upper[:, None] - ends).sum(1).argmin(0, keepdim=True)
    chosen = [table.gather(0, at)[0] for at in (low_place, high_place) for table in (slopes, lower, upper)]
    return Lines(chosen[0], chosen[1], chosen[3], chosen[5])


def _points(kind: str, u: Interval) -> Tensor:
    """Both ends of the interval and the turning points within, ``(m, n)``: the extremes of v are among theirs."""
    inner = [torch.full_like(u.low, at).clamp(u.low, u.high) for at in (*BREAKS.get(kind, ()), *TURNS.get(kind, ()))]
    return torch.stack([u.low, u.high, *inner])


def _outer_slope(kind: str, apply: Apply, like: Tensor) -> Tensor:
    """The slope left of 0 of a leaky ReLU, ``(1, n)``; 0 rows for others."""
    if kind != "leaky_relu":
        return like.new_zeros((0, len(like)))
    return (-apply(torch.full_like(like, -1.0)))[None]


def _slack(kind: str, found: Tensor, u: Interval, eps: float) -> Tensor:
    """How much v as computed may differ from the function's value."""
    if kind in _EXACT:
        return torch.zeros_like(u.low)
    if kind in BREAKS:
        return 4 * eps * found.abs().amax(0)
    return _SMOOTH_ROUNDINGS * eps * (1 + u.size())
