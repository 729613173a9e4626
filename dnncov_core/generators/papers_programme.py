"""The paper's linear programme for one seed and one test condition, in PuLP, solved with HiGHS.

Variables are the inputs **x** of x2, one **u** for each neuron whose sign is fixed (layers 2 .. k) and for each
decision neuron, and the distance **t**. Rows are the box bounds, -t <= x - x1 <= t, one equation u = W v + b a neuron
(Equation C2; v is u or a constant, by the pattern) and its sign (Equation C1), then what the covering method asks of
the decision feature. The objective is min t, that is min ||x2 - x1||_inf.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pulp
import torch

from dnncov_core.affine_parts import INPUT, AffineParts, Stage
from dnncov_core.generators.pattern import Pooling, needed, poolings_of
from dnncov_core.generators.programme import LinearCondition, Programme, Solution
from dnncov_core.networks.network import Network

Terms = dict[pulp.LpVariable, float]


class PapersProgramme(Programme):
    """The paper's formulation, built anew for every condition."""

    def __init__(self, network: Network) -> None:
        self._network = network.to(device="cpu", dtype=torch.float64)
        self._parts = AffineParts(network)

    def build(self, condition: LinearCondition) -> pulp.LpProblem:
        """The programme of one condition."""
        x1, last = torch.from_numpy(condition.x1)[None], condition.pair.decision.layer
        poolings = poolings_of(self._network, x1, condition.pattern, last)
        builder = _Builder(condition, self._parts, poolings)
        builder.keep_winners(needed(self._network, poolings, [*condition.pattern.on, last]))
        builder.add_rows()
        return builder.problem

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

    def __init__(self, condition: LinearCondition, parts: AffineParts, poolings: Mapping[str, Pooling]) -> None:
        self._c, self._parts, self._poolings = condition, parts, poolings
        self._inputs = {name: pooling.inputs() for name, pooling in poolings.items()}
        self.problem = pulp.LpProblem("test_condition", pulp.LpMinimize)
        self._t = pulp.LpVariable("t", upBound=condition.bound)
        self._x = [pulp.LpVariable(f"x_{i}") for i in range(condition.x1.size)]
        self._u: dict[tuple[int, int], pulp.LpVariable] = {}
        self.problem += self._t
        self._box()
        for layer in sorted(condition.required.low):
            for neuron in range(len(condition.required.low[layer])):
                self._bounds(layer, neuron)

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
            terms, constant = self._affine(layer, neuron)
            self._row({u: 1, **{variable: -value for variable, value in terms.items()}}, pulp.LpConstraintEQ, constant)
        return self._u[layer, neuron]

    def _affine(self, stage: Stage, row: int) -> tuple[Terms, float]:
        """A value that arrives at a stage in terms of x and u, with v replaced by its piece."""
        terms: Terms = {}
        constant = float(self._parts.constants[stage][row])
        for source, matrix in self._parts.matrix(stage).items():
            weights = matrix[row].numpy()
            if isinstance(source, str):
                for j in np.flatnonzero(weights):
                    pooled, more = self._affine(source, int(self._inputs[source][j]))
                    constant += float(weights[j]) * more
                    _add(terms, pooled, float(weights[j]))
            elif source == INPUT:
                _add(terms, {self._x[j]: float(weights[j]) for j in np.flatnonzero(weights)})
            else:
                constant += float(weights @ self._c.pattern.intercepts(source))
                weights = weights * self._c.pattern.slopes(source)
                _add(terms, {self._u[source, int(j)]: float(weights[j]) for j in np.flatnonzero(weights)})
        return terms, constant

    def _bounds(self, layer: int, neuron: int) -> None:
        low, high = self._c.required.low[layer][neuron], self._c.required.high[layer][neuron]
        if low > -np.inf:
            self._row({self._define(layer, neuron): 1}, pulp.LpConstraintGE, low)
        if high < np.inf:
            self._row({self._define(layer, neuron): 1}, pulp.LpConstraintLE, high)

    def keep_winners(self, names: Iterable[str]) -> None:
        """Adds the rows that keep the winners of these max poolings: each is at least any other entry of its window."""
        for name in names:
            winners, others = self._poolings[name].window_pairs()
            for winner, other in zip(winners.tolist(), others.tolist(), strict=True):
                terms, constant = self._affine(name, winner)
                minus, minus_constant = self._affine(name, other)
                _add(terms, minus, -1.0)
                if terms:
                    self._row(terms, pulp.LpConstraintGE, minus_constant - constant)

    def add_rows(self) -> None:
        """Adds the rows that are asked beside bounds of u."""
        for row in self._c.required.rows:
            terms = {self._t: 0.0} | {self._define(*neuron): c for neuron, c in row.coefficients.items()}
            self._row(terms, pulp.LpConstraintGE, row.at_least)


def _add(terms: Terms, others: Terms, factor: float = 1.0) -> None:
    for variable, value in others.items():
        terms[variable] = terms.get(variable, 0.0) + factor * value
