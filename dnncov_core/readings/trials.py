"""Trials of readings: what is done to inputs, outputs and labels, and for which inputs the network is then right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
from dnncov_core.readings.steps import FAMILIES, Step, steps, usual_range
from dnncov_core.types import BoolArray, DecisionRule, FloatArray, IntArray

NEAR_CHANCE = 0.1
"""Share of the way from chance to perfect that accuracy must reach."""
CLEARLY = 0.001
"""How probable luck may be where a reading is clearly better: the sign test of the inputs that tell them apart."""
TIED = 0.05
"""The same for two readings that are not told apart, from both sides."""
FEWEST_WRONG = 10
"""Wrong answers below which no reading can be clearly better."""
BEAM, ROUNDS = 3, 3
"""How many of the best readings get one more step while they are near chance, else one does; and how often."""
FEWEST, FIRST_TRIED, AGAIN = 12, 40, 8
"""Inputs that a reading is first tried on, in a large network and else; how many that lead are then tried on all."""
VALUES = 2**25
"""Of all layers together for the inputs that a reading is first tried on, where these are more than the fewest."""
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
    """

    steps: tuple[Step, ...]
    decision: DecisionRule | None
    labels: LabelOrder | None
    inside: bool
    correct: BoolArray

    @property
    def accuracy(self) -> Ratio:
        """How many inputs are classified correctly."""
        return Ratio(int(self.correct.sum()), len(self.correct))

    @property
    def share(self) -> float:
        """The share of inputs that are classified correctly."""
        return float(self.correct.mean())

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

    def beats(self, other: Trial) -> bool:
        """Whether it is clearly better, on the inputs to which only one of the two gives the label."""
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


@dataclass(frozen=True)
class Sample:
    """A network and the inputs that it is tried on."""

    network: Network
    data: Data
    rows: IntArray

    def all_trials(self, bases: Sequence[tuple[Step, ...]]) -> list[Trial]:
        """Readings with one step more and more, as long as one of them is clearly better than before.

        While all are near chance, two steps are tried together, too.
        """
        trials = [trial for base in bases for trial in self.trials(base)]
        leading, known = list(bases), set(bases)
        for n_steps in range(ROUNDS):
            before = max(trials, key=_by_share)
            if before.accuracy.total - before.accuracy.n < FEWEST_WRONG and before.inside:
                break
            longer = [(*each, step) for each in leading for step in self._steps() if _is_new(step, each)]
            added = [each for each in dict.fromkeys(map(_sorted, longer)) if each not in known]
            known.update(added)
            found = sorted(self._tried(added), key=_by_share, reverse=True)
            trials += found
            is_better = any(trial.beats(before) for trial in found[:AGAIN])
            if not found or not (is_better or (n_steps == 0 and self._is_poor(before))):
                break
            n_leading = BEAM if self._is_poor(found[0]) else 1
            leading = list(dict.fromkeys(trial.steps for trial in found))[:n_leading]
        return trials

    def _tried(self, readings: Sequence[tuple[Step, ...]]) -> Iterator[Trial]:
        """Readings on the first inputs; those that lead and are above chance on all of them."""
        neurons = sum(layer.neurons for layer in self.network.layers)
        n_first = max(FEWEST, min(FIRST_TRIED, VALUES // neurons))
        first = Sample(self.network, self.data, self.rows[:n_first])
        found = {each: sorted(first.trials(each), key=_by_share, reverse=True) for each in readings}
        order = sorted(readings, key=lambda each: _by_share(found[each][0]), reverse=True)
        again = [
            each
            for each in order[:AGAIN]
            if found[each][0].ties(found[order[0]][0]) and not self._is_poor(found[each][0])
        ]
        for each in readings:
            yield from self.trials(each) if each in again else found[each]

    def _is_poor(self, trial: Trial) -> bool:
        return trial.share < least_of(self.network)

    def _steps(self) -> tuple[Step, ...]:
        return steps(self.data.shape, usual_range(self.data))

    def trials(self, steps: tuple[Step, ...]) -> Iterator[Trial]:
        """The reading with these steps, for each rule of decision and each order of labels."""
        outputs, inside = self._outputs(steps)
        truth, finite = truth_of(self.network, self.data)[self.rows], np.isfinite(outputs.numpy()).all(axis=1)
        yield Trial(steps, None, None, inside, finite & self.network.decision.agrees(outputs, truth))
        if isinstance(self.network.decision, LabelDecision):
            own, labels = self.network.decision.rule, truth.astype(np.int64)
            for rule in OTHER_RULES[own]:
                decision = LabelDecision(rule or own)
                predicted = np.where(finite, decision.labels(outputs).numpy(), -1)
                if rule is not None:
                    yield Trial(steps, rule, None, inside, predicted == labels)
                for order in self._orders(np.maximum(predicted, 0), labels):
                    yield Trial(steps, rule, order, inside, finite & (predicted == order.right(labels)))

    def _orders(self, predicted: IntArray, labels: IntArray) -> Iterator[LabelOrder]:
        classes = self.network.classes
        yield from usual_orders(labels, classes)
        found = permutation(predicted, labels, len(classes)) if labels.max() < len(classes) else None
        yield from () if found is None else (found,)

    def _outputs(self, steps: tuple[Step, ...]) -> tuple[Tensor, bool]:
        """The network's outputs, and whether its inputs are within its bounds, but for rounding."""
        network, parts, ends = self.network, [], []
        low, high = network.bounds
        with torch.no_grad():
            for part in batches(network, len(self.rows)):
                x = torch.from_numpy(self.data.pixels(self.rows[part])).to(network.device, network.dtype)
                for step in steps:
                    x = step.act(x)
                parts.append(network(x).cpu())
                ends += [float(x.min()) - low, high - float(x.max())]
        return torch.cat(parts), min(ends) >= -SLACK * (high - low)


def _by_share(trial: Trial) -> float:
    return trial.share


def _is_new(step: Step, taken: Iterable[Step]) -> bool:
    return all(step.family != each.family for each in taken)


def _sorted(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(sorted(steps, key=lambda step: FAMILIES.index(step.family)))
