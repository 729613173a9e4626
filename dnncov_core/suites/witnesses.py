"""The decision neurons that change as a covering method asks between the classes of a join, each with a witness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.suites.extremes import Extreme, Extremes, changed
from dnncov_core.suites.joins import Join
from dnncov_core.types import BoolArray, IntArray


class Witnesses:
    """Rows of the suite that cover feature pairs of one layer pair; nothing is kept of pairs without a witness.

    Args:
        decisions: s_l.
        shared: how many condition features share the witnesses of feature 0; None where each has its own.
    """

    def __init__(self, decisions: int, shared: int | None = None) -> None:
        self._decisions, self._shared = decisions, shared
        self._found: dict[int, NDArray[np.int32]] = {}
        """Of each condition feature, ``(3, n)``: decision neurons, x1, and x2."""

    @property
    def features(self) -> Sequence[int]:
        """The condition features that have a witness, ascending."""
        return range(self._shared if self._found else 0) if self._shared is not None else sorted(self._found)

    def of(self, feature: int) -> NDArray[np.int32]:
        """The witnesses of a condition feature, ``(3, n)``: decision neurons, x1, and x2."""
        return self._found.get(feature if self._shared is None else 0, np.empty((3, 0), np.int32))

    def lacking(self, feature: int) -> BoolArray:
        """Whether each decision neuron still lacks a witness with this condition feature, ``(s_l,)``."""
        found = np.ones(self._decisions, bool)
        found[self.of(feature)[0]] = False
        return found

    def note(self, feature: int, decisions: IntArray, x1: IntArray, x2: IntArray) -> None:
        """The witnesses of some decision neurons that had none with this condition feature, ``(n,)`` each."""
        if decisions.size:
            new = np.stack([decisions, x1, x2]).astype(np.int32)
            known = self._found.get(feature)
            self._found[feature] = new if known is None else np.concatenate([known, new], axis=1)

    @property
    def covered(self) -> int:
        """How many feature pairs have a witness."""
        noted: int = sum(found.shape[1] for found in self._found.values())
        return noted if self._shared is None else noted * self._shared

    def each(self) -> Iterator[tuple[int, int, int, int]]:
        """(condition feature, decision neuron, x1, x2) of every covered pair."""
        for feature in self.features:
            for decision, x1, x2 in sorted(self.of(feature).T.tolist()):
                yield feature, decision, x1, x2


def note_extremes(
    witnesses: Witnesses,
    method: CoveringMethod,
    join: Join,
    extremes: Extremes,
    *,
    layer: int,
    neurons: IntArray,
    meeting: Extremes | None = None,
) -> None:
    """Notes the witnesses for some decision neurons.

    Args:
        witnesses: has none for these neurons yet.
        method: its part about layer k holds between the classes of the join.
        join: by the classes of ``extremes``.
        extremes: of u of the decision neurons.
        layer: theirs.
        neurons: ``(n,)``, their numbers.
        meeting: extremes of the inputs that meet the condition of g2, where g2 is a `Meets`.
    """
    for feature, part in join.by_feature():
        x1, x2 = np.full((2, len(neurons)), NONE, np.int64)
        for one, other in _directions(join, part):
            for start, end in _asked(method, extremes, meeting):
                holds = _different((start, one), (end, other))
                if method.decision is Change.VALUE and meeting is None:
                    holds &= changed(method.g2, layer, neurons, start.u[one], end.u[other])
                new = holds.any(axis=0) & (x1 == NONE)
                place, columns = holds.argmax(axis=0)[new], np.flatnonzero(new)
                x1[columns] = start.row[one[place], columns]
                x2[columns] = end.row[other[place], columns]
        there = np.flatnonzero(x1 != NONE)
        witnesses.note(feature, neurons[there], x1[there], x2[there])


def _directions(join: Join, part: slice) -> Iterator[tuple[IntArray, IntArray]]:
    one, other = join.first[part], join.second[part]
    yield one, other
    if not join.shared:
        yield other, one


def _asked(method: CoveringMethod, extremes: Extremes, meeting: Extremes | None) -> Iterator[tuple[Extreme, Extreme]]:
    """From which extreme of x1's class to which of x2's."""
    if method.decision is Change.SIGN:
        yield extremes.negative.least, extremes.positive.greatest
        yield extremes.positive.greatest, extremes.negative.least
    elif meeting is None:
        for signed in extremes.signs:
            yield signed.least, signed.greatest
            yield signed.greatest, signed.least
    else:
        for signed, ends in zip(extremes.signs, meeting.signs, strict=True):
            yield signed.least, ends.least
            yield signed.greatest, ends.least


def _different(start: tuple[Extreme, IntArray], end: tuple[Extreme, IntArray]) -> BoolArray:
    """Whether the extremes of these classes are there, and are different inputs; ``(pairs, n)``."""
    (one, first), (other, second) = start, end
    holds: BoolArray = (one.row[first] != NONE) & (other.row[second] != NONE) & (one.row[first] != other.row[second])
    return holds
