"""The sign of one neuron over the box of a few inputs, which is halved until its bounds in every part say it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import torch
from torch import Tensor

from dnncov_core.proofs.box_bounds import BoxBounds, Boxes

AT_A_TIME = 512
"""Boxes that are halved together; others wait until these are done, so that few are kept however many there are."""
MOST_HALVINGS = 20
"""Of each input, on average, after which a neuron is given up: what a box leaves open then, smaller ones do, too."""


class BoxSigns:
    """Extremes of u for the neurons of one layer.

    ``look`` is shown inputs, ``(n, d)``, that have the sign which was to be ruled out.
    """

    def __init__(self, bounds: BoxBounds, layer: int, look: Callable[[Tensor], None]) -> None:
        self._bounds, self._layer, self._look = bounds, layer, look
        self.given_up: list[int] = []
        """Neurons that more time does not help."""

    @torch.no_grad()
    def extreme(self, neuron: int, sign: int, seconds: float) -> float:
        """What u of a neuron is proved to be at most (sign +1), or at least (-1), if that rules out a sign of u.

        Infinite if it is not proved in the time given, or an input has that sign.
        """
        stop, place, whole = time.monotonic() + seconds, (self._layer, neuron), self._bounds.whole(self._layer)
        waiting, most, last = [(whole, 0)], -math.inf, MOST_HALVINGS * whole.low.shape[1]
        while waiting:
            boxes, halvings = waiting.pop()
            if len(boxes) > AT_A_TIME:
                waiting.append((boxes[AT_A_TIME:], halvings))
                boxes = boxes[:AT_A_TIME]
            boxes, u = self._bounds.asked(boxes, place, place)
            ends = u.high if sign > 0 else -u.low
            still = ends >= 0 if sign > 0 else ends > 0
            most, boxes = max([most, *ends[~still].tolist()]), boxes[still]
            if self._met(boxes, neuron, sign) or (len(boxes) and halvings == last):
                self.given_up.append(neuron)
                return sign * math.inf
            if time.monotonic() >= stop:
                return sign * math.inf
            if len(boxes):
                waiting.append((boxes.halves(), halvings + 1))
        return sign * most

    def _met(self, boxes: Boxes, neuron: int, sign: int) -> bool:
        """Whether the middle of a box has the sign."""
        u = self._bounds.middles(boxes, self._layer)[self._layer][:, neuron]
        found = u >= 0 if sign > 0 else u < 0
        self._look(((boxes.low + boxes.high) / 2)[found])
        return bool(found.any())
