"""The arms one after the other, repeat by repeat, and the file of a new network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from dnncov_core.data import Data
from dnncov_core.errors import DataError, NetworkError
from dnncov_core.faults.spec import Mutant
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.networks.trainable import Trainable, check_new
from dnncov_core.retraining.arms import DRAWN, INPUTS, Inputs, Pairs
from dnncov_core.retraining.attack import need
from dnncov_core.retraining.outcome import ACCURACY, ARMS, GENERATED, Outcome, Run, Sizes, Sources
from dnncov_core.retraining.scores import Examination
from dnncov_core.retraining.spec import RetrainingSpec
from dnncov_core.retraining.training import Batch, Labelled, trained
from dnncov_core.suites.remembered import some_of
from dnncov_core.types import BoolArray, OnProgress

UNLIKE = 0.01
"""Share of the test inputs by which rounding may change the accuracy of what is written."""


def check_trainable(network: Network, out: Path) -> None:
    """Refuses, before any work, what nothing can come of.

    Raises:
        DataError: the attack's library is missing, or the file cannot be a new network's.
        NetworkError: a regression, or a network without weights to train.
    """
    need()
    check_new(out)
    if network.quantities:
        raise NetworkError("a network with classes, since labels are trained", "a regression", "take another network")
    Trainable(network)


def retrain(
    network: Network,
    pairs: Pairs,
    training: Data,
    test: Data,
    spec: RetrainingSpec,
    out: Path,
    on_progress: OnProgress = lambda doing, done, total: None,
    *,
    sources: Sources,
    mutants: Sequence[Mutant] = (),
) -> Outcome:
    """Trains copies of a network in each arm, measures them, and writes that of the first repeat with test pairs.

    Test inputs that are also training inputs or seeds are left out.

    Raises:
        DataError: no test input is left, or the file is there by now.
        NetworkError: the file gives another accuracy than what was written to it.
        NumericsError: a loss that is no number.
    """
    apart = are_apart(network, test, training, pairs)
    if not apart.any():
        expected, fix = "test inputs that are neither training inputs nor seeds", "give other data with --test"
        raise DataError(expected, f"none in {test.name}", fix)
    examined = Examination(some_of(test, np.flatnonzero(apart)), pairs.norm, spec, mutants)
    sizes = Sizes(len(pairs), float(pairs.distance.mean()), len(training), int(apart.sum()), int((~apart).sum()))
    bar = _Bar(
        on_progress, len(ARMS) * spec.repeats * (3 * spec.steps * spec.batch + examined.passes) + examined.passes
    )
    bar.doing = "before"
    before, kept, runs = examined.scores(network, bar.tick), Trainable(network), list[Run]()
    for run, copied in _runs(network, pairs, Labelled(network, training), examined, bar):
        runs.append(run)
        if (run.arm, run.repeat) == (GENERATED, 0):
            kept = copied
    kept.save(out)
    _check_written(out, examined, next(run for run in runs if run.arm == GENERATED))
    return Outcome(spec, pairs.norm, sizes, before, tuple(runs), sources)


@dataclass
class _Bar:
    """Passes of inputs that are done, told with what is being done."""

    tell: OnProgress
    total: int
    done: int = 0
    doing: str = field(default="", init=False)

    def tick(self, passes: int) -> None:
        self.done = min(self.total, self.done + passes)
        self.tell(self.doing, self.done, self.total)


def _runs(
    network: Network, pairs: Pairs, own: Labelled, examined: Examination, bar: _Bar
) -> Iterator[tuple[Run, Trainable]]:
    spec = examined.spec
    for name in ARMS:
        further: Batch | None = None
        for repeat in range(spec.repeats):
            bar.doing = f"{name}, repeat {repeat + 1} of {spec.repeats}"
            if repeat == 0 or name in DRAWN:
                further = _further(INPUTS.get(name), network, pairs, spec, repeat)
            copied = trained(network, own, further, spec, _seed(spec, repeat), lambda n: bar.tick(3 * n))
            distance = None if further is None else float(pairs.away(further[0]).mean())
            yield Run(name, repeat, examined.scores(copied.network, bar.tick), distance), copied


def _further(inputs: Inputs | None, network: Network, pairs: Pairs, spec: RetrainingSpec, repeat: int) -> Batch | None:
    """The inputs of an arm beside the training data, with their labels."""
    if inputs is None:
        return None
    rng = torch.Generator().manual_seed(_seed(spec, repeat))
    return inputs(network.in_shares(), pairs, spec.attack_steps, rng), pairs.labels


def _seed(spec: RetrainingSpec, repeat: int) -> int:
    return spec.random_seed + 1000 * repeat


def are_apart(network: Network, test: Data, training: Data, pairs: Pairs) -> BoolArray:
    """Which test inputs are neither training inputs nor seeds, ``(n,)``, as the network's precision has them."""
    seen = {*_keys(network, training), *(hash(x.tobytes()) for x in pairs.x1.numpy())}
    return np.array([key not in seen for key in _keys(network, test)])


def _keys(network: Network, data: Data) -> Iterator[int]:
    for part in batches(network, len(data)):
        x: torch.Tensor = torch.from_numpy(network.box.shares(data.pixels(part))).to(network.dtype)
        yield from (hash(each.tobytes()) for each in x.numpy())


def _check_written(path: Path, examined: Examination, run: Run) -> None:
    """Refuses a file whose network answers otherwise than the one that was written to it."""
    accuracy, found = run.scores[ACCURACY], examined.accuracy(load_network(str(path))[0])
    if abs(found.n - accuracy.n) > 1 + UNLIKE * accuracy.total:
        got = f"{found.display()} from {path.name}"
        raise NetworkError(f"an accuracy of {accuracy.display()}", got, "export the network again, and train that")
