"""The nearest x2 on a grid, starting from the nearest x2 of all.

On the grid x2 = n / levels with whole numbers n, and distances are counted in levels, L. A linear programme's distance
t leaves L = ceil(levels t) as the least within the pattern. For one L, over the rows g . d >= h known so far,

    max s  subject to  g . (n - levels x1) - ||g||_1 s >= levels h,  |n - levels x1| <= L,  0 <= s <= 1/2

has the most room for rounding: s is the number of levels by which every input may be off. Its solution has no more
inputs between the levels than rows that bind. They are rounded one by one towards the rows; the network is asked, since
it may agree outside the pattern, too; rows that the point breaks are added; and where all are known, an integer
programme decides over the inputs between the levels and those that cost least to move.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import highspy
import numpy as np
import torch

from dnncov_core.generators.condition_rows import ConditionRows
from dnncov_core.generators.pattern import Matrix
from dnncov_core.generators.programme import LinearCondition, Programme, Solution
from dnncov_core.generators.row_generation import MOST_ROUNDS, add_rows, programme, use_simplex
from dnncov_core.networks.network import Network
from dnncov_core.types import IntArray

FARTHER = (0, 1, 2, 4, 8)
"""Levels beyond the least that are tried."""
OTHERS = 60
"""Inputs that the integer programme may move besides those between the levels."""
MOST_NODES = 100
WHOLE = 1e-3
"""A value this near to a level, in levels, lies on it: float32 misses one by 1e-5."""


class OnGrid(Programme):
    """Another programme's nearest x2, brought onto the multiples of 1 / levels.

    The distances tried are `FARTHER` than the least that the programme leaves, and the first is taken at which a point
    is found that the network confirms. It is the least within the pattern if it is the first one tried, as nearly
    always; or if it is at most two levels farther, the network has at most `OTHERS` inputs, and no integer programme
    met its limit of nodes. Distances from an x1 that is not on the grid itself are rounded up to whole levels.

    The solution's sizes are those of the larger programme, its iterations those of both.
    """

    def __init__(self, programme: Programme, network: Network, levels: int) -> None:
        self._programme, self._levels = programme, levels
        self._network = network.to(device="cpu")
        self._in_float64 = self._network.to(dtype=torch.float64)

    @property
    def relaxed(self) -> Programme:
        return self._programme

    def solve(self, condition: LinearCondition) -> Solution:
        (solution,) = self.solve_all([condition])
        return solution

    def solve_all(self, conditions: Sequence[LinearCondition]) -> list[Solution]:
        return list(map(self._onto_grid, conditions, self._programme.solve_all(conditions)))

    def _onto_grid(self, condition: LinearCondition, solution: Solution) -> Solution:
        if solution.x2 is None or solution.objective is None:
            return solution
        x1 = condition.x1.ravel().astype(np.float64)
        least = math.ceil(solution.objective * self._levels - WHOLE)
        stretch = least / solution.objective if solution.objective else 0.0
        model = _GridModel(ConditionRows(self._in_float64, [condition]), x1, self._levels)
        farthest = math.inf if condition.bound is None else condition.bound * self._levels + WHOLE
        tried = [level for level in (least + more for more in FARTHER) if level <= farthest]
        for level in tried:
            start = self._levels * x1 + stretch * (solution.x2 - x1) if level == least else None
            n = model.point(level, start, lambda n: self._holds(condition, n))
            if n is not None:
                x2 = n / self._levels
                return model.with_cost(solution, x2=x2, objective=float(np.abs(x2 - x1).max()))
        status = "Infeasible" if model.empty or not tried else f"no point of the grid within {tried[-1]} levels"
        return model.with_cost(solution, status=status, x2=None, objective=None)

    def _holds(self, condition: LinearCondition, n: Matrix) -> bool:
        """Whether the network itself confirms the point n, in its own precision."""
        pixels = condition.x1, (n / self._levels).reshape(condition.x1.shape)
        x1, x2 = (torch.from_numpy(x).to(self._network.dtype).numpy() for x in pixels)
        return condition.holds(self._network, x1, x2)


class _GridModel:
    """The programme in n and s of one condition, with its rows so far.

    Attributes:
        empty: whether the last box was the whole input box and was proved to hold no point.
    """

    def __init__(self, asked: ConditionRows, x1: Matrix, levels: int) -> None:
        self._asked, self._x1, self._levels = asked, x1, levels
        self._gradients, self._least = np.zeros((0, len(x1))), np.zeros(0)
        self._low, self._high = np.zeros(len(x1)), np.full(len(x1), float(levels))
        self._highs = _with_room(self._low, self._high)
        use_simplex(self._highs)
        self.empty, self._iterations = False, 0

    def point(self, level: int, start: Matrix | None, holds: Callable[[Matrix], bool]) -> Matrix | None:
        """A point at most ``level`` levels from x1 that ``holds``, or one that keeps every row; or None.

        Args:
            level: the distance.
            start: a point between the levels, near to a solution; none where rows are known from a smaller level.
            holds: whether the network confirms a point.
        """
        self._set_box(level)
        z = self._solve() if start is None else start.clip(self._low, self._high)
        for _ in range(MOST_ROUNDS):
            if z is None:
                return None
            n = self._rounded(z)
            if holds(n):
                return n
            if not self._add_broken(n) and not self._add_broken(z):
                whole = self._by_integers()
                if whole is None or holds(whole) or not self._add_broken(whole):
                    return whole
            z = self._solve()
        return None

    def with_cost(self, solution: Solution, **changes: Any) -> Solution:
        """The solution with these changes, at the cost of both programmes."""
        return dataclasses.replace(
            solution,
            variables=max(solution.variables, len(self._x1) + 1),
            constraints=max(solution.constraints, len(self._least)),
            iterations=solution.iterations + self._iterations,
            **changes,
        )

    def _set_box(self, level: int) -> None:
        centre = self._levels * self._x1
        self._low = np.ceil(centre - level - WHOLE).clip(0, self._levels)
        self._high = np.floor(centre + level + WHOLE).clip(0, self._levels)
        columns = np.arange(len(centre), dtype=np.int32)
        self._highs.changeColsBounds(len(centre), columns, self._low, self._high)

    def _solve(self) -> Matrix | None:
        """The point with the most room for rounding; None where there is none."""
        self.empty = False
        self._run(self._highs)
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self.empty = self._proved_empty(self._highs)
            return None
        return np.array(self._highs.getSolution().col_value)[:-1]

    def _run(self, highs: highspy.Highs) -> None:
        highs.run()
        self._iterations += max(0, highs.getInfo().simplex_iteration_count)

    def _proved_empty(self, highs: highspy.Highs) -> bool:
        whole_box = not self._low.any() and bool((self._high == self._levels).all())
        return whole_box and highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible

    def _rounded(self, z: Matrix) -> Matrix:
        """z with the inputs between the levels rounded one after another to where the worst row keeps more room."""
        n = np.rint(z)
        if not len(self._least):
            return n
        room = self._gradients @ z - self._least
        for i in _between(z):
            sides = [room + self._gradients[:, i] * (whole - z[i]) for whole in (np.floor(z[i]), np.ceil(z[i]))]
            upper = bool(sides[1].min() > sides[0].min())
            n[i], room = np.floor(z[i]) + upper, sides[upper]
        return n

    def _add_broken(self, n: Matrix) -> bool:
        """Adds rows that a point breaks; False if it breaks no other than those known."""
        _, gradients, least = self._asked.broken_by(n[None] / self._levels)
        if not len(least):
            return False
        sizes = np.abs(gradients).sum(axis=1)
        gradients = gradients / sizes[:, None]
        least = self._levels * (least / sizes + gradients @ self._x1)
        _add_rows(self._highs, gradients, least)
        self._gradients, self._least = np.vstack([self._gradients, gradients]), np.append(self._least, least)
        return True

    def _by_integers(self) -> Matrix | None:
        """A whole solution of all known rows; most inputs stay where the programme without whole numbers has them."""
        z = self._solve()
        if z is None:
            return None
        cost = np.abs(np.array(self._highs.getSolution().col_dual)[:-1])
        cost[_between(z)] = -1.0
        free = np.argsort(cost, kind="stable")[: (cost < 0).sum() + OTHERS]
        n = np.rint(z)
        n[free] = 0.0
        highs = _with_room(self._low[free], self._high[free])
        highs.setOptionValue("mip_max_nodes", MOST_NODES)
        highs.setOptionValue("mip_max_improving_sols", 1)
        _add_rows(highs, self._gradients[:, free], self._least - self._gradients @ n)
        kinds = np.full(len(free), highspy.HighsVarType.kInteger)
        highs.changeColsIntegrality(len(free), np.arange(len(free), dtype=np.int32), kinds)
        self._run(highs)
        if highs.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            self.empty = len(free) == len(z) and self._proved_empty(highs)
            return None
        n[free] = np.rint(np.array(highs.getSolution().col_value)[:-1])
        return n


def _between(z: Matrix) -> IntArray:
    """The entries that lie on no level."""
    return np.flatnonzero(np.abs(z - np.rint(z)) > WHOLE)


def _with_room(low: Matrix, high: Matrix) -> highspy.Highs:
    """A programme of these variables and s, the most s sought, without rows."""
    return programme(np.append(low, 0.0), np.append(high, 0.5))


def _add_rows(highs: highspy.Highs, gradients: Matrix, least: Matrix) -> None:
    """Adds the rows gradients . n - s >= least."""
    add_rows(highs, np.hstack([gradients, np.full((len(least), 1), -1.0)]), least)
