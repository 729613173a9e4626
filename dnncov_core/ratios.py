"""Counts with their denominators: stored as two numbers, shown with both, divided only for display."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

NOTHING = "n/a"
MOST_DIGITS = 12
"""Decimals of a percentage; more are not known of a share of two whole numbers."""
BISECTIONS = 50


def percentage(part: float, whole: float = 1.0, digits: int = 1) -> str:
    """The share with so many decimals. 100 % only when all and 0 % only when none, whatever rounding says.

    >>> percentage(131, 150), percentage(0.99999), percentage(1, 100_000), percentage(1.0), percentage(1, 3, 2)
    ('87.3 %', '> 99.9 %', '< 0.1 %', '100 %', '33.33 %')
    """
    if part in (0, whole):
        return "100 %" if part else "0 %"
    text = f"{100 * part / whole:.{digits}f} %"
    none, least, most, every = (f"{end:.{digits}f} %" for end in (0, 10**-digits, 100 - 10**-digits, 100))
    return {every: f"> {most}", none: f"< {least}"}.get(text, text)


def number(value: float | None, form: str) -> str:
    """A number by a format specification; "n/a" where there is none.

    >>> number(1234.56, ",.1f"), number(None, ",.1f")
    ('1,234.6', 'n/a')
    """
    return NOTHING if value is None else format(value, form)


@dataclass(frozen=True)
class Ratio:
    """``n`` of ``total``.

    >>> Ratio(131, 150).display()
    '87.3 % (131 of 150)'
    >>> Ratio(0, 0).display()
    'n/a (0 of 0)'
    """

    n: int
    total: int

    def __post_init__(self) -> None:
        assert 0 <= self.n <= self.total, f"{self.n} of {self.total}"

    def __add__(self, other: Ratio) -> Ratio:
        return Ratio(self.n + other.n, self.total + other.total)

    @property
    def value(self) -> float | None:
        """n / total, a fraction; None where there was nothing to count."""
        return self.n / self.total if self.total else None

    @property
    def percent(self) -> str:
        """The share as `percentage` shows it; "n/a" where there was nothing to count."""
        return percentage(self.n, self.total) if self.total else NOTHING

    @property
    def percent_at_least(self) -> str:
        """The share as a lower bound, which no rounding raises; "n/a" where there was nothing to count.

        >>> Ratio(4166, 10_000).percent_at_least, Ratio(1, 3).percent_at_least, Ratio(1, 100_000).percent_at_least
        ('≥ 41.6 %', '≥ 33.3 %', '> 0 %')
        >>> Ratio(99_999, 100_000).percent_at_least, Ratio(3, 3).percent_at_least, Ratio(0, 3).percent_at_least
        ('≥ 99.9 %', '≥ 100 %', '≥ 0 %')
        """
        if self.n in (0, self.total):
            return f"≥ {self.percent}" if self.total else NOTHING
        whole, tenth = divmod(1000 * self.n // self.total, 10)
        return f"≥ {whole}.{tenth} %" if whole or tenth else "> 0 %"

    def percent_beside(self, asked: Decimal) -> str:
        """The share as `percent` shows it, with more decimals where rounding would hide on which side of another it is.

        >>> Ratio(4166, 10_000).percent_beside(Decimal(42)), Ratio(4196, 10_000).percent_beside(Decimal(42))
        ('41.7 %', '41.96 %')
        """
        if not self.total:
            return NOTHING
        reached, share = 100 * self.n >= Fraction(asked) * self.total, Decimal(100 * self.n / self.total)
        sides = ((digits, (round(share, digits) >= asked) == reached) for digits in range(1, MOST_DIGITS))
        return percentage(self.n, self.total, next((digits for digits, same in sides if same), MOST_DIGITS))

    @property
    def counts(self) -> str:
        """Numerator and denominator, as in "131 of 150"."""
        return f"{self.n:,} of {self.total:,}"

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the share of all lies of which these are a random sample: Clopper and Pearson's (1934) interval.

        It is exact for draws with replacement, and wider than needed for those without. (0, 1) where nothing was
        counted.

        >>> [round(bound, 4) for bound in Ratio(0, 10).interval()], [round(b, 4) for b in Ratio(5, 10).interval()]
        ([0.0, 0.3085], [0.1871, 0.8129])
        """
        return _clopper_pearson(self.n, self.total, (1 - confidence) / 2)

    def display(self) -> str:
        """Percentage, numerator and denominator."""
        return f"{self.percent} ({self.counts})"


@dataclass(frozen=True)
class Estimate:
    """What a sample says of all from which it was drawn: their share, a fraction, and its interval.

    Attributes:
        share: the share of all that is estimated.
        interval: where it lies with a confidence of 95 %.
        weighted: whether the share is a mean of strata by their sizes, and not the share of the sample.
    """

    share: float
    interval: tuple[float, float]
    weighted: bool = False


@lru_cache(maxsize=10_000)  # a page asks for the same ones in every run
def _clopper_pearson(n: int, total: int, tail: float) -> tuple[float, float]:
    low = _bisected(lambda p: at_least(n, total, p) < tail) if n else 0.0
    others = total - n
    return low, 1.0 - _bisected(lambda p: at_least(others, total, p) < tail) if others else 1.0


def at_least(n: int, total: int, p: float) -> float:
    """The probability of n or more successes of ``total`` with probability p each, 0 < p < 1 and n > 0."""
    k = np.arange(n, total + 1)
    falling = np.concatenate([[0.0], np.cumsum(np.log((total - k[:-1]) / (k[:-1] + 1.0)))])
    first = math.lgamma(total + 1) - math.lgamma(n + 1) - math.lgamma(total - n + 1)
    return float(np.exp(first + falling + k * math.log(p) + (total - k) * math.log1p(-p)).sum())


def _bisected(is_below: Callable[[float], bool]) -> float:
    """The p in (0, 1) from which a condition no longer holds."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return (low + high) / 2
