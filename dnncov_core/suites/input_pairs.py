"""Witnesses by comparing two inputs at a time, where the value of the condition feature has to change as g1 asks.

What the condition neuron and the decision neuron ask of the same two inputs has no extremes to go by, so that all
pairs of a class are tried, up to a bound on its inputs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dnncov_core.criteria import CoveringMethod, ValueFunction
from dnncov_core.criteria.mcdc import Change
from dnncov_core.suites.extremes import changed
from dnncov_core.suites.witnesses import Noted
from dnncov_core.types import BoolArray, Edge, FloatArray, IntArray

MOST_MEMBERS = 1_000
"""Inputs of a class that are compared with each other."""
AT_ONCE = 2**24
"""Values of all neurons of both layers for the input pairs that are compared at the same time, and feature pairs that
are looked at together."""


def search(method: CoveringMethod, edge: Edge, u: tuple[FloatArray, FloatArray], rows: IntArray, noted: Noted) -> None:
    """Notes witnesses among the inputs of one class for feature pairs that have none yet.

    Args:
        method: VS or VV.
        edge: (condition layer, decision layer).
        u: of both layers, ``(inputs, s_k)`` and ``(inputs, s_l)``.
        rows: of the inputs in the suite, ``(inputs,)``.
        noted: takes the witnesses.
    """
    for first, second in _input_pairs(len(rows), sum(part.shape[1] for part in u)):
        condition = _changed(method.g1, edge[0], u[0], first, second)
        decision = _decided(method, edge[1], u[1], first, second)
        for i, columns in _new(condition, decision, noted):
            those = np.flatnonzero(condition[:, i])
            place = those[decision[np.ix_(those, columns)].argmax(axis=0)]
            noted.note(i, columns, rows[first[place]], rows[second[place]])


def _input_pairs(inputs: int, neurons: int) -> Iterator[tuple[IntArray, IntArray]]:
    """All ordered pairs of different inputs, a part at a time."""
    total, step = inputs * (inputs - 1), max(1, AT_ONCE // neurons)
    for start in range(0, total, step):
        first, other = np.divmod(np.arange(start, min(start + step, total)), inputs - 1)
        yield first, other + (other >= first)


def _new(condition: BoolArray, decision: BoolArray, noted: Noted) -> Iterator[tuple[int, IntArray]]:
    """Condition neurons, and the decision neurons that change with them for some input pair and have no witness yet.

    Args:
        condition: which condition neurons change as asked between which inputs, ``(input pairs, s_k)``.
        decision: which decision neurons do, ``(input pairs, s_l)``.
        noted: the witnesses so far.
    """
    changing, neurons = np.flatnonzero(condition.any(axis=0)), decision.shape[1]
    step, decided = max(1, AT_ONCE // neurons), decision.astype(np.float32)
    for some in np.split(changing, range(step, len(changing), step)):
        holds = condition[:, some].T.astype(np.float32) @ decided > 0
        for i, row in zip(some.tolist(), holds, strict=True):
            yield i, np.flatnonzero(row & noted.lacking(i))


def _decided(method: CoveringMethod, layer: int, u: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    other_sign: BoolArray = (u[first] >= 0) ^ (u[second] >= 0)
    if method.decision is Change.SIGN:
        return other_sign
    found: BoolArray = _changed(method.g2, layer, u, first, second) & ~other_sign
    return found


def _changed(function: ValueFunction, layer: int, u: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    return changed(function, layer, np.arange(u.shape[1]), u[first], u[second])
