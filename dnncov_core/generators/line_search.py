"""The nearest point of a way at which a test condition holds: bracketed, then bisected, all slots at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from dnncov_core.generators.directions import Between, Way
from dnncov_core.generators.shortfall import BatchConditions, Shortfall

GROWTH = 1.5
EXACT = 0.05
"""A step is taken back until it is known to this share."""


@dataclass
class Reached:
    """The nearest x2 of each slot so far, and the passes that it cost.

    Attributes:
        x2: a point where the condition holds, with another label where that is asked; ``(batch, *input_shape)``.
        holds: whether there is such a point, ``(batch,)``.
        covering: a point where the test condition alone holds.
        covers: whether there is such a point, ``(batch,)``.
        passes: forward and backward passes, ``(batch,)``.
        most: the most passes that each slot may spend, ``(batch,)``.
    """

    x2: Tensor
    holds: Tensor
    covering: Tensor
    covers: Tensor
    passes: Tensor
    most: Tensor

    @classmethod
    def nothing(cls, x1: Tensor, most: Tensor | Sequence[int]) -> Reached:
        """Before the first step."""
        none = torch.zeros(len(x1), dtype=torch.bool, device=x1.device)
        return cls(x1.clone(), none, x1.clone(), none.clone(), none.long(), torch.as_tensor(most, device=x1.device))

    def affording(self, rows: Tensor, passes: int) -> Tensor:
        """Which of these slots may spend so many more passes, as their numbers."""
        return rows[self.passes[rows] + passes <= self.most[rows]]

    def note(self, rows: Tensor, x2: Tensor, shortfall: Shortfall) -> None:
        """What was seen at x2 by some slots; a later point replaces an earlier one."""
        holds, covers = rows[shortfall.holds], rows[shortfall.covers]
        self.x2[holds], self.covering[covers] = x2[shortfall.holds], x2[shortfall.covers]
        self.holds[holds] = self.covers[covers] = True


def nearest(
    conditions: BatchConditions, points: Way | Between, reached: Reached, *, first: Tensor, high: Tensor, rounds: int
) -> Tensor:
    """Looks for the least t at which each slot holds, and notes what it sees; slots that are done leave the batch.

    Args:
        conditions: the slots' conditions.
        points: their ways.
        reached: receives the points and counts the passes.
        first: t to look at first, ``(batch,)``; 0 leaves a slot out.
        high: the largest t that is tried, ``(batch,)``.
        rounds: the most points of a way that are tried.

    Returns:
        For each slot the largest t at which nothing was wrong yet, ``(batch,)``.
    """
    low, farthest, t = torch.zeros_like(first), high.clone(), torch.minimum(first, high)
    bracketed = torch.zeros_like(reached.holds)
    rows = (first > 0).nonzero().flatten()
    for _ in range(rounds):
        rows = reached.affording(rows, 1)
        if not len(rows):
            break
        x2 = points.some(rows).at(t[rows])
        with torch.no_grad():
            shortfall = conditions.some(rows).shortfall(x2)
        reached.passes[rows] += 1
        reached.note(rows, x2, shortfall)
        near = shortfall.too_near
        low[rows[near]], high[rows[~near]] = t[rows[near]], t[rows[~near]]
        bracketed[rows[~near]] = True
        t = torch.where(bracketed, (low + high) / 2, torch.minimum(t * GROWTH, farthest))
        gap = high - low
        rows = rows[(gap > EXACT * high)[rows] & (gap > points.finest)[rows]]
    return low
