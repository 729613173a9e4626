"""How the outputs of a network decide the label of an input."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

import torch
from torch import Tensor

from dnncov_core.errors import NetworkError
from dnncov_core.outside_values import shown
from dnncov_core.types import DecisionRule

RULES: tuple[DecisionRule, ...] = get_args(DecisionRule)


@dataclass(frozen=True)
class Decision:
    """The label is the class of the largest output, or of the smallest; or whether one output is above a threshold.

    Attributes:
        rule: ``max``, ``min`` or ``threshold``.
        threshold: of the rule ``threshold``, in units of the output before a sigmoid at the end.
    """

    rule: DecisionRule = "max"
    threshold: float = 0.0

    def scores(self, outputs: Tensor) -> Tensor:
        """Affine functions of the outputs, ``(batch, n)``: the largest is that of the label, ``(batch, classes)``."""
        if self.rule == "threshold":
            return torch.cat([torch.zeros_like(outputs), outputs - self.threshold], dim=1)
        return -outputs if self.rule == "min" else outputs

    def labels(self, outputs: Tensor) -> Tensor:
        """The labels of a batch of outputs, ``(batch,)``."""
        return self.scores(outputs).argmax(dim=1)

    def n_classes(self, n_outputs: int) -> int:
        """How many labels there are."""
        return 2 if self.rule == "threshold" else n_outputs


def checked_decision(rule: object, threshold: object, n_outputs: int, *, after_sigmoid: bool) -> Decision:
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
        return Decision(known)
    number = float(threshold) if isinstance(threshold, int | float) and not isinstance(threshold, bool) else math.nan
    low, high = (0.0, 1.0) if after_sigmoid else (-math.inf, math.inf)
    if known != "threshold" or not low < number < high:
        expected = f"a threshold only of one output, and there {'between 0 and 1' if after_sigmoid else 'finite'}"
        raise NetworkError(expected, f"{shown(threshold)} for {n_outputs}", "change the threshold, or leave it out")
    return Decision(known, math.log(number / (1 - number)) if after_sigmoid else number)
