"""Witnesses where the value of the condition feature has to change as g1 asks, in one of two ways.

By partners, where x2 alone has to meet a condition: an input of the class is the x2 of a feature pair iff it meets the
condition of g1 for the condition neuron, and the class has another input that does, with it, what is asked of the
decision neuron. Whether it has is read from the extremes of both signs; of two inputs of one sign the extremes are
different ones. By comparison, where what both neurons ask of the same two inputs has no extremes to go by: all pairs of
a class are tried, up to a bound on its inputs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dnncov_core.criteria import CoveringMethod, ValueFunction
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.suites import joins
from dnncov_core.suites.extremes import Extremes, Signed, changed
from dnncov_core.suites.joins import Join
from dnncov_core.suites.patterns import Classes
from dnncov_core.suites.streams import Suite, met_of, u_of
from dnncov_core.suites.witnesses import Witnesses
from dnncov_core.types import BoolArray, Edge, FloatArray, IntArray

MOST_MEMBERS = 1_000
"""Inputs of a class that are compared with each other."""
AT_ONCE = 2**24
"""Values of neurons that are held at the same time, and feature pairs that are looked at together."""


def by_partners(suite: Suite, method: CoveringMethod, edge: Edge, classes: Classes, join: Join) -> Witnesses:
    """The witnesses of one layer pair by partners; arguments as of `by_comparison`, with g1 a `Meets`, g2 ``any``."""
    assert isinstance(method.g1, Meets)
    assert method.decision is Change.SIGN or method.g2 == ANY
    decisions = suite.network.layers[edge[1] - 1].neurons
    witnesses = Witnesses(decisions)
    rows, starts, _ = joins.members(classes, join)
    width = max(1, AT_ONCE // max(1, len(rows)))
    for start in range(0, decisions if len(rows) else 0, width):
        some = slice(start, min(start + width, decisions))
        partners = _partners(method, u_of(suite, rows, edge[1], np.arange(some.start, some.stop)), rows, starts)
        for places, met in met_of(suite, rows, edge[0], method.g1):
            _note(met, partners[places], rows[places], some, witnesses)
    return witnesses


def _partners(method: CoveringMethod, u: FloatArray, rows: IntArray, starts: IntArray) -> IntArray:
    """A row to be the x1 of each input as x2, by decision neuron, ``(inputs, n)``; -1 where there is none.

    Args:
        method: asks the decision neuron to change its sign, or to keep it.
        u: of the decision neurons, ``(inputs, n)``, class by class.
        rows: of the inputs in the suite, ``(inputs,)``.
        starts: first input of each class, ``(classes,)``.
    """
    of = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(rows)))
    negative, positive = (_others(signed, of, rows) for signed in Extremes.of(u, rows, starts).signs)
    return np.where((u >= 0) ^ (method.decision is Change.SIGN), positive, negative)


def _others(signed: Signed, of: IntArray, rows: IntArray) -> IntArray:
    """A row of this sign that is not the input itself, or -1, for inputs of these classes."""
    itself = rows[:, None]
    least, greatest = signed.least.row[of], signed.greatest.row[of]
    other = np.where(least == itself, greatest, least)
    return np.where(other == itself, NONE, other)


def _note(met: BoolArray, partners: IntArray, rows: IntArray, some: slice, witnesses: Witnesses) -> None:
    """Notes witnesses for feature pairs that have none yet.

    Args:
        met: which inputs meet the condition for which condition neuron, ``(inputs, s_k)``.
        partners: a row to be the x1 of each input, by decision neuron, ``(inputs, n)``.
        rows: of the inputs, ``(inputs,)``.
        some: which n decision neurons they are.
        witnesses: takes them.
    """
    for i in np.flatnonzero(met.any(axis=0)).tolist():
        those = np.flatnonzero(met[:, i])
        there = partners[those] != NONE
        columns = np.flatnonzero(there.any(axis=0) & witnesses.lacking(i)[some])
        place = those[there.argmax(axis=0)[columns]]
        witnesses.note(i, some.start + columns, partners[place, columns], rows[place])


def by_comparison(suite: Suite, method: CoveringMethod, edge: Edge, classes: Classes, join: Join) -> Witnesses:
    """The witnesses of one layer pair by comparing the inputs of a class two at a time.

    Args:
        suite: network and inputs.
        method: VS or VV.
        edge: (condition layer, decision layer).
        classes: the suite's inputs by their signs in the condition layer.
        join: classes of two or more inputs with themselves.
    """
    witnesses = Witnesses(suite.network.layers[edge[1] - 1].neurons)
    rows, starts, _ = joins.members(classes, join)
    for inputs in np.split(rows, starts[1:]) if len(rows) else []:
        chosen = inputs[:MOST_MEMBERS]
        condition, decision = (u_of(suite, chosen, layer) for layer in edge)
        _compare(method, edge, (condition, decision), chosen, witnesses)
    return witnesses


def compared(classes: Classes) -> str:
    """What a comparison of two inputs at a time leaves out, in words; empty where it leaves out nothing."""
    largest, most = int(classes.sizes.max(initial=0)), MOST_MEMBERS
    return f"of inputs with equal signs the first {most:,} compared, of up to {largest:,}" if largest > most else ""


def _compare(
    method: CoveringMethod, edge: Edge, u: tuple[FloatArray, FloatArray], rows: IntArray, witnesses: Witnesses
) -> None:
    """Notes witnesses among the inputs of one class for feature pairs that have none yet.

    Args:
        method: VS or VV.
        edge: (condition layer, decision layer).
        u: of both layers, ``(inputs, s_k)`` and ``(inputs, s_l)``.
        rows: of the inputs in the suite, ``(inputs,)``.
        witnesses: takes them.
    """
    for first, second in _input_pairs(len(rows), sum(part.shape[1] for part in u)):
        condition = _changed(method.g1, edge[0], u[0], first, second)
        decision = _decided(method, edge[1], u[1], first, second)
        for i, columns in _new(condition, decision, witnesses):
            those = np.flatnonzero(condition[:, i])
            place = those[decision[np.ix_(those, columns)].argmax(axis=0)]
            witnesses.note(i, columns, rows[first[place]], rows[second[place]])


def _input_pairs(inputs: int, neurons: int) -> Iterator[tuple[IntArray, IntArray]]:
    """All ordered pairs of different inputs, a part at a time."""
    total, step = inputs * (inputs - 1), max(1, AT_ONCE // neurons)
    for start in range(0, total, step):
        first, other = np.divmod(np.arange(start, min(start + step, total)), inputs - 1)
        yield first, other + (other >= first)


def _new(condition: BoolArray, decision: BoolArray, witnesses: Witnesses) -> Iterator[tuple[int, IntArray]]:
    """Condition neurons, and the decision neurons that change with them for some input pair and have no witness yet.

    Args:
        condition: which condition neurons change as asked between which inputs, ``(input pairs, s_k)``.
        decision: which decision neurons do, ``(input pairs, s_l)``.
        witnesses: those so far.
    """
    changing, neurons = np.flatnonzero(condition.any(axis=0)), decision.shape[1]
    step, decided = max(1, AT_ONCE // neurons), decision.astype(np.float32)
    for some in np.split(changing, range(step, len(changing), step)):
        holds = condition[:, some].T.astype(np.float32) @ decided > 0
        for i, row in zip(some.tolist(), holds, strict=True):
            yield i, np.flatnonzero(row & witnesses.lacking(i))


def _decided(method: CoveringMethod, layer: int, u: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    other_sign: BoolArray = (u[first] >= 0) ^ (u[second] >= 0)
    if method.decision is Change.SIGN:
        return other_sign
    found: BoolArray = _changed(method.g2, layer, u, first, second) & ~other_sign
    return found


def _changed(function: ValueFunction, layer: int, u: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    return changed(function, layer, np.arange(u.shape[1]), u[first], u[second])
