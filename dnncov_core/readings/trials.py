"""Trials of readings: what is done to inputs, outputs and labels, and for which inputs the network is then right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dnncov_core.data import Data
from dnncov_core.errors import DataError
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.ratios import Ratio, at_least
from dnncov_core.readings.label_orders import LabelOrder, permutation, usual_orders
from dnncov_core.readings.steps import Step
from dnncov_core.types import BoolArray, DecisionRule, FloatArray, IntArray

Reading = tuple[Step, ...]
"""What is done to inputs, in this order."""
NEAR_CHANCE = 0.1
"""Share of the way from chance to perfect that accuracy must reach."""
CLEARLY = 0.001
"""How probable luck may be where a reading is clearly better: the sign test of the inputs that tell them apart."""
TIED = 0.05
"""The same for two readings that are not told apart, from both sides."""
SLACK = 1e-6
"""Share of the range by which rounding may take inputs out of bounds."""


def least_accuracy(n_classes: int) -> float:
    """The accuracy below which a network is near chance.

    >>> least_accuracy(10)
    0.19
    """
    return 1 / n_classes + NEAR_CHANCE * (1 - 1 / n_classes)


@dataclass(frozen=True, eq=False)
class Trial:
    """A reading and the inputs to which the network then gives their label.

    Attributes:
        steps: what is done to inputs, in this order.
        decision: the rule by which outputs decide, where it is not the network's own.
        labels: what is done to labels.
        inside: whether inputs then lie within the network's bounds.
        correct: for each input of the sample, or of its beginning, whether it is classified correctly.
        least: the accuracy below which it is near chance.
    """

    steps: Reading
    decision: DecisionRule | None
    labels: LabelOrder | None
    inside: bool
    correct: BoolArray
    least: float

    @property
    def accuracy(self) -> Ratio:
        """How many inputs are classified correctly."""
        return Ratio(int(self.correct.sum()), len(self.correct))

    @property
    def share(self) -> float:
        """The share of inputs that are classified correctly."""
        return float(self.correct.mean())

    @property
    def is_poor(self) -> bool:
        """Whether it is near chance."""
        return self.share < self.least

    @property
    def changes(self) -> int:
        """How many things are done that are not done as it is."""
        return len(self.steps) + (self.decision is not None) + (self.labels is not None)

    @property
    def causes(self) -> tuple[str, ...]:
        """What is wrong, a sentence each."""
        decided = () if self.decision is None else (f"the {WORDS[self.decision]} output decides",)
        return (*(step.cause for step in self.steps), *decided, *([self.labels.cause] if self.labels else []))

    @property
    def mends(self) -> tuple[str, ...]:
        """Lines of Python that mend it."""
        lines = [f"x = {step.code}" for step in self.steps]
        lines += [] if self.decision is None else [f'Network(..., decision="{self.decision}")']
        return (*lines, *([f"labels = {self.labels.code}"] if self.labels else []))

    def leads(self, other: Trial) -> bool:
        """Whether it is better, on the inputs to which only one of the two gives the label."""
        wins, losses = self._apart(other)
        return wins > losses

    def beats(self, other: Trial) -> bool:
        """Whether it is clearly better, by the same inputs."""
        wins, losses = self._apart(other)
        return wins > losses and at_least(wins, wins + losses, 0.5) < CLEARLY

    def ties(self, other: Trial) -> bool:
        """Whether these inputs do not tell them apart."""
        wins, losses = self._apart(other)
        return wins == losses or 2 * at_least(max(wins, losses), wins + losses, 0.5) >= TIED

    def _apart(self, other: Trial) -> tuple[int, int]:
        shared = slice(min(len(self.correct), len(other.correct)))
        own, others = self.correct[shared], other.correct[shared]
        return int((own & ~others).sum()), int((others & ~own).sum())


WORDS: dict[DecisionRule, str] = {"max": "largest", "min": "smallest"}
OTHER_RULES: dict[DecisionRule, tuple[DecisionRule | None, ...]] = {
    "max": (None, "min"),
    "min": (None, "max"),
    "threshold": (None,),
}
"""The rules of decision that are tried, by a network's own, which is None."""


def truth_of(network: Network, data: Data) -> IntArray | FloatArray:
    """What the network's answers should be: the labels, or the targets of a regression.

    Raises:
        DataError: there are none.
    """
    truth = data.truth(targets=bool(network.quantities))
    if truth is None:
        raise DataError("labels, or the targets of a regression", f"none in {data.name}", "add them")
    return truth


def least_of(network: Network) -> float:
    """The accuracy below which a network is near chance; a regression has no chance level."""
    return NEAR_CHANCE if network.quantities else least_accuracy(len(network.classes))


class Sample:
    """A network and the inputs that it is tried on; what it answers to them is kept.

    Attributes:
        n_sent: how many inputs have been sent through the network so far.
    """

    def __init__(self, network: Network, data: Data, rows: IntArray) -> None:
        self.network = network.to(memory_format=torch.channels_last)  # the same to rounding, and quicker on CPUs
        self.data, self.rows = data, rows
        self.n_sent = 0
        self._answers: dict[Reading, tuple[Tensor, bool]] = {}

    def trials(self, reading: Reading, n: int | None = None) -> Iterator[Trial]:
        """A reading with each rule of decision and each order of labels, on the first ``n`` inputs, or on all."""
        rows, least = self.rows[:n], least_of(self.network)
        outputs, inside = self._answered(reading, len(rows))
        truth, finite = truth_of(self.network, self.data)[rows], np.isfinite(outputs.numpy()).all(axis=1)
        yield Trial(reading, None, None, inside, finite & self.network.decision.agrees(outputs, truth), least)
        if isinstance(self.network.decision, LabelDecision):
            own, labels = self.network.decision.rule, truth.astype(np.int64)
            for rule in OTHER_RULES[own]:
                decision = LabelDecision(rule or own)
                predicted = np.where(finite, decision.labels(outputs).numpy(), -1)
                if rule is not None:
                    yield Trial(reading, rule, None, inside, predicted == labels, least)
                for order in self._orders(np.maximum(predicted, 0), labels):
                    yield Trial(reading, rule, order, inside, finite & (predicted == order.right(labels)), least)

    def _orders(self, predicted: IntArray, labels: IntArray) -> Iterator[LabelOrder]:
        classes = self.network.classes
        yield from usual_orders(labels, classes)
        found = permutation(predicted, labels, len(classes)) if labels.max() < len(classes) else None
        yield from () if found is None else (found,)

    def _answered(self, reading: Reading, n: int) -> tuple[Tensor, bool]:
        """The network's outputs for the first inputs, and whether these are within its bounds, but for rounding."""
        network, (low, high) = self.network, self.network.bounds
        outputs, inside = self._answers.get(reading, (torch.empty(0), True))
        known, slack = len(outputs), SLACK * (high - low)
        parts = [outputs] if known else []
        with torch.no_grad():
            for part in batches(network, n - known):
                rows = self.rows[known:n][part]
                x = torch.from_numpy(self.data.pixels(rows)).to(network.device, network.dtype)
                for step in reading:
                    x = step.act(x)
                parts.append(network(x).cpu())
                inside &= low - slack <= float(x.min()) and float(x.max()) <= high + slack
                self.n_sent += len(rows)
        self._answers[reading] = torch.cat(parts), inside
        return self._answers[reading]
