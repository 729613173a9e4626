"""Pairs of a suite's inputs that do what a covering method asks of the condition layer.

A join names two classes of inputs and the condition features that their signs tell apart; it never lists inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dnncov_core.suites.patterns import Classes
from dnncov_core.types import BoolArray, IntArray

MOST_COMPARED = 2_000
"""Different patterns that are compared with each other for free features."""


@dataclass(frozen=True)
class Join:
    """Pairs of classes; arrays of one length, sorted by feature.

    Attributes:
        first: numbers of classes, one of each pair.
        second: the others.
        feature: the condition feature of each pair, 0-based among ``features``.
        features: how many condition features there are.
        shared: whether each pair holds for every condition feature; ``feature`` is 0 then.
        compared: how many patterns were compared, where not all were.
    """

    first: IntArray
    second: IntArray
    feature: IntArray
    features: int
    shared: bool = False
    compared: int | None = None

    def __len__(self) -> int:
        return len(self.feature)

    def by_feature(self) -> Iterator[tuple[int, slice]]:
        """Each feature that has a pair, with its part of the arrays."""
        features, starts = np.unique(self.feature, return_index=True)
        for feature, start, end in zip(features.tolist(), starts, [*starts[1:], len(self)], strict=True):
            yield feature, slice(start, end)


def one_neuron(classes: Classes, neurons: int) -> Join:
    """Single neurons that change their sign alone."""
    apart = classes.one_apart
    order = np.argsort(apart.neuron, kind="stable")
    return Join(apart.first[order], apart.second[order], apart.neuron[order], features=neurons)


def nothing(classes: Classes, neurons: int) -> Join:
    """No neuron changes its sign, and every feature may change its value: classes of two or more with themselves."""
    same = np.flatnonzero(classes.sizes > 1)
    return Join(same, same, np.zeros(len(same), np.int64), features=neurons, shared=True)


def few_neurons(classes: Classes, most: int) -> Join:
    """Between 1 and ``most`` neurons change their sign, whichever they are: a free feature."""
    patterns = classes.patterns[:MOST_COMPARED]
    first, second = [], []
    for row in range(len(patterns) - 1):
        differences = np.bitwise_count(patterns[row + 1 :] ^ patterns[row]).sum(axis=1, dtype=np.int64)
        near = row + 1 + np.flatnonzero(differences <= most)
        first.append(np.full(len(near), row, np.int64))
        second.append(near)
    one, other = (np.concatenate([np.empty(0, np.int64), *part]) for part in (first, second))
    compared = len(patterns) if len(classes) > len(patterns) else None
    return Join(one, other, np.zeros(len(one), np.int64), features=1, compared=compared)


@dataclass(frozen=True, eq=False)
class Joined:
    """A join with the inputs that it needs.

    Attributes:
        rows: of the inputs in the suite, class by class, ``(inputs,)``.
        starts: first input of each class, ``(classes,)``.
        join: by the places of these classes.
    """

    rows: IntArray
    starts: IntArray
    join: Join

    def of_feature(self, feature: int) -> Joined:
        """The inputs and pairs of classes of one condition feature."""
        if self.join.shared:
            return self
        part = slice(*np.searchsorted(self.join.feature, [feature, feature + 1]).tolist())
        ends = np.stack([self.join.first[part], self.join.second[part]])
        classes = np.unique(ends)
        sizes = np.diff(self.starts, append=len(self.rows))[classes]
        starts = np.cumsum(sizes) - sizes
        rows = self.rows[np.repeat(self.starts[classes] - starts, sizes) + np.arange(sizes.sum())]
        one, other = np.searchsorted(classes, ends)
        return Joined(rows, starts, Join(one, other, self.join.feature[part], self.join.features))

    def input_pairs(self, most: int) -> tuple[IntArray, bool]:
        """Rows of x1 and of x2, ``(2, n)``, of about ``most`` pairs of as many classes as possible; whether of all."""
        members, ways = np.split(self.rows, self.starts[1:]), 1 if self.join.shared else 2
        ends = zip(self.join.first.tolist(), self.join.second.tolist(), strict=True)
        both = sorted(
            ((members[one], members[other]) for one, other in ends), key=lambda pair: len(pair[0]) * len(pair[1])
        )
        found, n, whole = [np.empty((2, 0), np.int64)], 0, True
        for left, (first, second) in zip(range(len(both), 0, -1), both, strict=True):
            some = first[: max(1, (most - n) // left // (ways * len(second)))]
            pairs = np.stack([np.repeat(some, len(second)), np.tile(second, len(some))])
            found += [pairs[:, pairs[0] != pairs[1]], pairs[::-1]][:ways]
            n, whole = n + ways * pairs.shape[1], whole and len(some) == len(first)
            if n > most and left > 1:
                return np.concatenate(found, axis=1), False
        return np.concatenate(found, axis=1), whole

    @classmethod
    def of(cls, classes: Classes, join: Join) -> Joined:
        """The inputs of the classes that a join names."""
        wanted = np.unique(np.concatenate([join.first, join.second]))
        place = np.full(len(classes), -1)
        place[wanted] = np.arange(len(wanted))
        chosen: BoolArray = place[classes.of] >= 0
        rows = np.flatnonzero(chosen)
        rows = rows[np.argsort(place[classes.of[rows]], kind="stable")]
        starts = np.concatenate([[0], np.cumsum(classes.sizes[wanted])[:-1]]).astype(np.int64)[: len(wanted)]
        moved = Join(place[join.first], place[join.second], join.feature, join.features, join.shared, join.compared)
        return cls(rows, starts, moved)
