"""Whether a network reads data as they are meant: its accuracy on them, and under which usual reading it is better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dnncov_core.data import Data
from dnncov_core.errors import DataError, DnncovError
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.graph import described
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.ratios import Ratio, at_least
from dnncov_core.readings.label_orders import LabelOrder, permutation, usual_orders
from dnncov_core.readings.steps import Step, applied, fits, steps, usual_range
from dnncov_core.registry import open_data_for, read_data_for
from dnncov_core.types import BoolArray, DecisionRule, FloatArray, IntArray, Shape

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
SLACK = 1e-6
"""Share of the range by which rounding may take inputs out of bounds."""
INPUTS = 300
"""How many inputs are tried unless another number is asked for."""


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
        steps: what is done to inputs.
        decision: the rule by which outputs decide, where it is not the network's own.
        labels: what is done to labels.
        inside: whether inputs then lie within the network's bounds.
        correct: for each input of the sample whether it is classified correctly.
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
        return int((self.correct & ~other.correct).sum()), int((other.correct & ~self.correct).sum())


WORDS: dict[DecisionRule, str] = {"max": "largest", "min": "smallest"}
OTHER_RULES: dict[DecisionRule, tuple[DecisionRule | None, ...]] = {
    "max": (None, "min"),
    "min": (None, "max"),
    "threshold": (None,),
}
"""The rules of decision that are tried, by a network's own, which is None."""


@dataclass(frozen=True)
class Check:
    """What came of trying readings of data.

    Attributes:
        data: as they were read.
        rows: of the sample.
        fits: whether inputs have the network's shape, or one that is taken for it.
        inside: whether inputs lie within the network's bounds.
        least: the accuracy below which it is near chance.
        trials: best first; of equal ones those with fewer changes first.
        notes: what was seen in the network.
    """

    data: Data
    rows: IntArray
    fits: bool
    inside: bool
    least: float
    trials: tuple[Trial, ...]
    notes: tuple[str, ...]

    @property
    def as_it_is(self) -> Trial | None:
        """The trial without any change; None where inputs do not fit."""
        return next((trial for trial in self.trials if not trial.changes), None)

    @property
    def best(self) -> tuple[Trial, ...]:
        """The trials that nothing tells from the best, best first, of these the ones with fewest changes.

        Where the data leave the network's bounds, those that bring them into these bounds come first.
        """
        tied = [trial for trial in self.trials if trial.ties(self.trials[0])]
        if not self.inside:
            tied = [trial for trial in tied if trial.inside] or tied
        fewest = min(trial.changes for trial in tied)
        return tuple(trial for trial in tied if trial.changes == fewest)

    @property
    def mended(self) -> tuple[Trial, ...]:
        """Those that are clearly better than the data as they are, or bring them into bounds, and are above chance."""
        now = self.as_it_is
        above = [trial for trial in self.best if trial.accuracy.n >= self.least * trial.accuracy.total]
        brought = [] if self.inside else [trial for trial in above if trial.inside]
        return tuple(trial for trial in above if trial in brought or now is None or trial.beats(now))

    @property
    def is_fine(self) -> bool:
        """Whether nothing needs mending."""
        now = self.as_it_is
        above = now is not None and now.accuracy.n >= self.least * now.accuracy.total
        return above and self.inside and not self.mended


def open_data(network: Network, name: str) -> tuple[Data, bool, bool]:
    """Data with labels, as a network reads them, or as they are where that fails; whether they fit, and are in bounds.

    Raises:
        DnncovError: they cannot be read, have no labels, or nothing makes them inputs of the network.
    """
    try:
        return open_data_for(network, name), True, True
    except DnncovError as error:
        refused = error
    shape = network.input_shape
    data = _read(network, name, shape) or _read(network, name, None)
    if data is None:
        raise refused
    does_fit = data.shape == shape
    if not does_fit and not fits(data.shape, shape):
        raise refused
    return data, does_fit, does_fit and not leaves(network, data)


def _read(network: Network, name: str, shape: Shape | None) -> Data | None:
    """The data in this layout, unchecked; None where they cannot be read so."""
    with suppress(DnncovError):
        return read_data_for(network, name, shape)
    return None


def truth_of(network: Network, data: Data) -> IntArray | FloatArray:
    """What the network's answers should be: the labels, or the targets of a regression.

    Raises:
        DataError: there are none.
    """
    truth = data.targets if network.quantities else data.labels
    if truth is None:
        raise DataError("labels, or the targets of a regression", f"none in {data.name}", "add them")
    return truth


def least_of(network: Network) -> float:
    """The accuracy below which a network is near chance; a regression has no chance level."""
    return NEAR_CHANCE if network.quantities else least_accuracy(len(network.classes))


def leaves(network: Network, data: Data) -> bool:
    """Whether an input of the network's shape is out of its bounds."""
    return bool(network.box.outside(np.stack([data.images.min(axis=0), data.images.max(axis=0)])).any())


def check(network: Network, name: str, n_inputs: int = INPUTS) -> Check:
    """Tries the usual readings of data.

    Args:
        network: the network.
        name: of the data, or their path.
        n_inputs: how many inputs are tried, balanced over their labels.

    Raises:
        DnncovError: the data cannot be read, have no labels, or no usual step makes them inputs of the network.
    """
    data, does_fit, inside = open_data(network, name)
    truth = truth_of(network, data)
    rows = np.arange(len(data))[:n_inputs] if network.quantities else balanced(truth.astype(np.int64), n_inputs)
    sample = Sample(network, data, rows)
    bases = [()] if does_fit else [(step,) for step in fits(data.shape, network.input_shape)]
    trials = sorted(sample.all_trials(bases), key=lambda trial: (-trial.accuracy.n, trial.changes))
    least = least_of(network)
    return Check(data, rows, does_fit, inside, least, tuple(trials), tuple(notes(network)))


def balanced(labels: IntArray, n: int) -> IntArray:
    """Rows of the first inputs of each label, as many of each as there are, ``n`` in all, ascending.

    >>> balanced(np.array([0, 0, 0, 1, 1]), 4).tolist()
    [0, 1, 3, 4]
    """
    order = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    place = np.empty(len(labels), dtype=np.int64)
    place[order] = np.arange(len(labels)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(np.argsort(place, kind="stable")[:n])


@dataclass(frozen=True)
class Sample:
    """A network and the inputs that it is tried on."""

    network: Network
    data: Data
    rows: IntArray

    def all_trials(self, bases: Sequence[tuple[Step, ...]]) -> list[Trial]:
        """Readings with one step more and more, as long as one of them is clearly better than before."""
        trials = [trial for base in bases for trial in self.trials(base)]
        leading = list(bases)
        known = set(bases)
        for _ in range(ROUNDS):
            before = max(trials, key=lambda trial: trial.accuracy.n)
            if before.accuracy.total - before.accuracy.n < FEWEST_WRONG and before.inside:
                break
            longer = [(*each, step) for each in leading for step in self._steps() if _is_new(step, each)]
            added = [each for each in dict.fromkeys(map(_sorted, longer)) if each not in known]
            known.update(added)
            found = sorted(
                (trial for each in added for trial in self.trials(each)), key=lambda trial: -trial.accuracy.n
            )
            trials += found
            if not any(trial.beats(before) for trial in found[:BEAM]) and not (found and self._is_poor(before)):
                break
            n_leading = BEAM if self._is_poor(found[0]) else 1
            leading = list(dict.fromkeys(trial.steps for trial in found))[:n_leading]
        return trials

    def _is_poor(self, trial: Trial) -> bool:
        return trial.accuracy.n < least_of(self.network) * trial.accuracy.total

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
                x = applied(steps, x)
                parts.append(network(x).cpu())
                ends += [float(x.min()) - low, high - float(x.max())]
        return torch.cat(parts), min(ends) >= -SLACK * (high - low)


def _is_new(step: Step, taken: Iterable[Step]) -> bool:
    return all(step.family != each.family for each in taken)


def _sorted(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(sorted(steps, key=lambda step: (step.family, step.code)))


def notes(network: Network) -> Iterator[str]:
    """What is seen in the network itself: probabilities at its end, and batch norms that never saw data."""
    if network.graph.heads:
        yield "The module ends with probabilities; they are left out, and what comes before them are the logits."
    for node in network.graph.nodes:
        kept = [network.graph.state.get(each) for each in node.args[3:5]] if "batch_norm" in node.name else []
        if len(kept) == 2 and all(each is not None and bool((each == n).all()) for n, each in enumerate(kept)):
            place = described(node, "the batch norm")
            yield (
                f"The running mean of {place} is 0 and its variance 1, as before any training: if the network was "
                "trained, these statistics were not saved with it. Save its whole state_dict."
            )
