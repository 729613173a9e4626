"""Coverage of a suite by SS, VS, SV and VV over all pairs of its inputs, a layer pair at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.features import FeaturePairs
from dnncov_core.suites import joins, value_changes
from dnncov_core.suites.extremes import Extremes
from dnncov_core.suites.joins import Join
from dnncov_core.suites.patterns import Classes
from dnncov_core.suites.streams import Suite, met_of, u_of
from dnncov_core.suites.witnesses import Witnesses, note_extremes
from dnncov_core.types import Edge

AT_ONCE = 2**24
"""Values of decision neurons that are held at the same time."""


@dataclass(frozen=True)
class EdgeCoverage:
    """What a suite covers of one layer pair.

    Attributes:
        edge: (condition layer, decision layer).
        total: feature pairs.
        witnesses: of those that are covered.
        joined: pairs of sign patterns, or patterns with two inputs, that do what is asked of the condition layer.
        bound: what was left out of the search, in words; empty where the count is exact.
    """

    edge: Edge
    total: int
    witnesses: Witnesses
    joined: int
    bound: str = ""

    @property
    def covered(self) -> int:
        """How many feature pairs have a witness."""
        return self.witnesses.covered


def covered(suite: Suite, pairs: FeaturePairs, method: CoveringMethod, edge: Edge, classes: Classes) -> EdgeCoverage:
    """The feature pairs of one layer pair that some two inputs of the suite cover.

    Args:
        suite: network and inputs.
        pairs: all feature pairs of the network, of single neurons or with free condition features.
        method: the covering method, its value functions judged by extremes, or one a `Meets` and the other ``any``.
        edge: (condition layer, decision layer).
        classes: the suite's inputs by their signs in the condition layer.
    """
    neurons = suite.network.layers[edge[0] - 1].neurons
    first, total = pairs.range_of(edge)
    most = pairs[first].condition.most
    if method.condition is Change.VALUE:
        join = joins.nothing(classes, neurons)
    elif most is not None:
        join = joins.few_neurons(classes, most)
    else:
        join = joins.one_neuron(classes, neurons)
    if method.condition is Change.VALUE and isinstance(method.g1, Meets):
        return EdgeCoverage(edge, total, value_changes.by_partners(suite, method, edge, classes, join), len(join))
    if method.condition is Change.VALUE and method.g1 != ANY:
        witnesses = value_changes.by_comparison(suite, method, edge, classes, join)
        return EdgeCoverage(edge, total, witnesses, len(join), value_changes.compared(classes))
    bound = "" if join.compared is None else f"the first {join.compared:,} of {len(classes):,} sign patterns compared"
    return EdgeCoverage(edge, total, _by_extremes(suite, method, edge, classes, join), len(join), bound)


def _by_extremes(suite: Suite, method: CoveringMethod, edge: Edge, classes: Classes, join: Join) -> Witnesses:
    n = suite.network.layers[edge[1] - 1].neurons
    witnesses = Witnesses(n, join.features if join.shared else None)
    rows, starts, join = joins.members(classes, join)
    width = max(1, AT_ONCE // max(1, len(rows)))
    for neurons in np.split(np.arange(n), range(width, n, width)) if len(join) else []:
        u, meets = u_of(suite, rows, edge[1], neurons), None
        if method.decision is Change.VALUE and isinstance(method.g2, Meets):
            met = np.zeros(u.shape, bool)
            for places, here in met_of(suite, rows, edge[1], method.g2, neurons):
                met[places] = here
            meets = Extremes.of(u, rows, starts, met)
        extremes = Extremes.of(u, rows, starts)
        note_extremes(witnesses, method, join, extremes, layer=edge[1], neurons=neurons, meeting=meets)
    return witnesses
