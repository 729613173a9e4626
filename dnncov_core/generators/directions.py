"""Straight ways from seeds to where test conditions may hold, and how far to go on them.

To first order a part of a condition that lacks h > 0 holds for a step d with g . d >= h, g being minus the gradient of
what it lacks; the shortest such step in the L-infinity norm is t sign(g) with t = h / ||g||_1. Two parts are weighed as
in the dual of the linear programme of both: theta in [0, 1] maximises ((1 - theta) h1 + theta h2) / ||(1 - theta) g1 +
theta g2||_1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import torch
from torch import Tensor

from dnncov_core.generators.ball import in_shape
from dnncov_core.types import Bounds

THETAS = [step / 12 for step in range(13)]
TINY = 1e-30


@dataclass(frozen=True)
class LinearPart:
    """One part of a condition to first order: a step d with g . d >= h; g is ``(batch, inputs)``, h ``(batch,)``."""

    g: Tensor
    h: Tensor

    @property
    def bound(self) -> Tensor:
        """h / ||g||_1: the least L-infinity distance to first order, ``(batch,)``."""
        return self.h / self.g.abs().sum(dim=1).clamp(min=TINY)


def linear_part(lacking: Tensor, x: Tensor) -> LinearPart:
    """The part that lacks so much at x, to first order; autograd's graph is kept for the next part."""
    (gradient,) = torch.autograd.grad(lacking.sum(), x, retain_graph=True)
    return LinearPart(-gradient.flatten(1), lacking.detach().clamp(min=0))


def weighed(parts: Sequence[LinearPart]) -> LinearPart:
    """All parts as one, the first two weighed, then with the next."""
    return reduce(_both, parts)


def _both(one: LinearPart, other: LinearPart) -> LinearPart:
    """The two parts as one, by the first theta of the largest bound."""
    theta, bound = torch.zeros_like(one.h), one.bound
    for other_share in THETAS[1:]:
        h, size = one.h.lerp(other.h, other_share), one.g.lerp(other.g, other_share).abs_().sum(dim=1)
        further = h / size.clamp(min=TINY)
        better = further > bound
        theta, bound = theta.masked_fill(better, other_share), further.where(better, bound)
    return LinearPart(one.g.lerp(other.g, theta[:, None]), one.h.lerp(other.h, theta))


@dataclass(frozen=True)
class Way:
    """Points x1 + t sign(g) within the bounds, t >= 0.

    On a grid t counts grid steps: at t = n + f all inputs have moved by n steps, and the share f of those with the
    largest \\|g\\| by one more.

    Attributes:
        x1: the seeds, ``(batch, *input_shape)``.
        g: the direction, ``(batch, inputs)``.
        start: t at which the condition holds to first order, ``(batch,)``.
        rank: on a grid the place of each input by \\|g\\|, as a share of all inputs, ``(batch, inputs)``; else None.
        levels: steps of the grid from 0 to 1.
        bounds: the input box.
    """

    x1: Tensor
    g: Tensor
    start: Tensor
    rank: Tensor | None
    levels: int | None
    bounds: Bounds

    @property
    def finest(self) -> float:
        """A difference of t that is too small to move any input."""
        return 0.0 if self.rank is None else 1.0 / self.rank.shape[1]

    def at(self, t: Tensor) -> Tensor:
        """The points at t ``(batch,)``, ``(batch, *input_shape)``."""
        if self.rank is None or self.levels is None:
            step = t[:, None] * self.g.sign()
            return (self.x1 + step.view_as(self.x1)).clamp(*self.bounds)
        whole = t.floor()
        steps = whole[:, None] + (self.rank < (t - whole)[:, None])
        x = (self.x1 * self.levels).round() + (steps * self.g.sign()).view_as(self.x1)
        return x.clamp(0, self.levels) / self.levels

    def some(self, rows: Tensor) -> Way:
        """The ways of some slots, given by their numbers."""
        rank = None if self.rank is None else self.rank[rows]
        return Way(self.x1[rows], self.g[rows], self.start[rows], rank, self.levels, self.bounds)


@dataclass(frozen=True)
class Between:
    """Points between x1, at t = 0, and x2, at t = 1, which ``onto`` takes to where x2 may be."""

    x1: Tensor
    x2: Tensor
    onto: Callable[[Tensor, Tensor], Tensor]
    finest: ClassVar[float] = 0.0

    def at(self, t: Tensor) -> Tensor:
        """The points at t ``(batch,)``, ``(batch, *input_shape)``."""
        return self.onto(self.x1, self.x1 + in_shape(t, self.x1) * (self.x2 - self.x1))

    def some(self, rows: Tensor) -> Between:
        """The points of some slots, given by their numbers."""
        return Between(self.x1[rows], self.x2[rows], self.onto)


def way(x1: Tensor, whole: LinearPart, levels: int | None, bounds: Bounds) -> Way:
    """The way of a condition whose parts are weighed already."""
    if levels is None:
        return Way(x1, whole.g, whole.bound, None, None, bounds)
    sizes, order = whole.g.abs().sort(dim=1, descending=True, stable=True)
    n = sizes.shape[1]
    shares = (torch.arange(n, device=x1.device, dtype=x1.dtype) + 0.5) / n
    rank = torch.empty_like(sizes).scatter_(1, order, shares.expand_as(sizes))
    gains = sizes.cumsum(dim=1) / levels
    needed = (gains < whole.h[:, None]).sum(dim=1) + 1
    start = torch.where(needed <= n, needed / n, whole.bound * levels)
    return Way(x1, whole.g, start, rank, levels, bounds)
