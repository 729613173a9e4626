"""How much of a network a suite covers, by every criterion that is asked for."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dnncov_core.criteria import NO_EFFECT, CoveringMethod, LayerCriterion, NeuronCriterion
from dnncov_core.criteria.layer_covariance import CovarianceMeter
from dnncov_core.criteria.layer_criteria import LayerMeter
from dnncov_core.criteria.neuron_criteria import Meter, Ranges
from dnncov_core.criteria.surprise_coverage import SurpriseMeter
from dnncov_core.data import Data
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.suites import streams
from dnncov_core.suites.criterion_names import AskedCriterion, check_features
from dnncov_core.suites.edge_coverage import EdgeCoverage, covered
from dnncov_core.suites.patterns import BITS, Classes, Words
from dnncov_core.suites.progress import Progress
from dnncov_core.suites.reference import KnownReference, known_reference
from dnncov_core.suites.streams import Correct, Suite
from dnncov_core.types import IntArray, OnProgress

BYTES = 2**30
"""Memory for the packed signs of layers that are held at the same time."""


@dataclass(frozen=True)
class LayerCoverage:
    """What a suite meets in one layer of a criterion of single neurons, or of surprise.

    ``rows`` and ``left_out`` are as of `Meter` or `SurpriseMeter`, ``outside`` is as of the latter.
    """

    layer: int
    total: int
    covered: int
    rows: IntArray
    left_out: int
    outside: int = 0


@dataclass(frozen=True)
class Result:
    """One criterion's coverage.

    Attributes:
        asked: the criterion.
        total: test conditions; None for safety coverage, of which nobody knows how many there are, and for NLC.
        covered: those that are met; of NLC, its value.
        edges: a covering method's, by layer pair.
        layers: those of a criterion of single neurons or of surprise, by layer.
        rows: safety coverage's, the first input of each pattern.
    """

    asked: AskedCriterion
    total: int | None
    covered: float
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
    suite: Data | Suite,
    asked: Sequence[AskedCriterion],
    *,
    reference: Data | KnownReference | None = None,
    ranges: Ranges | None = None,
    mode: str = "neuron",
    omega: float = 0.001,
    pairs: FeaturePairs | None = None,
    effect: str = NO_EFFECT,
    on_progress: OnProgress = lambda doing, done, total: None,
) -> Measurement:
    """Measures a suite.

    Args:
        network: the network.
        suite: its inputs, or these on the network; all of them count, also those that are misclassified.
        asked: the criteria, each with another text.
        reference: the data whose ranges, boundaries and values count, or what is known of them already.
        ranges: these ranges, where nothing else of them is needed.
        mode: ``neuron`` or ``free`` condition features.
        omega: the largest share of a layer that a free feature may have.
        pairs: of which covering methods are asked, of this mode; all of the network if left out.
        effect: a key of `EFFECTS`; of which witnesses it is told how many show it.
        on_progress: told again and again what is being done, and how far the measurement is.

    Raises:
        SpecificationError: a feature mode that suites are not measured by, or that a criterion does not have, or an
            omega that is no share.
        DataError: reference data that are too few.
        NumericsError: NaN or infinite values of u.
    """
    start = time.perf_counter()
    check_features(asked, mode, omega)
    pairs = pairs or FeaturePairs(network.layers, network.edges, mode=mode, omega=omega)
    progress = Progress(on_progress)
    if isinstance(reference, Data) and ranges is None:
        reference = known_reference(network, reference, asked, progress)
    known = reference if isinstance(reference, KnownReference) else KnownReference(ranges or {})
    whole = suite if isinstance(suite, Suite) else Suite(network, suite)
    found, correct = _measured(whole, asked, pairs, known, progress, effect=effect)
    misclassified = None if correct is None else len(suite) - int(correct.sum())
    return Measurement(len(suite), misclassified, found, time.perf_counter() - start)


def _measured(
    suite: Suite,
    asked: Sequence[AskedCriterion],
    pairs: FeaturePairs,
    known: KnownReference,
    progress: Progress,
    *,
    effect: str,
) -> tuple[list[Result], Correct]:
    """All results, and which inputs have their label.

    Criteria of single neurons and of whole layers are measured in the first pass; the others a group of layers a pass,
    and by the values that their layer pairs need.
    """
    of_neurons = {each.text: each.method for each in asked if isinstance(each.method, NeuronCriterion)}
    of_layers = _layer_meters(asked, suite, known)
    covering = {each.text: each.method for each in asked if isinstance(each.method, CoveringMethod)}
    methods = {text: replace(each.with_ranges(known.ranges), effect=effect) for text, each in covering.items()}
    meters = {
        layer.index: {
            text: method.meter(layer.neurons, known.ranges.get(layer.index)) for text, method in of_neurons.items()
        }
        for layer in suite.network.layers[1:-1]
    }
    hidden = range(2, suite.network.depth)
    by_patterns = any(each.method is None for each in asked)
    patterned = hidden if by_patterns else {k for k, _ in pairs.edges}
    groups = _groups(suite, sorted(patterned)) if covering or by_patterns else []
    values = sum(layer.neurons for layer in suite.network.layers)
    progress.expect((max(1, len(groups)) + len(groups)) * len(suite) * values)  # passes, and own signs
    if methods:
        progress.guess(2 * len(suite) * values, parts=len(groups) * (1 if effect == NO_EFFECT else 2))
    tell = progress.stage("signs" if groups else "neurons", values)
    edges: dict[str, list[EdgeCoverage]] = {text: [] for text in methods}
    together: list[IntArray] = []
    words, correct = streams.read(suite, groups[0] if groups else (), tell, meters, of_layers.values())
    for place, group in enumerate(groups):
        if place:
            words, _ = streams.read(suite, group, tell)
        for text, those in covered(suite, pairs, methods, _classes(words, together), progress).items():
            edges[text] += those

    def result(each: AskedCriterion) -> Result:
        if each.text in of_layers:
            return _of_layers(each, of_layers[each.text])
        if each.text in of_neurons:
            return _of_neurons(each, {layer: those[each.text] for layer, those in meters.items()})
        return _of_edges(each, edges[each.text]) if each.text in edges else _of_patterns(each, together)

    return [result(each) for each in asked], correct


def _layer_meters(asked: Sequence[AskedCriterion], suite: Suite, known: KnownReference) -> dict[str, LayerMeter]:
    surprise = lambda key, layer: known.surprises[key, layer]
    return {
        each.text: each.method.meter(suite.network, surprise)
        for each in asked
        if isinstance(each.method, LayerCriterion)
    }


def _groups(suite: Suite, layers: Sequence[int]) -> list[list[int]]:
    """Layers in groups whose packed signs fit into memory together."""
    groups: list[list[int]] = []
    room = 0
    for layer in (suite.network.layers[k - 1] for k in layers):
        needed = len(suite) * -(-layer.neurons // BITS) * 8
        if not groups or needed > room:
            groups.append([])
            room = BYTES
        groups[-1].append(layer.index)
        room -= needed
    return groups


def _classes(words: dict[int, Words], together: list[IntArray]) -> Iterator[tuple[int, Classes]]:
    """The inputs by their signs in each layer, whose words are let go; ``together`` takes the class of each input."""
    for layer in sorted(words):
        classes = Classes.by(words.pop(layer))
        together.append(classes.of)
        yield layer, classes


def _of_neurons(asked: AskedCriterion, meters: Mapping[int, Meter]) -> Result:
    layers = [
        LayerCoverage(layer, meter.total, meter.covered, meter.rows, meter.left_out) for layer, meter in meters.items()
    ]
    return Result(asked, sum(each.total for each in layers), sum(each.covered for each in layers), layers=layers)


def _of_layers(asked: AskedCriterion, meter: LayerMeter) -> Result:
    if isinstance(meter, CovarianceMeter):
        return Result(asked, None, meter.value)
    assert isinstance(meter, SurpriseMeter)
    row = LayerCoverage(meter.layer, len(meter.rows), meter.covered, meter.rows, meter.left_out, meter.outside)
    return Result(asked, row.total, row.covered, layers=[row])


def _of_edges(asked: AskedCriterion, edges: Sequence[EdgeCoverage]) -> Result:
    those = sorted(edges, key=lambda each: (each.edge[1], each.edge[0]))
    return Result(asked, sum(each.total for each in those), sum(each.covered for each in those), edges=those)


def _of_patterns(asked: AskedCriterion, together: Sequence[IntArray]) -> Result:
    """Safety coverage; ``together`` has the class of each input in every hidden layer."""
    patterns = Classes.by(np.stack(together, axis=1).astype(np.uint64))
    rows = np.sort(np.unique(patterns.of, return_index=True)[1])
    return Result(asked, None, len(rows), rows=rows)
