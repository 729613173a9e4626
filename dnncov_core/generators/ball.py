"""The inputs within the oracle's bound of a seed."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dnncov_core.types import Norm


@dataclass(frozen=True)
class Ball:
    """||x2 - x1||_p <= bound, p = ``norm``; everything without a bound."""

    norm: Norm = "inf"
    bound: float | None = None

    def excludes(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Whether x2 lies outside, ``(batch,)``."""
        if self.bound is None:
            return torch.zeros(len(x2), dtype=torch.bool, device=x2.device)
        return self._sizes(x2.detach() - x1.detach()) > self.bound

    def nearest(self, x1: Tensor, x2: Tensor) -> Tensor:
        """x2, or where it lies outside a point inside between x1 and it; for p = inf the nearest one."""
        if self.bound is None:
            return x2
        step = x2 - x1
        if self.norm == "inf":
            return x1 + step.clamp(-self.bound, self.bound)
        shrink = (self.bound / self._sizes(step).clamp(min=1e-30)).clamp(max=1.0)
        return x1 + step * shrink.view(-1, *[1] * (step.ndim - 1))

    def _sizes(self, step: Tensor) -> Tensor:
        sizes: Tensor = step.flatten(1).norm(p=float(self.norm), dim=1)
        return sizes


NO_BALL = Ball()
