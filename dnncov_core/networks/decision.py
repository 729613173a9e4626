"""What the outputs of a network say of an input: a label, or numbers that may move within a tolerance."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import get_args

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from dnncov_core.errors import NetworkError
from dnncov_core.networks.arguments import checked_texts
from dnncov_core.outside_values import shown
from dnncov_core.records import Quantity
from dnncov_core.types import BoolArray, DecisionRule, FloatArray, IntArray

RULES: tuple[DecisionRule, ...] = get_args(DecisionRule)
WITHIN = ("within tolerance", "beyond tolerance")
"""What outputs without classes are, beside those of the seed."""


class Decision(ABC):
    """Judges outputs, ``(batch, n)``, by those of seeds, ``of`` of the same shape."""

    @abstractmethod
    def classes(self, n_outputs: int) -> int:
        """How many labels there are."""

    @abstractmethod
    def agrees(self, outputs: Tensor, truth: IntArray | FloatArray) -> BoolArray:
        """Whether outputs are what the data say, ``(batch,)``."""

    @abstractmethod
    def differs(self, outputs: Tensor, of: Tensor) -> Tensor:
        """Whether outputs decide otherwise than those of the seeds do, ``(batch,)``."""

    @abstractmethod
    def leads(self, outputs: Tensor, of: Tensor) -> Tensor:
        """By how much the seed's decision leads before each other one, ``(batch, m)``; infinite where it is no other.

        Each is affine in the outputs. What falls below 0 is decided otherwise.
        """

    @abstractmethod
    def loss(self, outputs: Tensor, of: Tensor) -> Tensor:
        """What gradient ascent makes larger to get another decision, summed over the batch."""

    @abstractmethod
    def verdict(self, outputs: Tensor, of: Tensor) -> list[tuple[int, float]]:
        """Labels and confidences of a seed and of another input, from the outputs of each, ``(1, n)``."""


@dataclass(frozen=True)
class LabelDecision(Decision):
    """The label is the class of the largest output, or of the smallest; or whether one output is above a threshold.

    Attributes:
        rule: ``max``, ``min`` or ``threshold``.
        threshold: of the rule ``threshold``, in units of the output before a sigmoid at the end.
    """

    rule: DecisionRule = "max"
    threshold: float = 0.0

    def classes(self, n_outputs: int) -> int:
        return 2 if self.rule == "threshold" else n_outputs

    def scores(self, outputs: Tensor) -> Tensor:
        """Affine functions of the outputs: the largest is that of the label, ``(batch, classes)``."""
        if self.rule == "threshold":
            return torch.cat([torch.zeros_like(outputs), outputs - self.threshold], dim=1)
        return -outputs if self.rule == "min" else outputs

    def labels(self, outputs: Tensor) -> Tensor:
        """The labels of a batch of outputs, ``(batch,)``."""
        return self.scores(outputs).argmax(dim=1)

    def agrees(self, outputs: Tensor, truth: IntArray | FloatArray) -> BoolArray:
        found: BoolArray = self.labels(outputs).cpu().numpy() == truth
        return found

    def differs(self, outputs: Tensor, of: Tensor) -> Tensor:
        return self.labels(outputs) != self.labels(of)

    def leads(self, outputs: Tensor, of: Tensor) -> Tensor:
        scores, own = self.scores(outputs), self.labels(of)[:, None]
        return (scores.gather(1, own) - scores).scatter(1, own, torch.inf)

    def loss(self, outputs: Tensor, of: Tensor) -> Tensor:
        return functional.cross_entropy(self.scores(outputs), self.labels(of), reduction="sum")

    def verdict(self, outputs: Tensor, of: Tensor) -> list[tuple[int, float]]:
        found = []
        for each in (of, outputs):
            probabilities = self.scores(each)[0].double().softmax(dim=0)
            label = int(probabilities.argmax())
            found.append((label, float(probabilities[label])))
        return found


@dataclass(frozen=True)
class ToleranceDecision(Decision):
    """Regression: outputs decide otherwise than those of the seed where one of them moves by more than its tolerance.

    ``tolerance`` has a number for each output, in its unit.
    """

    tolerance: tuple[float, ...]

    def classes(self, n_outputs: int) -> int:
        return len(WITHIN)

    def agrees(self, outputs: Tensor, truth: IntArray | FloatArray) -> BoolArray:
        found: BoolArray = (np.abs(outputs.double().cpu().numpy() - truth) <= np.array(self.tolerance)).all(axis=1)
        return found

    def differs(self, outputs: Tensor, of: Tensor) -> Tensor:
        return self._moves(outputs, of).amax(dim=1) > 1

    def leads(self, outputs: Tensor, of: Tensor) -> Tensor:
        return 1 - self._moves(outputs, of)

    def loss(self, outputs: Tensor, of: Tensor) -> Tensor:
        up, down = self._moves(outputs, of).chunk(2, dim=1)
        return torch.where(up >= 0, up, down).amax(dim=1).sum()  # not flat where nothing moved yet

    def verdict(self, outputs: Tensor, of: Tensor) -> list[tuple[int, float]]:
        return [(0, 1.0), (int(self.differs(outputs, of)), 1.0)]

    def _moves(self, outputs: Tensor, of: Tensor) -> Tensor:
        """How far each output moved up, and down, in shares of its tolerance, ``(batch, 2 n)``."""
        up = (outputs - of) / outputs.new_tensor(self.tolerance)
        return torch.cat([up, -up], dim=1)


def checked_quantities(tolerance: object, names: object, units: object, n_outputs: int) -> tuple[Quantity, ...]:
    """The outputs of a regression, from its tolerance: a number, or one for each output; none without a tolerance.

    Raises:
        NetworkError: a tolerance that is not above 0, or not as many tolerances, names or units as there are outputs.
    """
    if tolerance is None and names is None and units is None:
        return ()
    given = np.asarray(tolerance, dtype=object).ravel().tolist()
    numbers = [float(each) for each in given if isinstance(each, int | float) and 0 < each < math.inf]
    if len(numbers) != len(given) or len(given) not in (1, n_outputs):
        expected = f"tolerance, a number above 0, or {n_outputs} of them, one for each output"
        raise NetworkError(expected, shown(tolerance), "change the tolerance")
    named = checked_texts("quantities", names, n_outputs, "the outputs") or [f"output {i}" for i in range(n_outputs)]
    of = checked_texts("quantity_units", units, n_outputs, "the outputs") or [""] * n_outputs
    tolerances = numbers * n_outputs if len(numbers) == 1 else numbers
    return tuple(map(Quantity, named, of, tolerances))


def checked_decision(rule: object, threshold: object, n_outputs: int, *, after_sigmoid: bool) -> LabelDecision:
    """How a network decides, from what its user says.

    Args:
        rule: one of `RULES`; None for the threshold where there is one output, else the largest.
        threshold: of one output, as the module gives it; None for 0, or 0.5 after a sigmoid.
        n_outputs: how many outputs there are.
        after_sigmoid: whether the module ends with a sigmoid, before which the output is taken.

    Raises:
        NetworkError: there is no such rule, it does not fit the number of outputs, or the threshold is none.
    """
    asked = rule if rule is not None else "threshold" if n_outputs == 1 else "max"
    known = next((each for each in RULES if each == asked), None)
    if known is None or n_outputs < 1 or (known == "threshold") != (n_outputs == 1):
        expected = "the decision threshold for one output, max or min for several"
        raise NetworkError(expected, f"{shown(rule)} for {n_outputs}", "change the decision, or leave it out")
    if threshold is None:
        return LabelDecision(known)
    number = float(threshold) if isinstance(threshold, int | float) and not isinstance(threshold, bool) else math.nan
    low, high = (0.0, 1.0) if after_sigmoid else (-math.inf, math.inf)
    if known != "threshold" or not low < number < high:
        expected = f"a threshold only of one output, and there {'between 0 and 1' if after_sigmoid else 'finite'}"
        raise NetworkError(expected, f"{shown(threshold)} for {n_outputs}", "change the threshold, or leave it out")
    return LabelDecision(known, math.log(number / (1 - number)) if after_sigmoid else number)
