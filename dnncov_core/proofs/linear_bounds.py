"""Backward linear bound propagation (CROWN, Zhang et al. 2018): a linear function of the input below each asked u.

From the asked layer back to the input, each v is replaced by the line below or above it, by the sign of its
coefficient, and each u by its affine part. What rounding may have changed is taken off the bound: the errors of u
itself, those of the coefficients (A^T m is wrong by at most gamma |A|^T |m|, and its product with v by at most
gamma |m| . (|A| |v|), which the errors of u have room for), and those of the sum.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

from dnncov_core.affine_parts import INPUT, AffineParts, Stage
from dnncov_core.networks.operators import Activation, max_pool_geometry
from dnncov_core.proofs.intervals import StageBounds
from dnncov_core.proofs.relaxations import Interval, lines
from dnncov_core.proofs.rounding import EPS64, down, gamma


class LinearBounds:
    """Linear bounds from what is known of all stages before the asked layer, by the layers' activation functions."""

    def __init__(self, parts: AffineParts, functions: Mapping[int, Activation], box: Interval, eps: float) -> None:
        self._parts, self._functions, self._box, self._eps = parts, functions, box, eps

    def lower(self, layer: int, coefficients: Tensor, bounds: Mapping[Stage, StageBounds]) -> Tensor:
        """What coefficients . u of a layer is at least, ``(m,)``, for at most ``parts.rows`` rows ``(m, n)``."""
        total = _Sum(len(coefficients))
        open_stages: dict[Stage, Tensor] = {}
        self._spread(layer, coefficients, bounds, total, open_stages)
        for stage in reversed(self._parts.stages[1 : self._parts.stages.index(layer)]):
            if stage in open_stages:
                before = self._replaced(stage, open_stages.pop(stage), bounds[stage], total)
                if bool(before.any()):
                    self._spread(stage, before, bounds, total, open_stages)
        at_input = open_stages.get(INPUT, torch.zeros(len(coefficients), len(self._box.low)).double())
        corners = torch.where(at_input > 0, self._box.low, self._box.high)
        total.add((at_input * corners).sum(1), at_input.abs() @ self._box.size(), at_input.shape[1])
        return total.low()

    def _spread(
        self,
        stage: Stage,
        coefficients: Tensor,
        bounds: Mapping[Stage, StageBounds],
        total: _Sum,
        open_stages: dict[Stage, Tensor],
    ) -> None:
        """Replaces the value that arrives at a stage by its affine part."""
        here, constants = bounds[stage], self._parts.constants[stage]
        size = coefficients.abs()
        total.add(coefficients @ constants, size @ constants.abs(), len(constants))
        total.add(-(size @ here.error), size @ here.error, len(constants))
        for source, pulled in self._parts.pull(stage, coefficients).items():
            open_stages[source] = open_stages[source] + pulled if source in open_stages else pulled

    def _replaced(self, stage: Stage, coefficients: Tensor, here: StageBounds, total: _Sum) -> Tensor:
        """Replaces what a stage gives by lines in what arrives there."""
        positive, negative = coefficients.clamp(min=0), coefficients.clamp(max=0)
        if isinstance(stage, str):
            total.products(negative, here.after.high)
            return self._to_winners(stage, positive, here)
        found = lines(self._functions[stage], self._parts.activations[stage], here.before, self._eps)
        total.products(positive, found.lower)
        total.products(negative, found.upper)
        return positive * found.lower_slope + negative * found.upper_slope

    def _to_winners(self, name: str, coefficients: Tensor, here: StageBounds) -> Tensor:
        """A pooled value is at least that of the entry with the largest lower bound."""
        kernel, stride, padding, dilation, ceil_mode = max_pool_geometry(self._parts.pools[name])
        low = here.before.low.reshape(1, *self._parts.shapes[name])
        _, winners = functional.max_pool2d(
            low, kernel, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=True
        )
        rows = coefficients.reshape(len(coefficients), *winners.shape[1:]).flatten(-2)
        entries = winners.flatten(-2).expand(rows.shape)
        return torch.zeros(len(rows), *low.shape[1:]).double().flatten(-2).scatter_add(-1, entries, rows).flatten(1)


class _Sum:
    """A sum of many terms, their sizes and how many there are."""

    def __init__(self, rows: int) -> None:
        self._value = torch.zeros(rows, dtype=torch.float64)
        self._size = torch.zeros(rows, dtype=torch.float64)
        self._n = 0

    def add(self, values: Tensor, sizes: Tensor, n: int) -> None:
        """Adds sums of n terms each, whose absolute values sum up to ``sizes``."""
        self._value, self._size, self._n = self._value + values, self._size + sizes, self._n + n + 1

    def products(self, coefficients: Tensor, values: Tensor) -> None:
        """Adds coefficients . values."""
        self.add(coefficients @ values, coefficients.abs() @ values.abs(), len(values))

    def low(self) -> Tensor:
        """What the exact sum is at least."""
        return down(self._value - gamma(self._n + 2, 4 * EPS64) * self._size)
