"""Orders of a pool's inputs, what their first inputs cover, kill and find, and how early."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dnncov_core.data import Data
from dnncov_core.errors import DataError, SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.selection.curves import COVERED, KILLED, MISCLASSIFIED, Curve, points, series_of
from dnncov_core.selection.detection import Detection, first_kills, killed_along
from dnncov_core.selection.greedy import Order, greedy
from dnncov_core.selection.orders import RANDOM, AskedOrder, asked_criterion, asked_orders, criteria_of
from dnncov_core.selection.pool import Pool, look
from dnncov_core.selection.uncertainty import Uncertainty
from dnncov_core.suites import streams
from dnncov_core.suites.criterion_names import key_of
from dnncov_core.suites.progress import Progress
from dnncov_core.suites.streams import Suite
from dnncov_core.types import BoolArray, Count, FloatArray, IntArray, OnProgress


@dataclass(frozen=True)
class SelectionSpec:
    """What is asked of a selection, by names as `dnncov select` takes them.

    Attributes:
        network: a name or a reference.
        pool: data.
        by: orders with commas; the first one selects, the others stand beside it.
        budget: inputs that are selected.
        criterion: whose coverage is told along the orders; that of the first order by a criterion, or SS, if left out.
        reference: data whose ranges and boundaries count.
        random_seed: of ties and of random orders.
        seeds: how many random orders are the measure.
        device: where inputs go through the network.
    """

    network: str
    pool: str
    by: str = "ss"
    budget: Count = 200
    criterion: str | None = None
    reference: str | None = None
    random_seed: Count = 0
    seeds: Count = 20
    device: str = "cpu"

    def orders(self) -> list[AskedOrder]:
        """The orders, checked, with the random one last.

        Raises:
            SpecificationError: an order, or a number, that cannot be.
        """
        for words, least, value in (
            ("budget", 1, self.budget),
            ("seeds", 2, self.seeds),
            ("random seed", 0, self.random_seed),
        ):
            if value < least:
                raise SpecificationError(f"{words}: a whole number from {least}", str(value), f"change the {words}")
        found = [order for order in asked_orders(self.by, self.reference) if order.by is not None]
        return [*found, AskedOrder(RANDOM, None)]

    @property
    def told(self) -> str:
        """The criterion whose coverage is told."""
        own = [order.text for order in self.orders() if order.criterion is not None]
        return self.criterion or (own[0] if own else "ss")


@dataclass(frozen=True)
class Ranking:
    """All inputs in one order.

    Attributes:
        order: as it was asked for; of random ones the first.
        rows: of the pool.
        adds: test conditions that each adds to those before it; empty unless the order goes by a criterion.
        first_round: so many inputs cover all that the pool covers; None unless the order goes by a criterion.
        apfd: how early it kills mutants; of random orders the mean. None without mutants that an input kills.
        low: lower end of the 95 % interval over mutants.
        high: upper end.
    """

    order: str
    rows: tuple[Count, ...]
    adds: tuple[Count, ...] = ()
    first_round: Count | None = None
    apfd: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Selection:
    """The orders of a pool, and their curves.

    Attributes:
        spec: what was asked; its names hold no folders.
        inputs: of the pool.
        misclassified: how many of them; None without labels.
        mutants: how many there are; None without a file of them.
        killable: those that some input of the pool kills; APFD leaves out the others.
        rankings: by the orders asked for, the random one last.
        curves: of coverage, and of mutants and misclassified inputs where these are known.
        seconds: how long it took.
    """

    spec: SelectionSpec
    inputs: Count
    misclassified: Count | None
    mutants: Count | None
    killable: Count | None
    rankings: tuple[Ranking, ...]
    curves: tuple[Curve, ...]
    seconds: float

    @property
    def first(self) -> Ranking:
        """The order that selects."""
        return self.rankings[0]

    @property
    def selected(self) -> list[int]:
        """The rows of the pool that are selected."""
        return list(self.first.rows[: self.spec.budget])

    def curve(self, measure: str) -> Curve | None:
        """The curve of a measure, if there is one."""
        return next((each for each in self.curves if each.measure == measure), None)


def select(
    network: Network,
    data: Data,
    spec: SelectionSpec,
    *,
    reference: Data | None = None,
    kills: BoolArray | None = None,
    on_progress: OnProgress = lambda doing, done, total: None,
) -> Selection:
    """Orders the inputs of a pool.

    Args:
        network: on its device.
        data: the inputs; labels are not needed.
        spec: what is asked.
        reference: data whose ranges and boundaries count.
        kills: which mutant each input kills, ``(mutants, inputs)``.
        on_progress: told again and again what is being done, and how far it is.

    Raises:
        SpecificationError: an order that cannot be, or an uncertainty of a network without classes.
        DataError: mutants of another number of inputs, or reference data that are too few.
        NumericsError: NaN or infinite values of u.
    """
    start, orders, told = time.perf_counter(), spec.orders(), asked_criterion(spec.told, spec.reference)
    if kills is not None and kills.shape[1] != len(data):
        raise DataError(f"mutants of {len(data):,} inputs", f"of {kills.shape[1]:,}", "name the data of the mutants")
    progress, values = Progress(on_progress), sum(layer.neurons for layer in network.layers)
    ranges, beside, pairs = {}, None, FeaturePairs(network.layers, network.edges)
    if reference is not None:
        progress.expect(len(reference) * values)
        tell = progress.stage("reference data", values)
        ranges = streams.ranges(Suite(network, reference), range(2, network.depth + 1), tell)
        if any(isinstance(order.by, type) for order in orders):
            beside = look(Suite(network, reference), [], pairs, ranges={}, progress=progress)
    asked = criteria_of(orders, told)
    progress.expect(sum(order.criterion is not None for order in orders) * len(data) ** 2)
    pool = look(Suite(network, data), asked, pairs, ranges=ranges, progress=progress)
    ties = _shuffled(spec, 0, len(data))
    tell = progress.stage("orders", len(data))
    found = {order.text: _ordered(order, pool, beside, ties, tell) for order in orders}
    rows = {text: [order.rows] for text, order in found.items()}
    rows[RANDOM] = [_shuffled(spec, seed, len(data)) for seed in range(spec.seeds)]
    places = {} if kills is None else {text: [first_kills(kills, each) for each in some] for text, some in rows.items()}
    wrong = None if pool.correct is None else ~pool.correct
    return Selection(
        spec=spec,
        inputs=len(data),
        misclassified=None if wrong is None else int(wrong.sum()),
        mutants=None if kills is None else len(kills),
        killable=None if kills is None else int(kills.any(axis=1).sum()),
        rankings=tuple(_ranking(order, found[order.text], places.get(order.text)) for order in orders),
        curves=tuple(_curves(spec, pool, rows, places, wrong)),
        seconds=time.perf_counter() - start,
    )


def _shuffled(spec: SelectionSpec, seed: int, inputs: int) -> IntArray:
    """A random order of all inputs; the first one decides between equal inputs of the other orders, too."""
    return np.random.default_rng([spec.random_seed, seed]).permutation(inputs)


def _ordered(
    order: AskedOrder, pool: Pool, reference: Pool | None, ties: IntArray, tell: Callable[[int], None]
) -> Order:
    if order.criterion is not None:
        return greedy(pool.conditions[order.text], ties, len(ties), tell)
    none = np.zeros(len(ties), np.int64)
    if order.by is None:
        return Order(ties, none, none)
    score = _score(order, pool, reference)[ties]
    return Order(ties[np.argsort(-score, kind="stable")], none, none)


def _score(order: AskedOrder, pool: Pool, reference: Pool | None) -> FloatArray:
    """A number for each input, of which the greatest comes first."""
    if isinstance(order.by, Uncertainty):
        if pool.probabilities is None:
            fix = "choose an order by a criterion"
            raise SpecificationError(f"a network with classes for {order.title}", "one whose outputs are numbers", fix)
        return order.by.score(pool.probabilities)
    assert isinstance(order.by, type)
    assert reference is not None  # without, the order is refused before
    return pool.surprises(order.by, reference)


def _ranking(asked: AskedOrder, order: Order, places: Sequence[IntArray] | None) -> Ranking:
    rows, adds, first_round = order.rows.tolist(), (), None
    if asked.criterion is not None:
        adds, first_round = tuple(order.adds.tolist()), order.first_round
    if places is None:
        return Ranking(asked.text, tuple(rows), adds, first_round)
    mean = np.mean(places, axis=0)
    found = Detection.of(mean[mean > 0], len(rows))
    return Ranking(asked.text, tuple(rows), adds, first_round, found.apfd, found.low, found.high)


def _curves(
    spec: SelectionSpec,
    pool: Pool,
    rows: Mapping[str, Sequence[IntArray]],
    places: Mapping[str, Sequence[IntArray]],
    wrong: BoolArray | None,
) -> list[Curve]:
    conditions = pool.conditions[spec.told]
    covered = {text: [conditions.along(each) for each in some] for text, some in rows.items()}
    what = "sign patterns" if key_of(spec.told) == "s" else f"test conditions of {spec.told.upper()}"
    found = [_curve(COVERED, what, conditions.total, covered, spec.budget)]
    if places:
        killed = {}
        for text, some in places.items():
            killed[text] = [killed_along(each, pool.inputs) for each in some]
        found.append(_curve(KILLED, "mutants", len(places[RANDOM][0]), killed, spec.budget))
    if wrong is not None:
        met = {text: [np.cumsum(wrong[each], dtype=np.int64) for each in some] for text, some in rows.items()}
        found.append(_curve(MISCLASSIFIED, "misclassified inputs", int(wrong.sum()), met, spec.budget))
    return found


def _curve(measure: str, title: str, total: int | None, along: Mapping[str, Sequence[IntArray]], budget: int) -> Curve:
    inputs = len(along[RANDOM][0])
    at = points(inputs, budget)
    series = tuple(series_of(text, some, at) for text, some in along.items())
    return Curve(measure, title, total, int(along[RANDOM][0][-1]), tuple(at.tolist()), series)
