"""The inputs within the oracle's bound of a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from dnncov_core.distances import ROUNDINGS
from dnncov_core.types import Norm

SIZES: dict[Norm, Callable[[Tensor], Tensor]] = {
    "inf": lambda step: step.amax(dim=1),
    "2": lambda step: step.square().sum(dim=1).sqrt(),
    "1": lambda step: step.sum(dim=1),
}
"""Norms of absolute values ``(batch, inputs)``; sums err by a rounding or two where `Tensor.norm` errs by a hundred."""

BESIDE = 1e-3
"""A grid point this near to the border, in levels, lies on it."""


@dataclass(frozen=True)
class Ball:
    """||x2 - x1||_p <= bound, p = ``norm``; everything without a bound. One bound for all, or ``(batch,)`` of them.

    The border itself, up to rounding, belongs to it, as the oracle has it.
    """

    norm: Norm = "inf"
    bound: float | Tensor | None = None

    def excludes(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Whether x2 lies outside, ``(batch,)``."""
        if self.bound is None:
            return torch.zeros(len(x2), dtype=torch.bool, device=x2.device)
        return self._sizes(x2.detach() - x1.detach()) > self.bound + _rounding(x2)

    def nearest(self, x1: Tensor, x2: Tensor, levels: int | None = None) -> Tensor:
        """x2, or where it lies outside a point inside between x1 and it; for p = inf the nearest one.

        With ``levels`` a multiple of 1 / levels near to that point, for p = inf inside, too, where there is one.
        """
        inside = x2 if self.bound is None else self._inside(x1, x2, self.bound)
        if levels is None:
            return inside
        n = (inside * levels).round()
        if self.bound is not None and self.norm == "inf":
            bound = in_shape(self.bound, x1) if isinstance(self.bound, Tensor) else self.bound
            reach = bound * levels + BESIDE
            n = n.clamp((x1 * levels - reach).ceil(), (x1 * levels + reach).floor())
        return n / levels

    def _inside(self, x1: Tensor, x2: Tensor, bound: float | Tensor) -> Tensor:
        step = x2 - x1
        within: Tensor = bound - 2 * _rounding(x2) * (self._sizes(x1) + bound)
        radius = in_shape(within.clamp(min=0.0), x1)
        if self.norm == "inf":
            return x1 + step.clamp(-radius, radius)
        return x1 + step * (radius / in_shape(self._sizes(step).clamp(min=1e-30), x1)).clamp(max=1.0)

    def _sizes(self, step: Tensor) -> Tensor:
        return SIZES[self.norm](step.flatten(1).abs())


NO_BALL = Ball()


def in_shape(of_inputs: Tensor, x: Tensor) -> Tensor:
    """One number an input, ``(batch,)``, to be used with a batch of inputs."""
    return of_inputs.view(-1, *[1] * (x.ndim - 1))


def _rounding(x: Tensor) -> float:
    return ROUNDINGS * torch.finfo(x.dtype).eps
