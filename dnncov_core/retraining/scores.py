"""What is measured of a network before and after it is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from dnncov_core.data import Data
from dnncov_core.errors import SpecificationError
from dnncov_core.faults.answers import Answers
from dnncov_core.faults.spec import Mutant
from dnncov_core.faults.work import fault_of
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.ratios import Ratio
from dnncov_core.retraining.attack import right_under_attack
from dnncov_core.retraining.outcome import ACCURACY, ATTACKED, MUTANTS, Scores
from dnncov_core.retraining.spec import RetrainingSpec
from dnncov_core.retraining.training import Labelled
from dnncov_core.suites.criterion_names import AskedCriterion, parse
from dnncov_core.suites.measurement import measure
from dnncov_core.suites.remembered import some_of
from dnncov_core.types import IntArray, Norm


@dataclass(frozen=True, eq=False)
class Examination:
    """The test inputs, and what is asked of a network with them.

    Attributes:
        test: all test inputs, with labels.
        norm: of the attack's bound.
        spec: how many are attacked, and how.
        mutants: of the network as it was, whose faults are put into each network.
    """

    test: Data
    norm: Norm
    spec: RetrainingSpec
    mutants: Sequence[Mutant] = ()

    @cached_property
    def rows(self) -> IntArray:
        """The test inputs that are attacked, and whose coverage is measured: drawn at random, ascending."""
        rng, n = np.random.default_rng(self.spec.random_seed), len(self.test)
        return np.sort(rng.choice(n, size=min(n, self.spec.sample), replace=False))

    @property
    def passes(self) -> int:
        """Roughly how many inputs go through the network, forwards or backwards."""
        return len(self.test) + len(self.rows) * (3 * self.spec.attack_steps + 2 + len(self.mutants))

    def scores(self, network: Network, tick: Callable[[int], None] = lambda passes: None) -> Scores:
        """Measures a network; ``tick`` is told of passes of inputs."""
        first = {ACCURACY: self.accuracy(network, tick), ATTACKED: self._robust(network, tick)}
        return {**first, **self._killed(network, tick), **self._covered(network)}

    def accuracy(self, network: Network, tick: Callable[[int], None] = lambda passes: None) -> Ratio:
        """How many of all test inputs the network has right."""
        n, labels = 0, self.test.labels
        assert labels is not None
        for part in batches(network, len(self.test)):
            with torch.no_grad():
                outputs = network(torch.from_numpy(self.test.pixels(part)))
            n += int(network.decision.agrees(outputs, labels[part]).sum())
            tick(part.stop - part.start)
        return Ratio(n, len(self.test))

    def _robust(self, network: Network, tick: Callable[[int], None]) -> Ratio:
        works, n, spec = network.in_shares(), 0, self.spec
        data = Labelled(network, self.test)
        for part in batches(network, len(self.rows)):
            batch = data.batch(torch.from_numpy(self.rows[part]))
            right = right_under_attack(works, batch, self.norm, spec.bound, spec.attack_steps, spec.random_seed)
            n += int(right.sum())
            tick(len(right) * 3 * spec.attack_steps)
        return Ratio(n, len(self.rows))

    @cached_property
    def _sample(self) -> Data:
        return some_of(self.test, self.rows)

    def _killed(self, network: Network, tick: Callable[[int], None]) -> Scores:
        """How many of the mutants' faults, put into this network, some input shows that it has right."""
        answers, n = Answers(network, self._sample), 0
        for mutant in self.mutants:
            fault = fault_of(network, mutant)
            n += any((answers.right[rows] & ~right).any() for rows, right in answers.of(fault))
            tick(len(self.rows))
        return {MUTANTS: Ratio(n, len(self.mutants))} if self.mutants else {}

    def _covered(self, network: Network) -> Scores:
        found = measure(network, self._sample, asked_criteria(self.spec.criteria)).results
        return {each.asked.text: Ratio(int(each.covered), each.total or 0) for each in found}


def asked_criteria(text: str) -> list[AskedCriterion]:
    """The criteria whose coverage is measured.

    Raises:
        SpecificationError: one that is not known, that needs reference data, or whose total nobody knows.
    """
    found = parse(text)
    if without := [each.text for each in found if not each.has_total]:
        got = f"{', '.join(without)}, of which nobody knows a total"
        raise SpecificationError("criteria whose coverage is a share", got, "leave them out")
    return found
