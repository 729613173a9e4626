"""The paper's linear programme for one seed and one test condition, in PuLP, solved with HiGHS.

Variables are the inputs **x** of x2, one **u** for each neuron whose sign is fixed (layers 2 .. k) and for each
decision neuron, and the distance **t**. Rows are the box bounds, -t <= x - x1 <= t, one equation u = W v + b a neuron
(Equation C2; v is u or a constant, by the pattern) and its sign (Equation C1), then what the covering method asks of
the decision feature. The objective is min t, that is min ||x2 - x1||_inf.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pulp
import torch

from dnncov_core.criteria.value_functions import HalfSpace
from dnncov_core.generators.affine import INPUT, AffineExtractor, AffineMap, AffineNetwork
from dnncov_core.generators.pattern import Matrix
from dnncov_core.generators.programme import LinearCondition, Programme, Solution
from dnncov_core.networks.network import Network

Terms = dict[pulp.LpVariable, float]


class PapersProgramme(Programme):
    """The paper's formulation, built anew for every condition."""

    def __init__(self, network: Network) -> None:
        self._extractor = AffineExtractor(network)

    def build(self, condition: LinearCondition) -> pulp.LpProblem:
        """The programme of one condition."""
        x1 = torch.from_numpy(condition.x1)[None]
        with torch.no_grad():
            affine = self._extractor.maps(x1, condition.pattern, condition.pair.decision.layer)
        return _Builder(condition, affine).problem

    def solve(self, condition: LinearCondition) -> Solution:
        problem = self.build(condition)
        status = problem.solve(pulp.HiGHS(msg=False, threads=1))
        iterations = int(problem.solverModel.getInfo().simplex_iteration_count)
        cost = len(problem.variables()), len(problem.constraints), iterations
        if status != pulp.LpStatusOptimal:
            return Solution(pulp.LpStatus[status], None, None, *cost)
        by_name = {variable.name: float(variable.varValue or 0.0) for variable in problem.variables()}
        x2 = np.array([by_name[f"x_{i}"] for i in range(condition.x1.size)])
        return Solution(pulp.LpStatus[status], x2, by_name["t"], *cost)


class _Builder:
    """Writes the rows of one programme."""

    def __init__(self, condition: LinearCondition, affine: AffineNetwork) -> None:
        self._c = condition
        self._affine_network = affine
        self.problem = pulp.LpProblem("test_condition", pulp.LpMinimize)
        self._t = pulp.LpVariable("t")
        self._x = [pulp.LpVariable(f"x_{i}") for i in range(condition.x1.size)]
        self._u: dict[tuple[int, int], pulp.LpVariable] = {}
        self.problem += self._t
        self._box()
        for layer in sorted(condition.required.low):
            for neuron in range(len(condition.required.low[layer])):
                self._bounds(layer, neuron)
        self._pools()
        for layer, half_space in condition.required.half_spaces:
            self._half_space(layer, half_space)

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
            terms, constant = self._affine(self._affine_network.layers[layer], neuron)
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

    def _bounds(self, layer: int, neuron: int) -> None:
        low, high = self._c.required.low[layer][neuron], self._c.required.high[layer][neuron]
        if low > -np.inf:
            self._row({self._define(layer, neuron): 1}, pulp.LpConstraintGE, low)
        if high < np.inf:
            self._row({self._define(layer, neuron): 1}, pulp.LpConstraintLE, high)

    def _pools(self) -> None:
        for rows in self._affine_network.pools:
            for winner, other in zip(rows.winners.tolist(), rows.others.tolist(), strict=True):
                terms, constant = self._affine(rows.values, winner)
                minus, minus_constant = self._affine(rows.values, other)
                for variable, value in minus.items():
                    terms[variable] = terms.get(variable, 0.0) - value
                if terms:
                    self._row(terms, pulp.LpConstraintGE, minus_constant - constant)

    def _half_space(self, layer: int, half_space: HalfSpace) -> None:
        terms = {self._define(layer, neuron): c for neuron, c in half_space.coefficients.items()}
        self._row(terms, pulp.LpConstraintGE, half_space.at_least)
