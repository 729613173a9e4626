"""The paper's Algorithm 1, get_input_pair, for a batch of targets.

The paper leaves open what this reading decides. F is the loss of FGSM, the cross-entropy of x1's label, and its
gradient is followed by its sign, as FGSM does. x2 starts at an FGSM step from x1 whose size epsilon is drawn uniformly
up to `LARGEST`. f^widen asks only that no neuron but the condition feature changes its sign in layer k; for free
features, that not more change than a feature may have. Binary search of epsilon: each step halves it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from dnncov_core.generators.ball import in_shape
from dnncov_core.generators.batched_search import BatchedSearch, Slot, SlotAnswer
from dnncov_core.generators.line_search import Reached
from dnncov_core.generators.shortfall import BatchConditions, Shortfall

LARGEST = 8 / 255
"""The largest FGSM step that x2 starts with, as a share of the pixel range; the paper's distances are a few levels."""
STEPS = 12
"""Steps from one seed; after them epsilon is less than a thousandth of the first."""


class PapersSearch(BatchedSearch):
    """The paper's Algorithm 1, as the docstring of this module reads it."""

    def _answers(self, slots: Sequence[Slot]) -> list[SlotAnswer]:
        x1 = self.inputs(slots)
        pairs, tiny = [slot.pair for slot in slots], torch.finfo(x1.dtype).tiny  # f itself, without a margin
        conditions = BatchConditions(self.network, self.criterion, pairs, x1, margin=tiny, labels=True)
        assert conditions.first is not None
        gradient = _gradient(conditions.first, conditions.x1)
        conditions.forget()
        reached = Reached.nothing(x1, [slot.passes for slot in slots])
        reached.passes += 2
        epsilon = x1.new_tensor([self._drawn(slot) for slot in slots])
        x2 = self._moved(x1, gradient, epsilon)
        rows = torch.arange(len(slots), device=x1.device)
        for _ in range(STEPS):
            rows = reached.affording(rows, 2)
            if not len(rows):
                break
            x = x2[rows].requires_grad_()
            some = conditions.some(rows)
            shortfall = some.shortfall(x)
            gradient = _gradient(shortfall, x)
            reached.passes[rows] += 2
            reached.note(rows, x.detach(), shortfall)
            epsilon[rows] /= 2
            direction = torch.where(shortfall.wrong > 0, -1.0, 1.0)
            x2[rows] = self._moved(x.detach(), gradient, direction * epsilon[rows])
            rows = rows[~shortfall.covers]
        return self.results(reached.covering, covers=reached.covers, complete=reached.covers, passes=reached.passes)

    def _drawn(self, slot: Slot) -> float:
        """The first epsilon, by the target and its seed."""
        pair, parameters = slot.pair, self.parameters
        text = f"epsilon {parameters.random_seed} {pair} {slot.seed.row}"
        low, high = self.network.bounds
        drawn = np.random.default_rng(list(hashlib.sha256(text.encode()).digest())).uniform(0, LARGEST)
        return float(drawn) * (high - low)

    def _moved(self, x: Tensor, gradient: Tensor, epsilon: Tensor) -> Tensor:
        """x + epsilon sign(gradient) within bounds and on the grid."""
        levels = self.parameters.grid.levels
        moved = (x + in_shape(epsilon, x) * gradient.sign()).clamp(*self.network.bounds)
        return moved if levels is None else (moved * levels).round() / levels


def _gradient(shortfall: Shortfall, x: Tensor) -> Tensor:
    """The gradient of FGSM's loss by x."""
    assert shortfall.loss is not None
    (gradient,) = torch.autograd.grad(shortfall.loss, x)
    return gradient
