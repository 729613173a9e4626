"""Whether suites that cover more by a criterion kill more mutants: rank correlations, with intervals by bootstrap.

Each sample of the bootstrap draws the mutants anew, and the suites anew among those of their size and way of drawing,
both with replacement, so that an interval tells how much the correlation depends on which mutants and which suites
happened to be drawn. The same samples serve all criteria.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial

import numpy as np

from dnncov_core.types import BoolArray, FloatArray, IntArray
from dnncov_core.worth.ranks import partial_rho, rho

SAMPLES = 1000
"""Samples of a bootstrap."""
CONFIDENCE = 0.95
MOST_CONSTANT = 0.05
"""The share of samples without a correlation, as one of both is constant, above which there is no interval."""


class Conclusion(Enum):
    """What may be concluded of a criterion."""

    MORE = "more"
    """Suites that cover more kill more mutants: the interval lies above 0."""
    FEWER = "fewer"
    """Suites that cover more kill fewer mutants: the interval lies below 0."""
    OPEN = "open"
    """Nothing: the interval holds 0."""
    SAME_COVERAGE = "same coverage"
    """Nothing: all suites of a size, or nearly all, cover equally much."""
    SAME_KILLS = "same kills"
    """Nothing: all suites of a size, or nearly all, kill equally many mutants."""


@dataclass(frozen=True, eq=False)
class Suites:
    """Measured suites.

    Attributes:
        sizes: inputs of each, ``(suites,)``.
        ways: the way that each was drawn, as numbers, ``(suites,)``.
        balance: how evenly classes occur in each, ``(suites,)``.
        killed: which mutants each kills, ``(suites, mutants)``.
        coverage: how much each covers by each criterion, ``(suites,)``.
    """

    sizes: IntArray
    ways: IntArray
    balance: FloatArray
    killed: BoolArray
    coverage: Mapping[str, FloatArray]


@dataclass(frozen=True)
class Correlation:
    """The rank correlation of a criterion's coverage with the share of mutants killed.

    Attributes:
        criterion: its text.
        size: inputs of the suites; None for those of all sizes, with size and class balance removed.
        suites: how many suites.
        rho: Spearman's, or the partial one; None where it does not exist.
        low: the lower end of its interval; None where there is none.
        high: the upper end.
        conclusion: a value of `Conclusion`.
    """

    criterion: str
    size: int | None
    suites: int
    rho: float | None
    low: float | None
    high: float | None
    conclusion: str


Statistic = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
"""The correlation of coverage with the share of mutants killed, given class balance; each ``(..., suites)``."""


def correlations(suites: Suites, random_seed: int, samples: int = SAMPLES) -> list[Correlation]:
    """Those of each criterion: within each size, and last over all sizes with size and class balance removed."""
    rows, shares = _samples(suites, np.random.default_rng([random_seed, samples]), samples)
    found = []
    for criterion in suites.coverage:
        for size in [*np.unique(suites.sizes).tolist(), None]:
            some = np.flatnonzero(suites.sizes == size) if size is not None else np.arange(len(suites.sizes))
            how = _within if size is not None else partial(_over_all, sizes=suites.sizes)
            found.append(_correlation(suites, criterion, size, some, how, rows, shares))
    return found


def _within(coverage: FloatArray, share: FloatArray, balance: FloatArray) -> FloatArray:
    return rho(coverage, share)


def _over_all(coverage: FloatArray, share: FloatArray, balance: FloatArray, sizes: IntArray) -> FloatArray:
    return partial_rho(coverage, share, sizes, balance)


def _samples(suites: Suites, rng: np.random.Generator, samples: int) -> tuple[IntArray, FloatArray]:
    """Which suites stand in the place of each, and what share of its mutants each of them kills, ``(samples, suites)``.

    A suite is replaced by one of the same size and way.
    """
    rows = np.empty((samples, len(suites.sizes)), np.int64)
    for size, way in sorted(set(zip(suites.sizes.tolist(), suites.ways.tolist(), strict=True))):
        there = np.flatnonzero((suites.sizes == size) & (suites.ways == way))
        rows[:, there] = rng.choice(there, (samples, len(there)))
    n = suites.killed.shape[1]
    times = rng.multinomial(n, np.full(n, 1 / n), samples)
    shares = np.take_along_axis(times @ suites.killed.T.astype(np.float64) / n, rows, axis=1)
    return rows, shares


def _correlation(
    suites: Suites,
    criterion: str,
    size: int | None,
    some: IntArray,
    statistic: Statistic,
    rows: IntArray,
    shares: FloatArray,
) -> Correlation:
    coverage, drawn = suites.coverage[criterion], rows[:, some]
    point = float(statistic(coverage[some], suites.killed[some].mean(axis=1), suites.balance[some]))
    there = None if np.isnan(point) else point
    found = statistic(coverage[drawn], shares[:, some], suites.balance[drawn])
    lacking = np.isnan(found)
    if there is None or lacking.mean() > MOST_CONSTANT:
        any_order = np.broadcast_to(np.arange(len(some), dtype=np.float64), drawn.shape)
        flat = np.isnan(statistic(coverage[drawn], any_order, suites.balance[drawn])).mean() > MOST_CONSTANT
        why = Conclusion.SAME_COVERAGE if flat else Conclusion.SAME_KILLS
        return Correlation(criterion, size, len(some), there, None, None, why.value)
    low, high = np.quantile(found[~lacking], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    conclusion = Conclusion.MORE if low > 0 else Conclusion.FEWER if high < 0 else Conclusion.OPEN
    return Correlation(criterion, size, len(some), there, low, high, conclusion.value)
