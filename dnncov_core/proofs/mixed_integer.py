"""The extreme of one u over the box as a mixed-integer programme, in PuLP, solved with HiGHS.

Variables are the inputs x, and u and v of each layer before the asked one. u = W v + b up to rounding errors. A
function of two linear pieces that meet in 0 has a binary z where the sign of u is open, with v = slope u of one piece
or the other, by big-M from the bounds of u. Other functions keep to their lines and max poolings to their bounds, so
that the programme allows more than the network, never less.

The solver works with tolerances: rows and bounds may be missed by 1e-7, z may be 1e-6 from a whole number, reduced
costs may be wrong by 1e-7. What this may change in u is bounded layer by layer: `TOLERANCE` times 1 + |u| in each row
and each choice of z, carried on by the absolute weights, and 1e-7 times the range of each variable. The solver's dual
bound counts with ten times that as a margin. Weights so small that the solver would drop them widen the rows instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import highspy
import pulp
import torch
from torch import Tensor

from dnncov_core.affine_parts import INPUT, AffineParts, Stage
from dnncov_core.networks.operators import Activation
from dnncov_core.proofs.intervals import StageBounds
from dnncov_core.proofs.relaxations import EXACT, Interval, lines, outer_slopes

TOLERANCE, COST_TOLERANCE, SAFETY = 1e-6, 1e-7, 10.0
DROPPED = 1e-7
"""Smaller weights are left to the rounding errors; the solver itself drops those under 1e-9."""
MOST_WEIGHTS = 1_000_000
"""Entries of all affine parts up to the asked layer."""
MOST_OPEN = 400
"""Neurons before the asked layer whose sign is open."""
STOPPED = (
    highspy.HighsModelStatus.kOptimal,
    highspy.HighsModelStatus.kInterrupt,
    highspy.HighsModelStatus.kObjectiveTarget,
    highspy.HighsModelStatus.kTimeLimit,
)
"""How a search over integers may end with a dual bound."""
Variables = list[pulp.LpVariable]


class Slopes(NamedTuple):
    """Slopes left and right of 0, each ``(n,)``, and the relative error of v as computed."""

    left: Tensor
    right: Tensor
    error: float


class Programmes:
    """Programmes for the neurons of one layer, which share all but the objective.

    ``functions`` are those of all activation layers, ``bounds`` what is known of all stages up to the layer.
    """

    def __init__(
        self,
        parts: AffineParts,
        functions: Mapping[int, Activation],
        box: Interval,
        eps: float,
        layer: int,
        bounds: Mapping[Stage, StageBounds],
    ) -> None:
        self._parts, self._functions, self._eps, self._bounds, self._layer = parts, functions, eps, bounds, layer
        self._problem = pulp.LpProblem("extreme_u", pulp.LpMaximize)
        self._v: dict[Stage, Variables] = {INPUT: _variables("x", box)}
        self._size: dict[Stage, Tensor] = {INPUT: box.size()}
        self._slack: dict[Stage, Tensor] = {INPUT: torch.full_like(box.low, TOLERANCE)}
        self._ranges = float((box.high - box.low).sum())
        for stage in _before(parts, layer):
            self._v[stage] = self._activation(stage) if isinstance(stage, int) else self._given(stage)
        self._asked, slack = self._arriving(layer)
        self.margins: list[float] = (SAFETY * (slack + COST_TOLERANCE * self._ranges)).tolist()
        """What the solver's tolerances may change in u of each neuron, ten times over."""

    def extreme(self, neuron: int, sign: int, seconds: float) -> float:
        """What u of a neuron is proved to be at most (sign +1), or at least (-1), in the time given; else infinite.

        The margin is included. The solver stops early once the bound lies beyond 0, or u is found to reach it.
        """
        problem, u = self._problem, self._asked[neuron]
        problem.setObjective(pulp.LpAffineExpression({u: float(sign)}))
        margin = self.margins[neuron]
        solver = pulp.HiGHS(
            msg=False,
            threads=1,
            timeLimit=seconds,
            gapRel=0.0,
            callbackTuple=(_stop_when_proved, margin),
            callbacksToActivate=[highspy.cb.HighsCallbackType.kCallbackMipInterrupt],
            objective_target=-margin,
        )
        problem.solve(solver)
        return sign * (margin - _dual_bound(problem.solverModel))

    def _arriving(self, stage: int) -> tuple[Variables, Tensor]:
        """u of a layer, within its bounds and its affine part give or take the errors; and its slack."""
        here, u = self._bounds[stage], self._named(f"u_{stage}", self._bounds[stage].before)
        matrices = self._parts.matrix(stage)
        slack, error = TOLERANCE * (1 + here.before.size()), here.error
        for source, matrix in matrices.items():
            slack = slack + matrix.abs() @ self._slack[source]
            error = error + torch.where(matrix.abs() < DROPPED, matrix.abs(), 0.0) @ self._size[source]
            matrices[source] = torch.where(matrix.abs() < DROPPED, 0.0, matrix)
        for i, constant, wrong in _numbered(self._parts.constants[stage], error):
            terms = {u[i]: 1.0}
            for source, matrix in matrices.items():
                row = matrix[i].numpy()
                terms |= {self._v[source][j]: -float(row[j]) for j in row.nonzero()[0]}
            self._between(terms, constant - wrong, constant + wrong)
        return u, slack

    def _activation(self, layer: int) -> Variables:
        here, (u, slack) = self._bounds[layer], self._arriving(layer)
        v = self._given(layer)
        function, apply = self._functions[layer], self._parts.activations[layer]
        found = lines(function, apply, here.before, self._eps)
        steepest = torch.maximum(found.lower_slope.abs(), found.upper_slope.abs()).clamp(min=1.0)
        for i, low, slope, high, steep in _numbered(found.lower, found.lower_slope, found.upper, found.upper_slope):
            self._between({v[i]: 1.0, u[i]: -slope}, low, math.inf)
            self._between({v[i]: 1.0, u[i]: -steep}, -math.inf, high)
        slopes = outer_slopes(function, apply, here.before.low)
        if slopes is not None:
            left, right = slopes
            steepest = torch.maximum(steepest, left.abs() + right.abs())
            self._switches(layer, u, v, Slopes(left, right, 0.0 if function.kind in EXACT else 4 * self._eps))
        self._slack[layer] = steepest * (slack + 3 * TOLERANCE * (1 + here.before.size()))
        return v

    def _switches(self, layer: int, u: Variables, v: Variables, slopes: Slopes) -> None:
        """v = right u where z = 1, and v = left u where z = 0, for neurons whose sign is open."""
        here = self._bounds[layer].before
        for i, low, high, left, right in _numbered(here.low, here.high, slopes.left, slopes.right):
            if not low < 0 < high:
                continue
            z = pulp.LpVariable(f"z_{layer}_{i}", cat=pulp.LpBinary)
            slack = slopes.error * max(-low * abs(left), high * abs(right))
            # what v may differ from the other piece by
            off, on = abs(right - left) * -low, abs(right - left) * high
            self._between({u[i]: 1.0, z: low}, low, math.inf)
            self._between({u[i]: 1.0, z: -high}, -math.inf, 0.0)
            self._between({v[i]: 1.0, u[i]: -right, z: off}, -math.inf, off + slack)
            self._between({v[i]: 1.0, u[i]: -right, z: -off}, -off - slack, math.inf)
            self._between({v[i]: 1.0, u[i]: -left, z: -on}, -math.inf, slack)
            self._between({v[i]: 1.0, u[i]: -left, z: on}, -slack, math.inf)

    def _given(self, stage: Stage) -> Variables:
        """What a stage gives, within its bounds."""
        after = self._bounds[stage].after
        self._size[stage], self._slack[stage] = after.size(), TOLERANCE * (1 + after.size())
        return self._named(f"v_{stage}", after)

    def _named(self, name: str, within: Interval) -> Variables:
        self._ranges += float((within.high - within.low).sum())
        return _variables(name, within)

    def _between(self, terms: Mapping[pulp.LpVariable, float], low: float, high: float) -> None:
        for bound, sense in ((low, pulp.LpConstraintGE), (high, pulp.LpConstraintLE)):
            if math.isfinite(bound):
                self._problem.addConstraint(
                    pulp.LpConstraint(pulp.LpAffineExpression(dict(terms)), sense=sense, rhs=bound)
                )


def small_enough(parts: AffineParts, layer: int, bounds: Mapping[Stage, StageBounds]) -> bool:
    """Whether a programme for this layer's neurons is worth trying."""
    stages = [*_before(parts, layer), layer]
    layers = [stage for stage in stages if isinstance(stage, int)]
    weights = sum(len(parts.constants[k]) * parts.widths[source] for k in layers for source in parts.sources(k))
    undecided = sum(int(((bounds[k].before.low < 0) & (bounds[k].before.high > 0)).sum()) for k in layers[:-1])
    return weights <= MOST_WEIGHTS and undecided <= MOST_OPEN


def _before(parts: AffineParts, layer: int) -> list[Stage]:
    """Places that a programme for a layer has, in order of execution, but for the input; none is before a pooling."""
    needed: set[Stage] = {layer}
    for stage in reversed(parts.stages):
        if stage in needed and isinstance(stage, int) and stage != INPUT:
            needed.update(parts.sources(stage))
    return [stage for stage in parts.stages if stage in needed - {layer, INPUT}]


def _dual_bound(solved: highspy.Highs) -> float:
    """What the solver proved the least of -sign u to be at least; -inf if nothing."""
    status, info = solved.getModelStatus(), solved.getInfo()
    if highspy.HighsVarType.kInteger in solved.getLp().integrality_:
        bound = info.mip_dual_bound if status in STOPPED else -math.inf
    else:
        bound = info.objective_function_value if status == highspy.HighsModelStatus.kOptimal else -math.inf
    return float(bound) if math.isfinite(bound) else -math.inf


def _stop_when_proved(kind: Any, message: str, found: Any, answer: Any, margin: float) -> None:
    """Ends the search when the dual bound lies beyond the margin."""
    if math.isfinite(found.mip_dual_bound) and found.mip_dual_bound > margin:
        answer.user_interrupt = True


def _variables(name: str, within: Interval) -> Variables:
    bounds = zip(within.low.tolist(), within.high.tolist(), strict=True)
    return [pulp.LpVariable(f"{name}_{i}", low, high) for i, (low, high) in enumerate(bounds)]


def _numbered(*columns: Tensor) -> Iterable[tuple[Any, ...]]:
    """(stage, value of each column) as plain numbers."""
    return zip(range(len(columns[0])), *(column.tolist() for column in columns), strict=True)
