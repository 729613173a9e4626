"""The optimum of the paper's programme, from a programme in the inputs alone whose rows are added when needed.

Within a pattern every asked quantity f (the u of a neuron, the difference of two entries of a pooling window, a
row over neurons) is affine in the step d = x2 - x1: f(x1 + d) = f(x1) + g . d, so that low <= f <= high is one or two
rows g . d >= h, and of the hundreds of rows only a few dozen bind. The substitution d = t y, |y| <= 1, s = 1/t makes

    min t  subject to  G d >= h, |d| <= t, low <= x1 + d <= high

one linear programme that is bounded, homogeneous and warm-started when rows are added:

    max s  subject to  G y - h s >= 0, -1 <= y <= 1, y_i <= room_i s where an input meets the box.

Rows that the present solution breaks are found by one pass of the fixed-pattern network and their gradients g by one
vector-Jacobian product, so that the whole Jacobian is never needed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import highspy
import numpy as np
import torch
from torch import Tensor, fx

from dnncov_core.generators.pattern import Matrix, needed, poolings_of
from dnncov_core.generators.programme import LinearCondition, Programme, Row, Solution
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.types import Bounds, IntArray

ROWS_A_ROUND = 12
MOST_ROUNDS = 500
BROKEN = 1e-9
"""A row counts as broken where f misses its bound by more than this; signs keep a margin that is far larger."""


class RowGeneration(Programme):
    """Row generation over the inputs, in float64 on the CPU."""

    def __init__(self, network: Network) -> None:
        self._network = network.to(device="cpu", dtype=torch.float64)

    def solve(self, condition: LinearCondition) -> Solution:
        asked = ConditionRows(self._network, condition)
        model = _RowModel(condition.x1.ravel().astype(np.float64), condition.bounds, condition.bound)
        for _ in range(MOST_ROUNDS):
            broken = asked.broken(model.x2)
            if not model.add(*asked.rows(broken)):
                return model.without("Infeasible")
            if not model.changed:
                return Solution("Optimal", model.x2, model.t, model.variables, model.constraints, model.iterations)
            status = model.solve()
            if status != "Optimal":
                return model.without(status)
        return model.without("Not Solved")


class ConditionRows:
    """All that a condition asks, as bounds on one vector f of affine functions of the input."""

    def __init__(self, network: Network, condition: LinearCondition) -> None:
        self._network, self._condition = network, condition
        self._x1 = torch.from_numpy(condition.x1)[None]
        required, self._last = condition.required, condition.pair.decision.layer
        self._layers = sorted(required.low)
        self._poolings = poolings_of(network, self._x1, condition.pattern, self._last)
        self._pool_rows = {
            name: tuple(map(torch.from_numpy, self._poolings[name].window_pairs()))
            for name in needed(network, self._poolings, self._layers)
        }
        windows = sum(len(winners) for winners, _ in self._pool_rows.values())
        least = [row.at_least for row in required.rows]
        self._low = np.concatenate([*(required.low[k] for k in self._layers), np.zeros(windows), least])
        self._high = np.concatenate([*(required.high[k] for k in self._layers), np.full(windows + len(least), np.inf)])
        self._pieces = {
            k: (torch.from_numpy(condition.pattern.slopes(k)), torch.from_numpy(condition.pattern.intercepts(k)))
            for k in condition.pattern.on
        }
        self._sums = _Sums(required.rows, {layer: len(required.low[layer]) for layer in self._layers})
        self._added = np.zeros((2, len(self._low)), dtype=bool)
        self._copies = self._x1.expand(ROWS_A_ROUND, *self._x1.shape[1:]).clone().requires_grad_()
        with torch.enable_grad():
            self._f_of_copies = self._f(self._copies)

    def broken(self, x2: Matrix) -> tuple[IntArray, Matrix]:
        """The worst of the bounds that x2 misses and that have no row yet: places in f, and +1 for low, -1 for high."""
        f = self._f(torch.from_numpy(x2).reshape(self._x1.shape))[0].numpy()
        miss = np.where(self._added, -np.inf, np.stack([self._low - f, f - self._high]))
        worst = np.argsort(miss, axis=None)[: -ROWS_A_ROUND - 1 : -1]
        worst = worst[miss.ravel()[worst] > BROKEN]
        self._added.ravel()[worst] = True
        side, place = np.unravel_index(worst, miss.shape)
        return place.astype(np.int64), np.where(side == 0, 1.0, -1.0)

    def rows(self, broken: tuple[IntArray, Matrix]) -> tuple[Matrix, Matrix]:
        """G ``(m, inputs)`` and h ``(m,)`` of these bounds."""
        place, sign = broken
        if not len(place):
            return np.zeros((0, self._x1.numel())), np.zeros(0)
        chosen = torch.zeros_like(self._f_of_copies)
        chosen[torch.arange(len(place)), torch.from_numpy(place)] = torch.from_numpy(sign)
        (gradients,) = torch.autograd.grad(self._f_of_copies, self._copies, chosen, retain_graph=True)
        f = self._f_of_copies.detach()[0].numpy()[place]
        bound = np.where(sign > 0, self._low[place], self._high[place])
        return gradients.flatten(1).numpy()[: len(place)], sign * (bound - f)

    def _f(self, x: Tensor) -> Tensor:
        """f of a batch, ``(batch, len(f))``, by the fixed-pattern network."""
        u: dict[int, Tensor] = {}
        pooled: dict[str, Tensor] = {}

        def activation(layer: int, values: Tensor, apply: Apply) -> Tensor:
            u[layer] = flat = values.flatten(1)
            if layer not in self._pieces:
                return apply(values)
            slopes, intercepts = self._pieces[layer]
            return (flat * slopes + intercepts).reshape(values.shape)

        def max_pool(name: str, values: Tensor, node: fx.Node) -> Tensor:
            pooled[name] = values.flatten(1)
            return self._poolings[name].pooled(values)

        last = self._network.run(x, on_activation=activation, on_max_pool=max_pool, last_layer=self._last)
        u.setdefault(self._last, last)
        parts = [u[layer] for layer in self._layers]
        for name, (winners, others) in self._pool_rows.items():
            parts.append(pooled[name][:, winners] - pooled[name][:, others])
        parts.append(self._sums(torch.cat([u[layer] for layer in self._layers], dim=1)))
        return torch.cat(parts, dim=1)


class _Sums:
    """The left sides of rows, ``(batch, rows)``, from u of some layers beside each other."""

    def __init__(self, rows: Sequence[Row], sizes: Mapping[int, int]) -> None:
        start = dict(zip(sizes, itertools.accumulate(sizes.values(), initial=0), strict=False))
        entries = [(place, *entry) for place, row in enumerate(rows) for entry in row.coefficients.items()]
        self._count = len(rows)
        self._rows = torch.tensor([place for place, _, _ in entries], dtype=torch.int64)
        self._columns = torch.tensor([start[layer] + i for _, (layer, i), _ in entries], dtype=torch.int64)
        self._coefficients = torch.tensor([c for _, _, c in entries], dtype=torch.float64)

    def __call__(self, u: Tensor) -> Tensor:
        terms = u[:, self._columns] * self._coefficients
        return u.new_zeros(len(u), self._count).index_add(1, self._rows, terms)


class _RowModel:
    """The programme in s and y, its rows so far, and its present solution as d, t and x2."""

    def __init__(self, x1: Matrix, bounds: Bounds, farthest: float | None) -> None:
        low, high = bounds
        self._x1, self._down, self._up = x1, x1 - low, high - x1
        self._least = (1 - 1e-9) / min(high - low, farthest or math.inf)
        self.t, self._d = 0.0, np.zeros(len(x1))
        self.variables, self.constraints, self.changed = len(x1) + 1, 0, False
        self.iterations = 0
        lower = np.append(np.where(self._down > 0, -1.0, 0.0), 0.0)
        upper = np.append(np.where(self._up > 0, 1.0, 0.0), highspy.kHighsInf)
        self._highs = programme(lower, upper)
        use_simplex(self._highs)
        self._highs.setOptionValue("objective_bound", -self._least)  # of the minimum -s: box or bound hold none then

    @property
    def x2(self) -> Matrix:
        """The present solution, within the box up to the solver's accuracy."""
        return self._x1 + self._d

    def add(self, gradients: Matrix, least: Matrix) -> bool:
        """Adds the rows g . d >= h, and box rows where x2 left the box; False if a row can never hold."""
        sizes = np.abs(gradients).sum(axis=1)
        if (sizes == 0).any():
            return False
        dense = np.hstack([gradients, -least[:, None]]) / sizes[:, None]
        add_rows(self._highs, dense, np.zeros(len(least)))
        added = len(least) + self._add_box_rows()
        self.constraints += added
        self.changed = added > 0
        return True

    def _add_box_rows(self) -> int:
        outside = np.flatnonzero((self._d > self._up + BROKEN) | (-self._d > self._down + BROKEN))
        if not len(outside):
            return 0
        positive = self._d[outside] > 0
        columns = np.stack([outside, np.full(len(outside), self.variables - 1)], axis=1)
        room = np.where(positive, self._up[outside], self._down[outside])
        values = np.stack([np.where(positive, -1.0, 1.0), room], axis=1)
        add_rows(self._highs, values, np.zeros(len(outside)), columns)
        return len(outside)

    def solve(self) -> str:
        """Solves again from the last basis; the status word."""
        self._highs.run()
        self.iterations += self._highs.getInfo().simplex_iteration_count  # of this run alone
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kObjectiveBound:
            return "Infeasible"
        if status != highspy.HighsModelStatus.kOptimal:
            return str(self._highs.modelStatusToString(status))
        solution = np.array(self._highs.getSolution().col_value)
        s = solution[-1]
        if s < self._least:
            return "Infeasible"
        self.t, self._d = float(1 / s), solution[:-1] / s
        return "Optimal"

    def without(self, status: str) -> Solution:
        """The answer that there is no solution, and why."""
        return Solution(status, None, None, self.variables, self.constraints, self.iterations)


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
