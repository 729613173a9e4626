"""A test condition from one seed as a linear programme: what is asked of x2 within the seed's activation pattern.

Signs are asked for with a margin: u >= margin for sign +1, u <= -margin for sign -1. Where a sign is only to be kept
and x1 itself is nearer to 0, no more is asked than x1 has, so that x1 keeps every sign of its own pattern.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dnncov_core.criteria.covering_methods import Change, CoveringMethod
from dnncov_core.criteria.value_function_base import Alternative, HalfSpace
from dnncov_core.features import FeaturePair
from dnncov_core.generators.pattern import Matrix, Pattern
from dnncov_core.layer_values import Activations
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.replay import replay
from dnncov_core.types import Bounds, FloatArray


@dataclass(frozen=True)
class Row:
    """sum of coefficient * u[x2] over neurons, given as (layer, number in the layer), is at least a number."""

    coefficients: Mapping[tuple[int, int], float]
    at_least: float


def terms(layer: int, coefficients: Matrix) -> dict[tuple[int, int], float]:
    """The coefficients of a layer's neurons, ``(s_k,)``, as those of a row."""
    return {(layer, int(i)): float(coefficients[i]) for i in np.flatnonzero(coefficients)}


@dataclass(frozen=True)
class Requirements:
    """low <= u <= high, ``(s_k,)`` for each layer that is asked about, and rows over these layers.

    In the decision layer, neurons that nothing is asked of have infinite bounds.
    """

    low: Mapping[int, Matrix]
    high: Mapping[int, Matrix]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class LinearCondition:
    """One test condition from one seed, made linear by keeping to an activation pattern: all that a programme encodes.

    Attributes:
        pair: the feature pair.
        method: the covering method.
        x1: the seed in float64, ``input_shape``.
        values: u of x1, for the pattern's layers and the decision layer.
        pattern: the pattern to stay in, condition signs flipped already.
        bounds: the input box.
        margin: least |u| where a sign is asked for.
        condition_alternative: half-spaces for g1 of the condition feature.
        decision_alternative: half-spaces for g2 of the decision feature.
        rows: what is asked beside the definition of the covering method.
        bound: the largest L-infinity distance of x2 from x1 that is of use.
        oracle: by which the label of x2 has to differ from that of x1; none where any label will do.
    """

    pair: FeaturePair
    method: CoveringMethod
    x1: FloatArray
    values: Activations
    pattern: Pattern
    bounds: Bounds
    margin: float
    condition_alternative: Alternative = ()
    decision_alternative: Alternative = ()
    rows: tuple[Row, ...] = ()
    bound: float | None = None
    oracle: Oracle | None = None

    def holds(self, network: Network, x1: FloatArray, x2: FloatArray) -> bool:
        """Whether the network itself confirms x2 in its own precision, and with it the label that is asked for."""
        covers = replay(network, self.method, self.pair, x1, x2, self.values)
        return covers and (self.oracle is None or self.oracle.judge(network, x1, x2).adversarial)

    @cached_property
    def required(self) -> Requirements:
        """Bounds and rows that make the covering method hold, with what is asked beside it, and keep the pattern."""
        pattern, values = self.pattern, self.values
        bounds = {layer: _pattern_bounds(layer, values, pattern, self.margin) for layer in pattern.on}
        layer = self.pair.decision.layer
        u = values[layer].u[0].double().numpy()
        bounds[layer] = _decision_bounds(u, list(self.pair.decision.neurons), self.method, self.margin)
        asked = ((self.pair.condition.layer, self.condition_alternative), (layer, self.decision_alternative))
        return Requirements(
            {layer: low for layer, (low, _) in bounds.items()},
            {layer: high for layer, (_, high) in bounds.items()},
            (*(_row(h, layer, pattern, self.margin) for layer, group in asked for h in group), *self.rows),
        )


@dataclass(frozen=True)
class Solution:
    """A solver's answer: "Optimal" with x2, flat in float64, and its distance t from x1; "Infeasible"; or why not.

    ``variables`` and ``constraints`` are the size of the programme, at its largest where rows were added;
    ``iterations`` those of the simplex method in all.
    """

    status: str
    x2: FloatArray | None
    objective: float | None
    variables: int
    constraints: int
    iterations: int


class Programme(ABC):
    """A way to find the x2 that meets a condition at the least L-infinity distance from x1."""

    @property
    def relaxed(self) -> Programme:
        """The programme without what it asks of x2 beside the rows, such as a grid."""
        return self

    @abstractmethod
    def solve(self, condition: LinearCondition) -> Solution:
        """The nearest x2 within the condition's pattern, box and bound, or that there is none."""

    def solve_all(self, conditions: Sequence[LinearCondition]) -> list[Solution]:
        """The answers for conditions of the same layers."""
        return list(map(self.solve, conditions))


def _pattern_bounds(layer: int, values: Activations, pattern: Pattern, margin: float) -> tuple[Matrix, Matrix]:
    u = values[layer].u[0].double().numpy()
    pieces, on = pattern.pieces[layer], pattern.on[layer]
    low = np.array([piece.low for piece in pieces])[on]
    high = np.array([piece.high for piece in pieces])[on]
    asked = np.minimum(margin, np.abs(u))
    asked[pattern.flipped.get(layer, [])] = margin
    return np.where(low == 0, asked, low), np.where(high == 0, -asked, high)


def _decision_bounds(u: Matrix, neurons: list[int], method: CoveringMethod, margin: float) -> tuple[Matrix, Matrix]:
    low, high = np.full(len(u), -np.inf), np.full(len(u), np.inf)
    flips = method.decision is Change.SIGN
    for neuron in neurons:
        asked = margin if flips else min(margin, abs(u[neuron]))
        if (u[neuron] >= 0) != flips:
            low[neuron] = asked
        else:
            high[neuron] = -asked
    return low, high


def _row(half_space: HalfSpace, layer: int, pattern: Pattern, margin: float) -> Row:
    """The half-space in terms of u alone, with the margin; of constants alone it is exact.

    In a layer that is not fixed, u stands for v: activation functions with a pattern are monotone.
    """
    coefficients, at_least = dict(half_space.coefficients), half_space.at_least
    if half_space.of == "v" and layer in pattern.on:
        slopes, intercepts = pattern.slopes(layer), pattern.intercepts(layer)
        at_least -= sum(c * intercepts[i] for i, c in coefficients.items())
        coefficients = {i: c * slopes[i] for i, c in coefficients.items()}
    if any(coefficients.values()):
        at_least += margin
    return Row({(layer, i): c for i, c in coefficients.items()}, at_least)
