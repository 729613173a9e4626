"""Whether any two inputs cover SS of a neuron pair: boxes for x1 and boxes for x2, halved until none go together.

x1 has neuron i of layer k on, and x2 has it off; decision neuron j has one sign at x1 and the other at x2. The other
neurons of layer k have the same signs at both, so that a box of x1 and a box of x2 go together unless some neuron is on
all over the one and off all over the other. What goes together with nothing is dropped. The side with fewer boxes is
halved: the smaller the part of the box that it is confined to, the more signs it asks of the other side. Where the
middles of two boxes are a test pair themselves, nothing is left to prove.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import torch
from torch import Tensor

from dnncov_core.criteria.covering_methods import Change, CoveringMethod
from dnncov_core.proofs.box_bounds import BoxBounds, Boxes
from dnncov_core.records import Target

MOST_BOXES = 60_000
"""Boxes of the smaller side at which a condition is given up."""
ROWS_AT_ONCE = 2048
"""Boxes of one side that are compared with all of the other together."""
SIDES = (0, 1)


def asks_pairs(method: CoveringMethod, target: Target) -> bool:
    """Whether a test condition asks single neurons of both layers to change their signs."""
    changes = method.condition is Change.SIGN and method.decision is Change.SIGN
    return changes and len(target.condition_neurons) == len(target.decision_neurons) == 1


@torch.no_grad()
def no_pair(bounds: BoxBounds, target: Target, stop: float = math.inf) -> bool:
    """Whether it is proved that no two inputs cover a condition that `asks_pairs`.

    False too if it is not proved when the monotonic clock reaches ``stop``, in seconds.
    """
    return all(_Search(bounds, target, sign).proves(stop) for sign in (1, -1))


class _Search:
    """Boxes for x1, where the decision neuron has the sign given, and boxes for x2."""

    def __init__(self, bounds: BoxBounds, target: Target, sign: int) -> None:
        self._bounds = bounds
        self._condition = (target.condition_layer, target.condition_neurons[0])
        self._decision = (target.decision_layer, target.decision_neurons[0])
        self._wanted = ((1, sign), (-1, -sign))
        self._patterns: tuple[set[bytes], set[bytes]] = (set(), set())

    def proves(self, stop: float) -> bool:
        """Halves boxes until no two of them go together, or time is up."""
        whole = self._bounds.whole(self._decision[0])
        sides: Sequence[Boxes] = [self._possible(whole, side) for side in SIDES]
        while all(map(len, sides)):
            sides = self._together(*sides)
            smaller = min(SIDES, key=lambda side: len(sides[side]))
            met = not self._patterns[0].isdisjoint(self._patterns[1])
            if met or len(sides[smaller]) > MOST_BOXES or time.monotonic() >= stop:
                return False
            if len(sides[smaller]):
                halves = self._possible(sides[smaller].halves(), smaller)
                sides = [halves if side == smaller else sides[side] for side in SIDES]
        return True

    def _possible(self, boxes: Boxes, side: int) -> Boxes:
        """The boxes that may have an input with the wanted signs of both neurons."""
        (layer, neuron), (condition, decision) = self._condition, self._wanted[side]
        self._look(boxes, side)
        found, u = self._bounds.asked(boxes, self._condition, self._decision)
        return found[(found.signs[layer][:, neuron] != -condition) & (u.high >= 0 if decision > 0 else u.low < 0)]

    def _look(self, boxes: Boxes, side: int) -> None:
        """Notes the signs of the other neurons of layer k at those middles of boxes that have the wanted signs."""
        u = self._bounds.middles(boxes, self._decision[0])
        asked = torch.stack([u[layer][:, neuron] >= 0 for layer, neuron in (self._condition, self._decision)], 1)
        on = u[self._condition[0]][(asked == (torch.tensor(self._wanted[side]) > 0)).all(1)] >= 0
        on[:, self._condition[1]] = False
        self._patterns[side].update(row.tobytes() for row in on.numpy())

    def _together(self, first: Boxes, second: Boxes) -> tuple[Boxes, Boxes]:
        """The boxes of each side that go together with some box of the other."""
        on, off = self._others(first)
        ours = torch.cat([on, off], 1)
        on, off = self._others(second)
        theirs = torch.cat([off, on], 1).T
        kept, others = [], torch.zeros(len(second), dtype=torch.bool)
        for rows in torch.split(ours, ROWS_AT_ONCE):
            fits = (rows @ theirs) == 0
            kept.append(fits.any(1))
            others |= fits.any(0)
        return first[torch.cat(kept)], second[others]

    def _others(self, boxes: Boxes) -> tuple[Tensor, Tensor]:
        """Which neurons of layer k besides i are on all over each box, and which are off, each as 0 or 1."""
        layer, neuron = self._condition
        signs = boxes.signs[layer].clone()
        signs[:, neuron] = 0
        return (signs > 0).float(), (signs < 0).float()
