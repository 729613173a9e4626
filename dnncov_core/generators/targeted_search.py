"""Gradient search that follows the test condition itself.

For each slot: the gradient of each part that the condition lacks at x1 gives the shortest way to first order; a line
search finds the nearest point of the way that holds. Where none does, steps against the gradient of all that lacks
follow, and what they find is taken back towards x1 as far as the condition holds. With objective adversarial another
label is one of the parts; with prefer, the parts without it are followed where that finds nothing.

An effect that is asked for is a part of the descent, and what it finds is looked for again nearer to x1. On a way, the
step was too large where other neurons change the decision without the condition.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from dnncov_core.criteria import NO_EFFECT, CoveringMethod
from dnncov_core.generators.ball import Ball, in_shape
from dnncov_core.generators.base import Parameters
from dnncov_core.generators.batched_search import LEAST_LEFT, BatchedSearch, Slot, SlotAnswer
from dnncov_core.generators.descent import Scales, descend
from dnncov_core.generators.directions import Between, linear_part, way, weighed
from dnncov_core.generators.line_search import Reached, nearest
from dnncov_core.generators.shortfall import BatchConditions, Shortfall
from dnncov_core.networks.network import Network

ROUNDS = 12
"""Points of a way that are tried."""
STEPS = 12
"""Steps of a descent."""
BALLS = 4
"""Smaller balls in which an effect is looked for again."""
BEYOND = 1.02
"""The first step goes a little farther than to first order it would have to."""


class TargetedSearch(BatchedSearch):
    """Follows the test condition of each slot, as the docstring of this module says."""

    def __init__(self, network: Network, criterion: CoveringMethod, parameters: Parameters) -> None:
        super().__init__(network, criterion, parameters)
        self._labels = parameters.objective != "distance"
        self._falls_back = parameters.objective == "prefer"
        self._ball = Ball(parameters.norm, parameters.bound if self._labels else None)
        low, high = network.bounds
        self._farthest = parameters.grid.levels or high - low

    def _answers(self, slots: Sequence[Slot]) -> list[SlotAnswer]:
        x1 = self.inputs(slots)
        reached = Reached.nothing(x1, [slot.passes for slot in slots])
        self._pursue(slots, x1, reached, labels=self._labels)
        if self._falls_back:
            rows = reached.affording((~reached.covers).nonzero().flatten(), LEAST_LEFT)
            alone = [slots[row] for row in rows.tolist()]
            if alone:
                self._cover_alone(alone, x1[rows], rows, reached)
        x2 = reached.x2.where(in_shape(reached.holds, x1), reached.covering)
        covers = reached.covers if self._falls_back else reached.holds
        return self.results(x2, covers=covers, complete=reached.holds, passes=reached.passes)

    def _cover_alone(self, slots: Sequence[Slot], x1: Tensor, rows: Tensor, reached: Reached) -> None:
        """The test condition without another label, for slots that found neither."""
        found = Reached.nothing(x1, reached.most[rows])
        found.passes += reached.passes[rows]
        self._pursue(slots, x1, found, labels=False)
        reached.passes[rows] = found.passes
        reached.covers[rows], reached.covering[rows] = found.covers, found.covering

    def _pursue(self, slots: Sequence[Slot], x1: Tensor, reached: Reached, *, labels: bool) -> None:
        conditions = BatchConditions(
            self.network,
            self.criterion,
            [slot.pair for slot in slots],
            x1,
            margin=self.parameters.margin,
            labels=labels,
            ball=self._ball,
        )
        first = conditions.first
        assert first is not None
        parts = [linear_part(lacking, conditions.x1) for lacking in _parts(first)]
        reached.passes += 1 + len(parts)
        scales = Scales.of(first)
        conditions.forget()
        levels = self.parameters.grid.levels
        straight = way(x1, weighed(parts), levels, self.network.bounds)
        farthest = torch.full_like(straight.start, self._farthest)
        kept = nearest(
            conditions,
            straight,
            reached,
            first=(straight.start * BEYOND).clamp(min=straight.finest),
            high=farthest,
            rounds=ROUNDS,
        )
        if bool(reached.holds.all()):
            return
        begin = torch.maximum(kept, straight.start.clamp(max=self._farthest))
        before = reached.holds.clone()
        descend(
            conditions,
            scales,
            straight.at(begin),
            reached,
            step=begin / 2,
            levels=levels,
            onto=lambda rows, x2: self._onto(x1[rows], x2),
            steps=STEPS,
        )
        descended = reached.holds & ~before
        self._take_back(conditions, reached, descended)
        if self.criterion.effect != NO_EFFECT:
            self._draw_nearer(conditions, scales, reached, descended)

    def _take_back(self, conditions: BatchConditions, reached: Reached, rows: Tensor) -> None:
        """Bisects between x1 and what a descent found."""
        one = torch.ones(len(rows), dtype=self.network.dtype, device=rows.device)
        between = Between(conditions.x1, reached.x2.clone(), self._onto)
        nearest(conditions, between, reached, first=0.5 * rows.to(one.dtype), high=one, rounds=5)

    def _draw_nearer(self, conditions: BatchConditions, scales: Scales, reached: Reached, rows: Tensor) -> None:
        """Descends again within smaller and smaller L-infinity balls: on the way back an effect is soon lost.

        ``reached`` receives nearer points of the slots in ``rows``, ``(batch,)`` of bool, for all of which it has one.
        """
        levels, x1 = self.parameters.grid.levels, conditions.x1
        low = x1.new_zeros(len(x1))
        for _ in range(BALLS):
            radius = (low + (reached.x2 - x1).flatten(1).abs().amax(dim=1)) / 2
            smaller = Reached.nothing(x1, reached.most)
            smaller.passes = reached.passes

            def onto(rows: Tensor, x2: Tensor, radius: Tensor = radius) -> Tensor:
                return self._onto(x1[rows], Ball("inf", radius[rows]).nearest(x1[rows], x2))

            descend(
                conditions,
                scales,
                reached.x2,
                smaller,
                step=rows * radius * (levels or 1) / 10,
                levels=levels,
                onto=onto,
                steps=STEPS,
            )
            reached.x2 = smaller.x2.where(in_shape(smaller.holds, x1), reached.x2)
            reached.covering = smaller.covering.where(in_shape(smaller.covers, x1), reached.covering)
            low = radius.where(~smaller.holds, low)

    def _onto(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The nearest x2 within bound, box and grid."""
        return self._ball.nearest(x1, x2, self.parameters.grid.levels).clamp(*self.network.bounds)


def _parts(first: Shortfall) -> list[Tensor]:
    """What can lack at x1: the decision, the condition feature, another label."""
    parts = [first.decision]
    if first.condition.requires_grad:
        parts.append(first.condition)
    return parts if first.label is None else [*parts, first.label]
