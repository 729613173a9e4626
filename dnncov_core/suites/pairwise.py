"""Input pair by input pair: condition features whose value has to change as g1 asks, within classes of equal signs.

What the condition neuron and the decision neuron ask of the same two inputs has no extremes to go by, so that all
pairs of a class are tried, up to a bound on its inputs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dnncov_core.criteria import CoveringMethod, ValueFunction
from dnncov_core.criteria.baselines import NONE
from dnncov_core.criteria.mcdc import Change
from dnncov_core.suites.extremes import changed
from dnncov_core.types import BoolArray, Edge, FloatArray, IntArray

MOST_MEMBERS = 1_000
"""Inputs of a class that are compared with each other."""
AT_ONCE = 2**24
"""Values of all neurons of both layers for the input pairs that are compared at the same time."""


def search(
    method: CoveringMethod, edge: Edge, u: tuple[FloatArray, FloatArray], rows: IntArray, x1: IntArray, x2: IntArray
) -> None:
    """Notes witnesses among the inputs of one class for feature pairs that have none yet.

    Args:
        method: VS or VV.
        edge: (condition layer, decision layer).
        u: of both layers, ``(inputs, s_k)`` and ``(inputs, s_l)``.
        rows: of the inputs in the suite, ``(inputs,)``.
        x1: ``(s_k, s_l)``, changed in place; -1 where there is no witness yet.
        x2: the same.
    """
    for first, second in _input_pairs(len(rows), sum(part.shape[1] for part in u)):
        condition = _changed(method.g1, edge[0], u[0], first, second)
        decision = _decided(method, edge[1], u[1], first, second)
        holds = condition.T.astype(np.float32) @ decision.astype(np.float32) > 0
        for i, j in np.argwhere(holds & (x1 == NONE)).tolist():
            place = int((condition[:, i] & decision[:, j]).argmax())
            x1[i, j], x2[i, j] = rows[first[place]], rows[second[place]]


def _input_pairs(inputs: int, neurons: int) -> Iterator[tuple[IntArray, IntArray]]:
    """All ordered pairs of different inputs, a part at a time."""
    step = max(1, AT_ONCE // (inputs * neurons))
    every = np.arange(inputs)
    for start in range(0, inputs, step):
        first, second = (part.ravel() for part in np.meshgrid(every[start : start + step], every, indexing="ij"))
        different = first != second
        yield first[different], second[different]


def _decided(method: CoveringMethod, layer: int, u: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    other_sign: BoolArray = (u[first] >= 0) ^ (u[second] >= 0)
    if method.decision is Change.SIGN:
        return other_sign
    found: BoolArray = _changed(method.g2, layer, u, first, second) & ~other_sign
    return found


def _changed(function: ValueFunction, layer: int, u: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    return changed(function, layer, np.arange(u.shape[1]), u[first], u[second])
