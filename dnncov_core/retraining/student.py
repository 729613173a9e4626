"""Intervals of means by Student's t (1908), which allow for the few repeats that there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
BISECTIONS = 60


@dataclass(frozen=True)
class Estimate:
    """A mean of repeats, and the interval in which the mean of all possible repeats lies with `CONFIDENCE`.

    >>> Estimate.of([1.0, 2.0, 3.0, 4.0, 5.0]).rounded()
    (3.0, 1.037, 4.963)
    """

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """From two values or more."""
        n, mean = len(values), math.fsum(values) / len(values)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
        half = quantile((1 + CONFIDENCE) / 2, n - 1) * deviation / math.sqrt(n)
        return cls(mean, mean - half, mean + half)

    @property
    def sign(self) -> int:
        """1 or -1 where the whole interval is on one side of 0, else 0."""
        return (self.low > 0) - (self.high < 0)

    def rounded(self, digits: int = 3) -> tuple[float, float, float]:
        """Mean, lower and upper end."""
        return round(self.mean, digits), round(self.low, digits), round(self.high, digits)


def quantile(p: float, freedom: int) -> float:
    """The value that Student's t with so many degrees of freedom stays below with probability p, 0.5 <= p < 1.

    >>> round(quantile(0.975, 4), 4), round(quantile(0.975, 1), 4), round(quantile(0.975, 9), 4)
    (2.7764, 12.7062, 2.2622)
    """
    low, high = 0.0, math.pi / 2
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _between(middle, freedom) < 2 * p - 1 else (low, middle)
    return math.tan(low) * math.sqrt(freedom)


def _between(angle: float, freedom: int) -> float:
    """The probability that |t| < sqrt(freedom) tan(angle): Abramowitz and Stegun (1964), 26.7.3 and 26.7.4."""
    cosine, odd = math.cos(angle), freedom % 2
    term = total = cosine if odd else 1.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= (k - 1) / k * cosine**2
        total += term
    if not odd:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + (math.sin(angle) * total if freedom > 1 else 0.0))
