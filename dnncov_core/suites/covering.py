"""Coverage of a suite by SS, VS, SV and VV over all pairs of its inputs, a layer pair at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.mcdc import Change
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.data import Data
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.memory import fitting_batch
from dnncov_core.networks.network import Network
from dnncov_core.suites import joins, pairwise
from dnncov_core.suites.extremes import Extremes
from dnncov_core.suites.joins import Join
from dnncov_core.suites.patterns import Classes
from dnncov_core.suites.witnesses import NONE, Witnesses, found
from dnncov_core.types import Edge, FloatArray, IntArray

AT_ONCE = 2**24
"""Values of decision neurons that are kept at the same time."""
BATCH = 256
MODES = ("neuron", "free")


@dataclass(frozen=True)
class EdgeCoverage:
    """What a suite covers of one layer pair.

    Attributes:
        edge: (condition layer, decision layer).
        total: feature pairs.
        witnesses: of those that are covered.
        joined: pairs of sign patterns that do what is asked of the condition layer.
        bound: what was left out of the search, in words; empty where the count is exact.
    """

    edge: Edge
    total: int
    witnesses: Witnesses
    joined: int
    bound: str = ""

    @property
    def covered(self) -> int:
        """Feature pairs with a witness."""
        return self.witnesses.covered


@dataclass(frozen=True)
class Measured:
    """A network with a suite, and what is asked of them.

    Attributes:
        network: on its device.
        data: the suite.
        pairs: all feature pairs, of single neurons or with free condition features.
        most: neurons of a free condition feature by layer; empty for single neurons.
    """

    network: Network
    data: Data
    pairs: FeaturePairs
    most: dict[int, int]

    def values(self, rows: IntArray, layers: tuple[int, ...]) -> Iterator[tuple[int, dict[int, FloatArray]]]:
        """u of some layers for some inputs of the suite, a batch at a time, with the place of its first input."""
        size = fitting_batch(self.network, BATCH)
        for start in range(0, len(rows), size):
            with torch.no_grad():
                found = capture(self.network, torch.from_numpy(self.data.pixels(rows[start : start + size])), layers)
            yield start, {layer: each.u.cpu().numpy() for layer, each in found.items()}


def check_measurable(method: CoveringMethod) -> None:
    """Refuses value functions that nothing but a comparison of all inputs could judge.

    Raises:
        SpecificationError: a value function of more than the feature's own u.
    """
    for change, function in ((method.condition, method.g1), (method.decision, method.g2)):
        if change is Change.VALUE and not function.by_extremes:
            expected = "a value function that grows with the change of one neuron's u"
            raise SpecificationError(expected, function.name, "choose ratio, absolute, norm, upper_boundary or any")


def covered(measured: Measured, method: CoveringMethod, edge: Edge, classes: Classes) -> EdgeCoverage:
    """The feature pairs of one layer pair that some two inputs of the suite cover.

    Args:
        measured: network and suite.
        method: the covering method.
        edge: (condition layer, decision layer).
        classes: the suite's inputs by their signs in the condition layer.
    """
    neurons = tuple(measured.network.layers[layer - 1].neurons for layer in edge)
    total = measured.pairs.counts[measured.pairs.edges.index(edge)]
    if method.condition is Change.VALUE and method.g1 != ANY:
        return _pairwise(measured, method, edge, classes, total)
    if method.condition is Change.VALUE:
        join = joins.nothing(classes, neurons[0])
    elif edge[0] in measured.most:
        join = joins.few_neurons(classes, measured.most[edge[0]])
    else:
        join = joins.one_neuron(classes, neurons[0])
    bound = "" if join.compared is None else f"the first {join.compared:,} of {len(classes):,} sign patterns compared"
    return EdgeCoverage(edge, total, _by_extremes(measured, method, edge, classes, join), len(join), bound)


def _by_extremes(measured: Measured, method: CoveringMethod, edge: Edge, classes: Classes, join: Join) -> Witnesses:
    n = measured.network.layers[edge[1] - 1].neurons
    rows, starts, join = joins.members(classes, join)
    width = max(1, min(n, AT_ONCE // max(1, len(rows))))
    parts = []
    for first in range(0, n if len(join) else 0, width):
        neurons = np.arange(first, min(first + width, n))
        u = np.concatenate([values[edge[1]][:, neurons] for _, values in measured.values(rows, (edge[1],))])
        parts.append(found(method, join, Extremes.of(u, rows, starts), edge[1], neurons))
    if not parts:
        none = np.full((0, n), NONE, np.int64)
        return Witnesses(none, none, np.empty(0, np.int64), False, join.features)
    x1, x2 = (np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("x1", "x2"))
    return replace(parts[0], x1=x1, x2=x2)


def _pairwise(measured: Measured, method: CoveringMethod, edge: Edge, classes: Classes, total: int) -> EdgeCoverage:
    shape = tuple(measured.network.layers[layer - 1].neurons for layer in edge)
    x1, x2 = (np.full(shape, NONE, np.int64) for _ in range(2))
    join = joins.nothing(classes, shape[0])
    rows, starts, _ = joins.members(classes, join)
    for inputs in np.split(rows, starts[1:]) if len(rows) else []:
        chosen = inputs[: pairwise.MOST_MEMBERS]
        batches = [found for _, found in measured.values(chosen, edge)]
        u = tuple(np.concatenate([batch[layer] for batch in batches]) for layer in edge)
        pairwise.search(method, edge, (u[0], u[1]), chosen, x1, x2)
    largest = int(classes.sizes.max(initial=0))
    most = pairwise.MOST_MEMBERS
    bound = f"of inputs with equal signs the first {most:,} compared, of up to {largest:,}" if largest > most else ""
    witnesses = Witnesses(x1, x2, np.arange(shape[0]), False, shape[0])
    return EdgeCoverage(edge, total, witnesses, len(join), bound)
