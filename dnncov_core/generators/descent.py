"""Steps against the gradient of all that a test condition lacks, where no straight way leads to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from dnncov_core.generators.ball import in_shape
from dnncov_core.generators.line_search import Reached
from dnncov_core.generators.shortfall import BatchConditions, Shortfall

DECAY = 0.85
SAMPLE = 4096
"""Inputs by which the size of the largest gradients is judged."""


@dataclass(frozen=True)
class Scales:
    """What each part lacked at first, by which parts are made comparable; each ``(batch,)``."""

    decision: Tensor
    condition: Tensor
    label: Tensor | None

    @classmethod
    def of(cls, first: Shortfall) -> Scales:
        """From the shortfall at x1."""
        return cls(_size(first.decision), _size(first.condition), None if first.label is None else _size(first.label))

    def loss(self, shortfall: Shortfall, rows: Tensor) -> Tensor:
        """Hinges on every part that lacks and on every sign that should not have changed, ``(len(rows),)``."""
        decision = shortfall.decision.clamp(min=0).where(shortfall.enough, shortfall.decision)
        total = decision / self.decision[rows] + shortfall.excess / self.decision[rows]
        named = torch.isfinite(shortfall.condition)
        total = total + (shortfall.condition.clamp(min=0) / self.condition[rows]).where(named, 0.0)
        for lacking in shortfall.effects:
            total = total + lacking.clamp(min=0) / self.decision[rows]
        if shortfall.label is None or self.label is None:
            return total
        return total + shortfall.label.clamp(min=-self.label[rows]) / self.label[rows]


def _size(lacking: Tensor) -> Tensor:
    size = lacking.detach().abs()
    return size.where(torch.isfinite(size), 1.0).clamp(min=1e-6)


def moved(x: Tensor, gradient: Tensor, t: Tensor, levels: int | None) -> Tensor:
    """x against the gradient's sign by t ``(batch,)``.

    On a grid t counts grid steps: at t = n + f all inputs move by n steps, and the share f of those with the largest
    gradient, judged by some of them, by one more.
    """
    if levels is None:
        return x - in_shape(t, x) * gradient.sign()
    size = gradient.abs()
    some = size.flatten(1)[:, :: max(1, size[0].numel() // SAMPLE)].sort(dim=1, descending=True).values
    place = (t.frac() * some.shape[1]).long().clamp(max=some.shape[1] - 1)
    least = some.gather(1, place[:, None])
    steps = in_shape(t.floor(), x) + (size >= in_shape(least, x))
    return x - steps / levels * gradient.sign()


def descend(
    conditions: BatchConditions,
    scales: Scales,
    start: Tensor,
    reached: Reached,
    *,
    step: Tensor,
    levels: int | None,
    onto: Callable[[Tensor, Tensor], Tensor],
    steps: int,
) -> None:
    """Moves the slots that do not hold yet, and notes what it sees; a slot that holds leaves the batch.

    Args:
        conditions: the slots' conditions.
        scales: what their parts lacked at x1.
        start: the inputs to begin at, ``(batch, *input_shape)``.
        reached: receives the points and counts the passes.
        step: t of the first step, see `moved`, ``(batch,)``; 0 leaves a slot out.
        levels: steps of the grid from 0 to 1.
        onto: takes x2 of the slots with some numbers to the nearest within box, bound and grid.
        steps: the most steps.
    """
    z = start.clone()
    rows = (~reached.holds & (step > 0)).nonzero().flatten()
    for number in range(steps):
        rows = reached.affording(rows, 2)
        if not len(rows):
            return
        x2 = onto(rows, z[rows]).requires_grad_()
        shortfall = conditions.some(rows).shortfall(x2)
        reached.note(rows, x2.detach(), shortfall)
        (gradient,) = torch.autograd.grad(scales.loss(shortfall, rows).sum(), x2)
        reached.passes[rows] += 2
        z[rows] = moved(z[rows], gradient, step[rows] * DECAY**number, levels)
        rows = rows[~shortfall.holds]
