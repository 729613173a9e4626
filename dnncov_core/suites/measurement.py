"""How much of a network a suite covers, by every criterion that is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dnncov_core.criteria import CoveringMethod, NeuronCriterion
from dnncov_core.criteria.neuron_criteria import Ranges
from dnncov_core.data import Data
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.suites import streams
from dnncov_core.suites.criterion_names import AskedCriterion, check_features
from dnncov_core.suites.edge_coverage import EdgeCoverage, covered
from dnncov_core.suites.patterns import BITS, Classes, Words
from dnncov_core.suites.streams import Suite, Tell
from dnncov_core.types import IntArray

OnProgress = Callable[[str, int, int], None]
BYTES = 2**30
"""Memory for the packed signs of layers that are held at the same time."""


@dataclass(frozen=True)
class LayerCoverage:
    """What a suite meets of a criterion of single neurons in one layer; ``rows`` as of `Meter`."""

    layer: int
    total: int
    covered: int
    rows: IntArray


@dataclass(frozen=True)
class Result:
    """One criterion's coverage.

    Attributes:
        asked: the criterion.
        total: test conditions; None for safety coverage, of which nobody knows how many there are.
        covered: those that are met.
        edges: a covering method's, by layer pair.
        layers: those of a criterion of single neurons, by layer.
        rows: safety coverage's, the first input of each pattern.
    """

    asked: AskedCriterion
    total: int | None
    covered: int
    edges: Sequence[EdgeCoverage] = ()
    layers: Sequence[LayerCoverage] = ()
    rows: IntArray = field(default_factory=lambda: np.empty(0, np.int64))


@dataclass(frozen=True)
class Measurement:
    """All results of one suite; how many inputs are ``misclassified`` is not known where they have no labels."""

    inputs: int
    misclassified: int | None
    results: Sequence[Result]
    seconds: float


def measure(
    network: Network,
    suite: Data,
    asked: Sequence[AskedCriterion],
    *,
    reference: Data | None = None,
    mode: str = "neuron",
    omega: float = 0.001,
    on_progress: OnProgress = lambda doing, done, total: None,
) -> Measurement:
    """Measures a suite.

    Args:
        network: the network.
        suite: its inputs; all of them count, also those that are misclassified.
        asked: the criteria, each with another text.
        reference: the data whose ranges and boundaries count.
        mode: ``neuron`` or ``free`` condition features.
        omega: the largest share of a layer that a free feature may have.
        on_progress: told after each batch what is done, how many inputs were sent through, and of how many.

    Raises:
        SpecificationError: a feature mode that suites are not measured by, or that a criterion does not have, or an
            omega that is no share.
        NumericsError: NaN or infinite values of u.
    """
    start = time.perf_counter()
    check_features(asked, mode, omega)
    pairs = FeaturePairs(network.layers, network.edges, mode=mode, omega=omega)
    through = Suite(network, suite)
    groups = _groups(network, len(suite)) if any(not isinstance(each.method, NeuronCriterion) for each in asked) else []
    if not any(each.by_reference for each in asked):
        reference = None
    tell = _telling(on_progress, len(suite) * (1 + len(groups)) + (0 if reference is None else len(reference)))
    ranges: Ranges = {}
    if reference is not None:
        ranges = streams.ranges(Suite(network, reference), range(2, network.depth + 1), tell("reference data"))
    of_neurons = [each for each in asked if isinstance(each.method, NeuronCriterion)]
    found, correct = _of_single_neurons(through, of_neurons, ranges, tell("neurons"))
    found |= _by_signs(through, [each for each in asked if each not in of_neurons], pairs, ranges, groups, tell)
    misclassified = None if correct is None else len(suite) - int(correct.sum())
    return Measurement(len(suite), misclassified, [found[each.text] for each in asked], time.perf_counter() - start)


def _telling(on_progress: OnProgress, total: int) -> Callable[[str], Tell]:
    done = 0

    def phase(doing: str) -> Tell:
        def tell(inputs: int) -> None:
            nonlocal done
            done += inputs
            on_progress(doing, done, total)

        return tell

    return phase


def _groups(network: Network, inputs: int) -> list[list[int]]:
    """The hidden layers in groups whose packed signs fit into memory together."""
    groups: list[list[int]] = []
    room = 0
    for layer in network.layers[1:-1]:
        needed = inputs * -(-layer.neurons // BITS) * 8
        if not groups or needed > room:
            groups.append([])
            room = BYTES
        groups[-1].append(layer.index)
        room -= needed
    return groups


def _of_single_neurons(
    suite: Suite, asked: Sequence[AskedCriterion], ranges: Ranges, tell: Tell
) -> tuple[dict[str, Result], streams.Correct]:
    hidden = suite.network.layers[1:-1]
    methods = [each.method for each in asked if isinstance(each.method, NeuronCriterion)]
    meters = {
        layer.index: [method.meter(layer.neurons, ranges.get(layer.index)) for method in methods] for layer in hidden
    }
    correct = streams.fill(suite, meters, tell)
    found = {}
    for place, each in enumerate(asked):
        layers = [
            LayerCoverage(layer.index, layer.neurons, those[place].covered, those[place].rows)
            for layer, those in zip(hidden, meters.values(), strict=True)
        ]
        found[each.text] = Result(
            each, sum(layer.total for layer in layers), sum(layer.covered for layer in layers), layers=layers
        )
    return found, correct


def _by_signs(
    suite: Suite,
    asked: Sequence[AskedCriterion],
    pairs: FeaturePairs,
    ranges: Ranges,
    groups: Sequence[Collection[int]],
    tell: Callable[[str], Tell],
) -> dict[str, Result]:
    """Covering methods and safety coverage, a layer's classes at a time."""
    methods = {each.text: each.method.with_ranges(ranges) for each in asked if isinstance(each.method, CoveringMethod)}
    edges: dict[str, list[EdgeCoverage]] = {text: [] for text in methods}
    together: list[IntArray] = []
    for layer, classes in _classes(suite, groups, tell("signs")):
        together.append(classes.of)
        for edge in (edge for edge in pairs.edges if edge[0] == layer):
            for text, method in methods.items():
                edges[text].append(covered(suite, pairs, method, edge, classes))
    return {each.text: _result(each, edges.get(each.text), together) for each in asked}


def _classes(suite: Suite, groups: Sequence[Collection[int]], tell: Tell) -> Iterator[tuple[int, Classes]]:
    for group in groups:
        words: Mapping[int, Words] = streams.signs(suite, group, tell)
        for layer in group:
            yield layer, Classes.by(words[layer])


def _result(asked: AskedCriterion, edges: list[EdgeCoverage] | None, together: Sequence[IntArray]) -> Result:
    if edges is None:
        patterns = Classes.by(np.stack(together, axis=1).astype(np.uint64)) if together else None
        rows = np.empty(0, np.int64) if patterns is None else np.unique(patterns.of, return_index=True)[1]
        return Result(asked, None, len(rows), rows=np.sort(rows))
    edges.sort(key=lambda each: (each.edge[1], each.edge[0]))
    return Result(asked, sum(each.total for each in edges), sum(each.covered for each in edges), edges=edges)
