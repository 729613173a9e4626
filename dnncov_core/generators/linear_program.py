"""The paper's linear programme for one seed and one test condition, in PuLP, solved with HiGHS.

Variables are the inputs **x** of x2, one **u** for each neuron whose sign is fixed (layers 2 .. k) and for each
decision neuron, and the distance **t**. Rows are the box bounds, -t <= x - x1 <= t, one equation u = W v + b a neuron
(Equation C2; v is u or a constant, by the pattern) and its sign (Equation C1), then what the covering method asks of
the decision feature. The objective is min t, that is min ||x2 - x1||_inf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pulp

from dnncov_core.activations import Activations
from dnncov_core.criteria.mcdc import Change, CoveringMethod
from dnncov_core.criteria.value_functions import Alternative, HalfSpace
from dnncov_core.features import FeaturePair
from dnncov_core.generators.affine import INPUT, AffineMap, AffineNetwork, Matrix, Pattern
from dnncov_core.types import Bounds, FloatArray

Terms = dict[pulp.LpVariable, float]
SOLVERS = {"highs": lambda: pulp.HiGHS(msg=False, threads=1), "cbc": lambda: pulp.PULP_CBC_CMD(msg=False, threads=1)}


@dataclass(frozen=True)
class Solution:
    """A solver's answer: its status word, and for "Optimal" the input x2, flat in float64, and the distance t."""

    status: str
    x2: FloatArray | None
    objective: float | None
    variables: int
    constraints: int


@dataclass(frozen=True)
class Condition:
    """All that one programme encodes: pair, criterion with one alternative of its value functions, seed, pattern."""

    pair: FeaturePair
    method: CoveringMethod
    x1: FloatArray
    values: Activations
    pattern: Pattern
    affine: AffineNetwork
    bounds: Bounds
    margin: float
    condition_alternative: Alternative = ()
    decision_alternative: Alternative = ()


def solve(condition: Condition, solver: str = "highs") -> Solution:
    """Builds and solves the programme of one condition."""
    problem = _Builder(condition).problem
    status = problem.solve(SOLVERS[solver]())
    variables, constraints = len(problem.variables()), len(problem.constraints)
    if status != pulp.LpStatusOptimal:
        return Solution(pulp.LpStatus[status], None, None, variables, constraints)
    by_name = {variable.name: float(variable.varValue or 0.0) for variable in problem.variables()}
    x2 = np.array([by_name[f"x_{i}"] for i in range(condition.x1.size)])
    return Solution(pulp.LpStatus[status], x2, by_name["t"], variables, constraints)


class _Builder:
    """Writes the rows of one programme."""

    def __init__(self, condition: Condition) -> None:
        self._c = condition
        self.problem = pulp.LpProblem("test_condition", pulp.LpMinimize)
        self._t = pulp.LpVariable("t")
        self._x = [pulp.LpVariable(f"x_{i}") for i in range(condition.x1.size)]
        self._u: dict[tuple[int, int], pulp.LpVariable] = {}
        self.problem += self._t
        self._box()
        for layer in condition.pattern.on:
            for neuron in range(len(condition.pattern.on[layer])):
                self._define(layer, neuron)
                self._keep_piece(layer, neuron)
        self._pools()
        self._decision()
        for feature, alternative in (
            (condition.pair.condition, condition.condition_alternative),
            (condition.pair.decision, condition.decision_alternative),
        ):
            for half_space in alternative:
                self._half_space(feature.layer, half_space)

    def _row(self, terms: Mapping[pulp.LpVariable, float], sense: int, rhs: float) -> None:
        self.problem.addConstraint(pulp.LpConstraint(pulp.LpAffineExpression(terms), sense=sense, rhs=rhs))

    def _box(self) -> None:
        low, high = self._c.bounds
        for x, x1 in zip(self._x, self._c.x1.ravel().tolist(), strict=True):
            self._row({x: 1}, pulp.LpConstraintGE, low)
            self._row({x: 1}, pulp.LpConstraintLE, high)
            self._row({x: 1, self._t: -1}, pulp.LpConstraintLE, x1)
            self._row({x: 1, self._t: 1}, pulp.LpConstraintGE, x1)

    def _define(self, layer: int, neuron: int) -> pulp.LpVariable:
        """u = W v + b, once for each neuron that appears."""
        if (layer, neuron) not in self._u:
            u = self._u[layer, neuron] = pulp.LpVariable(f"u_{layer}_{neuron}")
            terms, constant = self._affine(self._c.affine.layers[layer], neuron)
            self._row({u: 1, **{variable: -value for variable, value in terms.items()}}, pulp.LpConstraintEQ, constant)
        return self._u[layer, neuron]

    def _affine(self, affine: AffineMap, row: int) -> tuple[Terms, float]:
        """Row of an affine map in terms of x and u, with v replaced by its piece."""
        terms: Terms = {}
        constant = float(affine.constant[row])
        for source, matrix in affine.matrices.items():
            weights: Matrix = matrix[row]
            if source == INPUT:
                terms |= {self._x[j]: float(weights[j]) for j in np.flatnonzero(weights)}
                continue
            constant += float(weights @ self._c.pattern.intercepts(source))
            weights = weights * self._c.pattern.slopes(source)
            terms |= {self._u[source, int(j)]: float(weights[j]) for j in np.flatnonzero(weights)}
        return terms, constant

    def _keep_piece(self, layer: int, neuron: int) -> None:
        """u stays on its piece; u = 0 belongs to sign +1, so the side of sign -1 keeps a margin."""
        pattern = self._c.pattern
        piece = pattern.pieces[layer][pattern.on[layer][neuron]]
        flips = neuron in pattern.flipped.get(layer, ())
        if piece.high == 0 or piece.low == 0:
            self._sign(layer, neuron, positive=piece.low == 0, flips=flips)
        if piece.low > 0:
            self._row({self._u[layer, neuron]: 1}, pulp.LpConstraintGE, piece.low)
        if 0 < piece.high < np.inf:
            self._row({self._u[layer, neuron]: 1}, pulp.LpConstraintLE, piece.high)

    def _sign(self, layer: int, neuron: int, *, positive: bool, flips: bool) -> None:
        """The sign of u with a margin; where x1 itself is nearer to 0, a kept sign asks for no more than x1 has."""
        margin = self._c.margin
        if not flips:
            margin = min(margin, abs(float(self._c.values[layer].u[0, neuron])))
        variable = self._define(layer, neuron)
        if positive:
            self._row({variable: 1}, pulp.LpConstraintGE, margin)
        else:
            self._row({variable: 1}, pulp.LpConstraintLE, -margin)

    def _pools(self) -> None:
        for rows in self._c.affine.pools:
            for winner, other in zip(rows.winners.tolist(), rows.others.tolist(), strict=True):
                terms, constant = self._affine(rows.values, winner)
                minus, minus_constant = self._affine(rows.values, other)
                for variable, value in minus.items():
                    terms[variable] = terms.get(variable, 0.0) - value
                if terms:
                    self._row(terms, pulp.LpConstraintGE, minus_constant - constant)

    def _decision(self) -> None:
        decision = self._c.pair.decision
        flips = self._c.method.decision is Change.SIGN
        for neuron in decision.neurons:
            positive = float(self._c.values[decision.layer].u[0, neuron]) >= 0
            self._define(decision.layer, neuron)
            self._sign(decision.layer, neuron, positive=positive != flips, flips=flips)

    def _half_space(self, layer: int, half_space: HalfSpace) -> None:
        pattern = self._c.pattern
        terms: Terms = {}
        rhs = half_space.at_least
        for neuron, coefficient in half_space.coefficients.items():
            slope, intercept = 1.0, 0.0
            if half_space.of == "v" and layer in pattern.on:
                slope, intercept = pattern.slopes(layer)[neuron], pattern.intercepts(layer)[neuron]
            terms[self._define(layer, neuron)] = coefficient * slope
            rhs -= coefficient * intercept
        if any(terms.values()):  # a row about constants alone, such as v of inactive neurons, is exact
            rhs += self._c.margin
        self._row(terms, pulp.LpConstraintGE, rhs)
