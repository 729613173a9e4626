"""Whether a network reads data as they are meant: its accuracy on them, and under which usual reading it is better."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from torch.fx import Node

from dnncov_core.data import Data
from dnncov_core.data.own_decisions import own_decisions
from dnncov_core.errors import DnncovError
from dnncov_core.networks.network import Network
from dnncov_core.networks.places import described
from dnncov_core.readings.rounds import Rounds
from dnncov_core.readings.steps import fits
from dnncov_core.readings.trials import Sample, Trial, least_of, truth_of
from dnncov_core.registry import open_data_for, read_data_for
from dnncov_core.types import IntArray, OnProgress, Shape

INPUTS = 300
"""How many inputs are tried unless another number is asked for."""


@dataclass(frozen=True)
class Check:
    """What came of trying readings of data.

    Attributes:
        data: as they were read.
        rows: of the sample.
        fits: whether inputs have the network's shape, or one that is taken for it.
        inside: whether inputs lie within the network's bounds.
        least: the accuracy below which it is near chance.
        trials: best first; of equal ones those with fewer changes first. What does not lead has fewer inputs.
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
        """Trials of all inputs that nothing tells from the best, best first, of these the ones with fewest changes.

        Where the data leave the network's bounds, those that bring them into these bounds come first.
        """
        whole = [trial for trial in self.trials if len(trial.correct) == len(self.rows)]
        tied = [trial for trial in whole if trial.ties(whole[0])]
        if not self.inside:
            tied = [trial for trial in tied if trial.inside] or tied
        fewest = min(trial.changes for trial in tied)
        return tuple(trial for trial in tied if trial.changes == fewest)

    @property
    def mended(self) -> tuple[Trial, ...]:
        """Those that are clearly better than the data as they are, or bring them into bounds, and are above chance."""
        now = self.as_it_is
        above = [trial for trial in self.best if not trial.is_poor]
        brought = [] if self.inside else [trial for trial in above if trial.inside]
        return tuple(trial for trial in above if trial in brought or now is None or trial.beats(now))

    @property
    def is_fine(self) -> bool:
        """Whether nothing needs mending."""
        now = self.as_it_is
        return now is not None and not now.is_poor and self.inside and not self.mended


def check(
    network: Network,
    name: str,
    n_inputs: int = INPUTS,
    on_progress: OnProgress = lambda tried, done, total: None,
) -> Check:
    """Tries the usual readings of data.

    Args:
        network: the network.
        name: of the data, or their path.
        n_inputs: how many inputs are tried, balanced over their labels.
        on_progress: told after each reading what was tried, how many inputs the network has seen, and how many it is
            expected to see; what it raises ends the check.

    Raises:
        DnncovError: the data cannot be read, have no labels, or no usual step makes them inputs of the network.
    """
    data, does_fit, inside = open_data(network, name)
    truth = truth_of(network, data)
    rows = np.arange(len(data))[:n_inputs] if network.quantities else balanced(truth.astype(np.int64), n_inputs)
    sample = Sample(network, data, rows)
    bases = [()] if does_fit else [(step,) for step in fits(data.shape, network.input_shape)]
    trials = sorted(Rounds(sample, bases, on_progress).trials(), key=lambda trial: (-trial.share, trial.changes))
    said = tuple(filter(None, [own_decisions(name), *notes(network)]))
    return Check(data, rows, does_fit, inside, least_of(network), tuple(trials), said)


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


def leaves(network: Network, data: Data) -> bool:
    """Whether an input of the network's shape is out of its bounds."""
    scale = 255.0 if data.images.dtype == np.uint8 else data.images.dtype.type(1)
    return bool(network.box.outside(np.stack([data.images.min(axis=0), data.images.max(axis=0)]) / scale).any())


def balanced(labels: IntArray, n: int) -> IntArray:
    """Rows of ``n`` inputs: the first of each label, then the second of each, and so on.

    >>> balanced(np.array([0, 0, 0, 1, 1]), 4).tolist()
    [0, 3, 1, 4]
    """
    _, labels, counts = np.unique(labels, return_inverse=True, return_counts=True)
    place = np.empty(len(labels), dtype=np.int64)
    place[np.argsort(labels, kind="stable")] = np.arange(len(labels)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.argsort(place, kind="stable")[:n]


def notes(network: Network) -> Iterator[str]:
    """What is seen in the network itself: probabilities at its end, and batch norms that never saw data."""
    if network.graph.heads:
        yield "The module ends with probabilities; they are left out, and what comes before them are the logits."
    untouched = [described(node, "the batch norm") for node in network.graph.nodes if _is_untouched(network, node)]
    if untouched:
        others = f", and of {len(untouched) - 1} more," if len(untouched) > 1 else ""
        yield (
            f"The running mean of {untouched[0]}{others} is 0 and the variance 1, as before any training: if the "
            "network was trained, these statistics were not saved with it. Save its whole state_dict."
        )


def _is_untouched(network: Network, node: Node) -> bool:
    """Whether an operator is a batch norm whose statistics are those that it begins with."""
    statistics = node.args[3:5] if "batch_norm" in node.name else ()
    kept = [network.graph.state.get(each) for each in statistics if isinstance(each, Node)]
    return len(kept) == 2 and all(each is not None and bool((each == n).all()) for n, each in enumerate(kept))
