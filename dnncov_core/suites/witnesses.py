"""The decision neurons that change as a covering method asks between the classes of a join, each with a witness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.baselines import NONE
from dnncov_core.criteria.mcdc import Change
from dnncov_core.suites.extremes import Extreme, Extremes, changed, ways
from dnncov_core.suites.joins import Join
from dnncov_core.types import BoolArray, IntArray


@dataclass
class Witnesses:
    """Rows of the suite that cover feature pairs of one layer pair.

    Attributes:
        x1: ``(features, s_l)``, by condition feature and decision neuron; -1 where not covered.
        x2: likewise, the rows of the second inputs.
        features: numbers of the condition features of the rows; those that are left out have no witness.
        shared: whether the only row stands for every condition feature.
        total: condition features of the layer.
    """

    x1: IntArray
    x2: IntArray
    features: IntArray
    shared: bool
    total: int

    @property
    def covered(self) -> int:
        """How many feature pairs have a witness."""
        return int((self.x1 != NONE).sum()) * (self.total if self.shared else 1)

    def each(self) -> Iterator[tuple[int, int, int, int]]:
        """(condition feature, decision neuron, x1, x2) of every covered pair."""
        numbers = range(self.total) if self.shared else self.features.tolist()
        for place, feature in enumerate(numbers):
            row = 0 if self.shared else place
            for decision in np.flatnonzero(self.x1[row] != NONE).tolist():
                yield feature, decision, int(self.x1[row, decision]), int(self.x2[row, decision])


class Noted:
    """Witnesses that are collected as they are found, where few feature pairs have one: nothing is kept of the others.

    Args:
        decisions: s_l.
    """

    def __init__(self, decisions: int) -> None:
        self._decisions = decisions
        self._found: dict[int, NDArray[np.int32]] = {}
        """Of each condition feature, ``(3, n)``: decision neurons, x1, and x2."""

    def lacking(self, feature: int) -> BoolArray:
        """Whether each decision neuron still lacks a witness with this condition feature, ``(s_l,)``."""
        found = np.ones(self._decisions, bool)
        if feature in self._found:
            found[self._found[feature][0]] = False
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
        return sum(found.shape[1] for found in self._found.values())

    def each(self) -> Iterator[tuple[int, int, int, int]]:
        """(condition feature, decision neuron, x1, x2) of every covered pair."""
        for feature in sorted(self._found):
            for decision, x1, x2 in sorted(self._found[feature].T.tolist()):
                yield feature, decision, x1, x2


def found(
    method: CoveringMethod,
    join: Join,
    extremes: Extremes,
    layer: int,
    neurons: IntArray,
    meeting: Extremes | None = None,
) -> Witnesses:
    """The witnesses for some decision neurons.

    Args:
        method: its part about layer k holds between the classes of the join.
        join: by the classes of ``extremes``.
        extremes: of u of the decision neurons.
        layer: theirs.
        neurons: ``(n,)``, their numbers.
        meeting: extremes of the inputs that meet the condition of g2, where g2 is a `Meets`.
    """
    parts = list(join.by_feature())
    x1, x2 = (np.full((len(parts), len(neurons)), NONE, np.int64) for _ in range(2))
    for row, (_, part) in enumerate(parts):
        for one, other in _directions(join, part):
            for start, end in _asked(method, extremes, meeting):
                holds = _different((start, one), (end, other))
                if method.decision is Change.VALUE and meeting is None:
                    holds &= changed(method.g2, layer, neurons, start.u[one], end.u[other])
                new = holds.any(axis=0) & (x1[row] == NONE)
                place, columns = holds.argmax(axis=0)[new], np.flatnonzero(new)
                x1[row, columns] = start.row[one[place], columns]
                x2[row, columns] = end.row[other[place], columns]
    features = np.array([feature for feature, _ in parts], np.int64)
    return Witnesses(x1, x2, features, join.shared, join.features)


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
            yield from ways(signed)
    else:
        for signed, ends in zip(extremes.signs, meeting.signs, strict=True):
            yield signed.least, ends.least
            yield signed.greatest, ends.least


def _different(start: tuple[Extreme, IntArray], end: tuple[Extreme, IntArray]) -> BoolArray:
    """Whether the extremes of these classes are there, and are different inputs; ``(pairs, n)``."""
    (one, first), (other, second) = start, end
    holds: BoolArray = (one.row[first] != NONE) & (other.row[second] != NONE) & (one.row[first] != other.row[second])
    return holds
