"""What the first inputs of each order cover, kill and find, at some numbers of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dnncov_core.ratios import Ratio
from dnncov_core.types import Count, FloatArray, IntArray

POINTS = 120
"""Numbers of inputs at which curves have a value, about."""
BAND = (0.025, 0.975)
"""Which quantiles of the random orders are the ends of their band."""
COVERED, KILLED, MISCLASSIFIED = "covered", "killed", "misclassified"


@dataclass(frozen=True)
class Series:
    """One order's counts at the points of a curve.

    Attributes:
        order: as it was asked for.
        counts: of a random order the mean over the seeds.
        low: of random orders, the lower end of the band; None of one order.
        high: the upper end.
    """

    order: str
    counts: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Curve:
    """One kind of thing that inputs cover, kill or find.

    Attributes:
        measure: `COVERED`, `KILLED` or `MISCLASSIFIED`.
        title: what is counted, in words, such as "test conditions of SS".
        total: of how many; None where nobody knows.
        reached: how many all inputs together reach.
        points: numbers of inputs, ascending.
        series: a line for each order.
    """

    measure: str
    title: str
    total: Count | None
    reached: Count
    points: tuple[Count, ...]
    series: tuple[Series, ...]

    def of(self, order: str) -> Series:
        """The line of an order."""
        return next(each for each in self.series if each.order == order)

    def ratio(self, order: str, inputs: int) -> Ratio | None:
        """What the first so many inputs of an order reach; None where the total is not known, or of random orders."""
        series = self.of(order)
        return None if self.total is None or series.low else Ratio(int(series.counts[self.place(inputs)]), self.total)

    def place(self, inputs: int) -> int:
        """The place of a number of inputs among the points; they hold the budget, and all."""
        return self.points.index(inputs)


def points(inputs: int, budget: int) -> IntArray:
    """From 1 to all inputs, closer at the beginning, with the budget among them.

    >>> points(1000, 7)[:9].tolist(), int(points(1000, 7)[-1])
    ([1, 2, 3, 4, 5, 6, 7, 8, 9], 1000)
    """
    spread = np.geomspace(1, inputs, POINTS).round().astype(np.int64)
    return np.unique(np.concatenate([spread, [min(budget, inputs)]]))


def series_of(order: str, along: Sequence[IntArray], at: IntArray) -> Series:
    """A line from the counts after 1, 2, ... inputs, ``(inputs,)``, of one order, or of several random ones."""
    each: FloatArray = np.stack(along)[:, at - 1].astype(np.float64)
    if len(each) == 1:
        return Series(order, tuple(each[0].tolist()))
    low, high = np.quantile(each, BAND, axis=0)
    return Series(order, *(tuple(part.tolist()) for part in (each.mean(axis=0), low, high)))
