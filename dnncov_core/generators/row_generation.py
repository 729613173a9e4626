"""The optimum of the paper's programme, from a programme in the inputs alone whose rows are added when needed.

Within a pattern every asked quantity f (the u of a neuron, the difference of two entries of a pooling window, a
row over neurons) is affine in the step d = x2 - x1: f(x1 + d) = f(x1) + g . d, so that low <= f <= high is one or two
rows g . d >= h, and of the hundreds of rows only a few dozen bind. The substitution d = t y, |y| <= 1, s = 1/t makes

    min t  subject to  G d >= h, |d| <= t, low <= x1 + d <= high

one linear programme that is bounded, homogeneous and warm-started when rows are added:

    max s  subject to  G y - h s >= 0, -1 <= y <= 1, y_i <= room_i s where an input meets the box.

Rows that the present solution breaks are added until there are none. Since s only falls meanwhile, the present s bounds
each y_i by room_i s, which takes no row; rows of the box are added where all others hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import highspy
import numpy as np
import torch

from dnncov_core.generators.condition_rows import BROKEN, ConditionRows
from dnncov_core.generators.pattern import Matrix
from dnncov_core.generators.programme import LinearCondition, Programme, Solution
from dnncov_core.networks.network import Network
from dnncov_core.types import IntArray

MOST_ROUNDS = 500


class RowGeneration(Programme):
    """Row generation over the inputs, in float64; conditions of the same layers go through the network together."""

    def __init__(self, network: Network) -> None:
        self._network = network.to(dtype=torch.float64)

    def solve(self, condition: LinearCondition) -> Solution:
        (solution,) = self.solve_all([condition])
        return solution

    def solve_all(self, conditions: Sequence[LinearCondition]) -> list[Solution]:
        asked, models = ConditionRows(self._network, conditions), list(map(_RowModel, conditions))
        solutions: dict[int, Solution] = {}
        for _ in range(MOST_ROUNDS):
            left = [number for number in range(len(models)) if number not in solutions]
            if not left:
                break
            rows = asked.broken_by(np.stack([models[number].x2 for number in left]), left)
            for number in left:
                own = rows.of == number
                solution = models[number].solved_with(rows.g[own], rows.h[own])
                if solution is not None:
                    solutions[number] = solution
        return [solutions.get(number) or model.without("Not Solved") for number, model in enumerate(models)]


class _RowModel:
    """The programme in s and y of one condition, its rows so far, and its present solution as d, t and x2."""

    def __init__(self, condition: LinearCondition) -> None:
        (low, high), x1 = condition.bounds, condition.x1.ravel()
        self._x1, self._down, self._up = x1, x1 - low, high - x1
        self._least = (1 - 1e-9) / min(high - low, condition.bound or math.inf)
        self._t, self._d = 0.0, np.zeros(len(x1))
        self._variables, self._constraints, self._iterations = len(x1) + 1, 0, 0
        lower = np.append(np.where(self._down > 0, -1.0, 0.0), 0.0)
        upper = np.append(np.where(self._up > 0, 1.0, 0.0), highspy.kHighsInf)
        self._highs = programme(lower, upper)
        use_simplex(self._highs)
        self._highs.setOptionValue("objective_bound", -self._least)  # of the minimum -s: box or bound hold none then

    @property
    def x2(self) -> Matrix:
        """The present solution, within the box up to the solver's accuracy."""
        return self._x1 + self._d

    def solved_with(self, gradients: Matrix, least: Matrix) -> Solution | None:
        """The present solution if no row g . d >= h that it breaks is left; None while a better one is to be had."""
        sizes = np.abs(gradients).sum(axis=1)
        if (sizes == 0).any():
            return self.without("Infeasible")
        dense = np.hstack([gradients, -least[:, None]]) / sizes[:, None]
        add_rows(self._highs, dense, np.zeros(len(least)))
        added = len(least)
        if added:
            self._narrow()
        else:
            added = self._add_box_rows()
        self._constraints += added
        if not added:
            return self._solution("Optimal", self.x2, self._t)
        status = self._solve()
        return None if status == "Optimal" else self.without(status)

    def _narrow(self) -> None:
        """Bounds each y by what the box leaves at the present s; no solution with a smaller s is lost."""
        if self._t:
            inputs = np.arange(len(self._d), dtype=np.int32)
            down, up = (np.minimum(1.0, room / self._t) for room in (self._down, self._up))
            self._highs.changeColsBounds(len(inputs), inputs, -down, up)

    def _add_box_rows(self) -> int:
        outside = np.flatnonzero((self._d > self._up + BROKEN) | (-self._d > self._down + BROKEN))
        if not len(outside):
            return 0
        positive = self._d[outside] > 0
        columns = np.stack([outside, np.full(len(outside), self._variables - 1)], axis=1)
        room = np.where(positive, self._up[outside], self._down[outside])
        values = np.stack([np.where(positive, -1.0, 1.0), room], axis=1)
        add_rows(self._highs, values, np.zeros(len(outside)), columns)
        return len(outside)

    def _solve(self) -> str:
        """Solves again from the last basis; the status word."""
        self._highs.run()
        self._iterations += self._highs.getInfo().simplex_iteration_count  # of this run alone
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kObjectiveBound:
            return "Infeasible"
        if status != highspy.HighsModelStatus.kOptimal:
            return str(self._highs.modelStatusToString(status))
        solution = np.array(self._highs.getSolution().col_value)
        s = solution[-1]
        if s < self._least:
            return "Infeasible"
        self._t, self._d = float(1 / s), solution[:-1] / s
        return "Optimal"

    def without(self, status: str) -> Solution:
        """The answer that there is no solution, and why."""
        return self._solution(status, None, None)

    def _solution(self, status: str, x2: Matrix | None, t: float | None) -> Solution:
        return Solution(status, x2, t, self._variables, self._constraints, self._iterations)


def programme(low: Matrix, high: Matrix) -> highspy.Highs:
    """A programme without rows that maximises the last variable; all variables lie within these bounds."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.addVars(len(low), low, high)
    highs.changeColCost(len(low) - 1, -1.0)
    return highs


def use_simplex(highs: highspy.Highs) -> None:
    """Solves by the simplex method, from the last basis where rows were added."""
    for option, value in (("presolve", "off"), ("solver", "simplex"), ("primal_feasibility_tolerance", 1e-9)):
        highs.setOptionValue(option, value)


def add_rows(highs: highspy.Highs, values: Matrix, least: Matrix, columns: IntArray | None = None) -> None:
    """Adds the rows values . variables[columns] >= least, each with as many entries; columns are all if left out."""
    m, n = values.shape
    columns = np.broadcast_to(np.arange(n, dtype=np.int32), values.shape) if columns is None else columns
    starts = np.arange(m, dtype=np.int32) * n
    highs.addRows(
        m, least, np.full(m, highspy.kHighsInf), m * n, starts, columns.astype(np.int32).ravel(), values.ravel()
    )
