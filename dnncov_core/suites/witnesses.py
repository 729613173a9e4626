"""Which decision neurons change as a covering method asks between the classes of a join, with a witness for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.baselines import NONE
from dnncov_core.criteria.mcdc import Change
from dnncov_core.suites.extremes import Extreme, Extremes, changed, ways
from dnncov_core.suites.joins import Join
from dnncov_core.types import BoolArray, IntArray

Table = IntArray | Sequence[NDArray[np.int32]]
"""``(features, s_l)``, or so many rows of ``(s_l,)``."""


@dataclass
class Witnesses:
    """Rows of the suite that cover feature pairs of one layer pair.

    Attributes:
        x1: ``(features, s_l)``, by condition feature and decision neuron; -1 where not covered.
        x2: the same.
        features: numbers of the condition features of the rows; those that are left out have no witness.
        shared: whether the only row stands for every condition feature.
        total: condition features of the layer.
    """

    x1: Table
    x2: Table
    features: IntArray
    shared: bool
    total: int

    @property
    def covered(self) -> int:
        """How many feature pairs have a witness."""
        return sum(int((row != NONE).sum()) for row in self.x1) * (self.total if self.shared else 1)

    def each(self) -> Iterator[tuple[int, int, int, int]]:
        """(condition feature, decision neuron, x1, x2) of every covered pair."""
        numbers = range(self.total) if self.shared else self.features.tolist()
        for place, feature in enumerate(numbers):
            x1, x2 = (rows[0 if self.shared else place] for rows in (self.x1, self.x2))
            for decision in np.flatnonzero(x1 != NONE).tolist():
                yield feature, decision, int(x1[decision]), int(x2[decision])


class Noted:
    """Witnesses of one layer pair as they are found; a condition feature takes memory once it has one."""

    def __init__(self, decisions: int) -> None:
        self._none = np.full(decisions, NONE, np.int32)
        self._rows: dict[int, tuple[NDArray[np.int32], NDArray[np.int32]]] = {}

    def lacking(self, feature: int) -> BoolArray:
        """Which decision neurons have no witness with this condition feature yet, ``(s_l,)``."""
        found: BoolArray = self._rows.get(feature, (self._none,))[0] == NONE
        return found

    def note(self, feature: int, decisions: IntArray, x1: IntArray, x2: IntArray) -> None:
        """The witnesses of some decision neurons with this condition feature, ``(n,)`` each."""
        if decisions.size:
            rows = self._rows.setdefault(feature, (self._none.copy(), self._none.copy()))
            rows[0][decisions], rows[1][decisions] = x1, x2

    def witnesses(self, total: int) -> Witnesses:
        """All that were noted, of so many condition features."""
        features = sorted(self._rows)
        x1, x2 = ([self._rows[feature][place] for feature in features] for place in (0, 1))
        return Witnesses(x1, x2, np.array(features, np.int64), False, total)


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
