"""The inputs of a pool, sent through the network: its probabilities, and the test conditions that they meet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from dnncov_core.criteria import NO_EFFECT, CoveringMethod, NeuronCriterion
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.neuron_criteria import NeuronCondition, Range, Ranges
from dnncov_core.criteria.section_criteria import SectionCoverage
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.layer_values import LayerValues
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.selection.conditions import PoolConditions
from dnncov_core.selection.pair_conditions import EdgeConditions, PairConditions
from dnncov_core.selection.single_conditions import SingleConditions
from dnncov_core.selection.slots import Parts
from dnncov_core.suites import joins, streams
from dnncov_core.suites.criterion_names import AskedCriterion
from dnncov_core.suites.effect_parts import weights_between
from dnncov_core.suites.joins import Joined
from dnncov_core.suites.patterns import Classes
from dnncov_core.suites.progress import Progress
from dnncov_core.suites.steps import Wanted, inputs_of, values_of
from dnncov_core.suites.streams import Correct, Suite
from dnncov_core.types import Edge, FloatArray, IntArray

MOST = 2**31
"""Inputs x neurons of one criterion that are held in memory."""


@dataclass(frozen=True)
class Pool:
    """What is known of the inputs.

    Attributes:
        inputs: how many.
        probabilities: softmax of the network's scores, ``(inputs, classes)``; None for a regression.
        correct: which inputs have their label; None without labels.
        conditions: of each criterion, by its text.
    """

    inputs: int
    probabilities: FloatArray | None
    correct: Correct
    conditions: Mapping[str, PoolConditions]


class _Outputs:
    """Takes u of the last layer for all inputs."""

    def __init__(self) -> None:
        self._parts: list[torch.Tensor] = []

    def add(self, first: int, values: LayerValues) -> None:
        self._parts.append(values.u.cpu())

    @property
    def all(self) -> torch.Tensor:
        """``(inputs, neurons)``."""
        return torch.cat(self._parts)


class _Sections:
    """Takes the section of each neuron of a layer for each input, from 1, and 0 for none; ``(neurons, inputs)``."""

    def __init__(self, criterion: NeuronCriterion, neurons: int, known: Range | None, inputs: int) -> None:
        self._criterion, self._known, self._all = criterion, known, np.arange(neurons)
        self._m = criterion.m if isinstance(criterion, SectionCoverage) else 1
        left_out = (
            criterion.left_out(known)
            if isinstance(criterion, NeuronCondition)
            else known.without_sections
            if known
            else 0
        )
        self.total = self._m * (neurons - left_out)
        self.sections = np.zeros((neurons, inputs), np.min_scalar_type(self._m))

    def add(self, first: int, values: LayerValues) -> None:
        if isinstance(self._criterion, NeuronCondition):
            found = self._criterion.met(values, self._all, self._known).cpu().numpy()
        else:
            assert self._known is not None
            section, inside = self._known.sections(values, self._all, self._m)
            found = np.where(inside, section + 1, 0)
        self.sections[:, first : first + len(found)] = found.T


def look(
    suite: Suite,
    asked: Sequence[AskedCriterion],
    pairs: FeaturePairs,
    *,
    ranges: Ranges,
    progress: Progress,
) -> Pool:
    """Sends the inputs through the network, once, and once more where two inputs may cover together.

    Args:
        suite: network and inputs.
        asked: criteria as `asked_criterion` gives them.
        pairs: of which covering methods are asked, of single neurons.
        ranges: of the neurons over reference data, for criteria that need them.
        progress: is told.

    Raises:
        SpecificationError: more inputs and neurons than memory holds.
        NumericsError: NaN or infinite values of u.
    """
    network, n = suite.network, len(suite)
    of_neurons = {each.text: each.method for each in asked if isinstance(each.method, NeuronCriterion)}
    covering = {each.text: each.method for each in asked if isinstance(each.method, CoveringMethod)}
    patterned = [each.text for each in asked if each.method is None]
    hidden = network.layers[1:-1]
    if of_neurons and n * sum(layer.neurons for layer in hidden) > MOST:
        got = f"{n:,} inputs of {sum(layer.neurons for layer in hidden):,} neurons"
        raise SpecificationError(f"at most {MOST:,} values of neurons", got, "choose fewer inputs")
    outputs = _Outputs()
    takers = {
        layer.index: {
            text: _Sections(method, layer.neurons, ranges.get(layer.index), n) for text, method in of_neurons.items()
        }
        for layer in hidden
    }
    layers = {layer.index for layer in hidden} if patterned else {k for k, _ in pairs.edges} if covering else set()
    values = sum(layer.neurons for layer in network.layers)
    progress.expect((2 if layers else 1) * n * values)
    all_takers: dict[int, dict[str, streams.Taker]] = {layer: {**those} for layer, those in takers.items()}
    all_takers[network.depth] = {"outputs": outputs}
    words, correct = streams.read(suite, sorted(layers), progress.stage("neurons", values), all_takers)
    found: dict[str, PoolConditions] = {}
    for text in of_neurons:
        those = [layer[text] for layer in takers.values()]
        found[text] = SingleConditions(
            np.concatenate([each.sections for each in those]), sum(each.total for each in those)
        )
    classes = {k: Classes.by(words[k]) for k in sorted(words)}
    for text in patterned:
        together = Classes.by(np.stack([each.of for each in classes.values()], axis=1).astype(np.uint64))
        found[text] = SingleConditions(together.of[None] + 1, None)
    methods = {text: method.with_ranges(ranges) for text, method in covering.items()}
    found |= _of_pairs(suite, methods, pairs, classes, progress)
    decision = network.decision
    scores = decision.scores(outputs.all) if isinstance(decision, LabelDecision) else None
    probabilities = None if scores is None else scores.double().softmax(dim=1).numpy()
    return Pool(n, probabilities, correct, found)


def _of_pairs(
    suite: Suite,
    methods: Mapping[str, CoveringMethod],
    pairs: FeaturePairs,
    classes: Mapping[int, Classes],
    progress: Progress,
) -> dict[str, PoolConditions]:
    """What two inputs cover together, by each method."""
    joined: dict[tuple[int, Change], Joined] = {}
    for k in {k for k, _ in pairs.edges} if methods else ():
        for change in {method.condition for method in methods.values()}:
            neurons = suite.network.layers[k - 1].neurons
            join = joins.nothing if change is Change.VALUE else joins.one_neuron
            joined[k, change] = Joined.of(classes[k], join(classes[k], neurons))
    by_effect = {method.condition for method in methods.values() if method.effect != NO_EFFECT}
    wanted = _wanted(suite, pairs.edges, joined, by_effect)
    values = sum(layer.neurons for layer in suite.network.layers)
    progress.expect(inputs_of(suite, wanted) * values)
    held = values_of(suite, wanted, progress.stage("layer pairs", values))
    found: dict[str, PoolConditions] = {}
    size = 0
    for text, method in methods.items():
        edges = []
        for k, decision in pairs.edges:
            those = joined[k, method.condition]
            if len(those.rows):
                u = held[_all_of(suite, decision)].of(those.rows)
                parts = None
                if method.effect != NO_EFFECT:
                    parts = Parts(held[_all_of(suite, k, of_v=True)].of(those.rows), _weights(suite, (k, decision)))
                edges.append(EdgeConditions(method, decision, those, u, inputs=len(suite), held=size, parts=parts))
                size += edges[-1].size
        found[text] = PairConditions(edges, len(pairs), len(suite))
    return found


def _weights(suite: Suite, edge: Edge) -> Callable[[IntArray], FloatArray]:
    if not suite.network.graph.is_affine_into(edge[1]):
        expected = f"affine operators alone into layer {edge[1]}, for orders with the effect needed"
        raise SpecificationError(expected, "others", "choose an order without the effect")
    return partial(weights_between, suite.network, edge)


def _wanted(
    suite: Suite, edges: Sequence[Edge], joined: Mapping[tuple[int, Change], Joined], by_effect: Collection[Change]
) -> dict[Wanted, IntArray]:
    """u of the decision layers, for the inputs that have partners, and v of the condition layers for effects."""
    rows: dict[Wanted, list[IntArray]] = {}
    for k, decision in edges:
        for (layer, change), those in joined.items():
            if layer == k and len(those.rows):
                rows.setdefault(_all_of(suite, decision), []).append(those.rows)
                if change in by_effect:
                    rows.setdefault(_all_of(suite, k, of_v=True), []).append(those.rows)
    return {each: np.unique(np.concatenate(those)) for each, those in rows.items()}


def _all_of(suite: Suite, layer: int, *, of_v: bool = False) -> Wanted:
    return Wanted(layer, 0, suite.network.layers[layer - 1].neurons, of_v=of_v)
