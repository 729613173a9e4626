"""The orders of a pool made, with what their first inputs cover, kill and find, and how early."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from dnncov_core.data import Data
from dnncov_core.errors import DataError, SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.selection.curves import COVERED, KILLED, MISCLASSIFIED, Curve, points, series_of
from dnncov_core.selection.detection import Detection, first_kills, killed_along
from dnncov_core.selection.greedy import Order, greedy
from dnncov_core.selection.orders import RANDOM, AskedOrder, asked_criterion, criteria_of, title_of
from dnncov_core.selection.pool import Pool, look
from dnncov_core.selection.selection import Ranking, Selection, SelectionSpec
from dnncov_core.selection.uncertainty import Uncertainty
from dnncov_core.suites import streams
from dnncov_core.suites.criterion_names import key_of
from dnncov_core.suites.progress import Progress
from dnncov_core.suites.reference import layer_values
from dnncov_core.suites.streams import Suite
from dnncov_core.types import BoolArray, FloatArray, IntArray, OnProgress


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
    ranges, pairs = {}, FeaturePairs(network.layers, network.edges)
    if reference is not None:
        progress.expect(len(reference) * values)
        tell = progress.stage("reference data", values)
        ranges = streams.ranges(Suite(network, reference), range(2, network.depth + 1), tell)
    asked = criteria_of(orders, told)
    progress.expect(sum(order.criterion is not None for order in orders) * len(data) ** 2)
    pool = look(Suite(network, data), asked, pairs, ranges=ranges, progress=progress)
    scores = _surprises(orders, Suite(network, data), reference, progress) | _uncertainties(orders, pool)
    ties = _shuffled(spec, 0, len(data))
    tell = progress.stage("orders", len(data))
    found = {order.text: _ordered(order, pool, scores, ties, tell) for order in orders}
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
    order: AskedOrder, pool: Pool, scores: Mapping[str, FloatArray], ties: IntArray, tell: Callable[[int], None]
) -> Order:
    if order.criterion is not None:
        return greedy(pool.conditions[order.text], ties, len(ties), tell)
    none = np.zeros(len(ties), np.int64)
    if order.by is None:
        return Order(ties, none, none)
    return Order(ties[np.argsort(-scores[order.text][ties], kind="stable")], none, none)


def _uncertainties(orders: Sequence[AskedOrder], pool: Pool) -> dict[str, FloatArray]:
    """A number for each input by each order that goes by uncertainty; the greatest comes first."""
    found = {}
    for order in orders:
        if isinstance(order.by, Uncertainty):
            if pool.probabilities is None:
                expected = f"a network with classes for {order.title}"
                raise SpecificationError(expected, "one whose outputs are numbers", "choose an order by a criterion")
            found[order.text] = order.by.score(pool.probabilities)
    return found


def _surprises(
    orders: Sequence[AskedOrder], suite: Suite, reference: Data | None, progress: Progress
) -> dict[str, FloatArray]:
    """Likewise by each order that goes by surprise, at the last hidden layer, as LSC, DSC and MDSC take its values."""
    kinds = {order.text: order.by for order in orders if isinstance(order.by, type)}
    if not kinds:
        return {}
    assert reference is not None  # without, the orders are refused before
    network, last = suite.network, suite.network.depth - 1
    values = sum(layer.neurons for layer in network.layers)
    progress.expect((len(reference) + len(suite)) * values)
    tell = progress.stage("surprise", values)
    known, own = (layer_values(each, {last}, tell) for each in (Suite(network, reference), suite))
    return {text: kind(known[0][last], known[1]).of(own[0][last], own[1]) for text, kind in kinds.items()}


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
    what = "sign patterns" if key_of(spec.told) == "s" else f"test conditions of {title_of(spec.told)}"
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
