"""Counts with their denominators: stored as two numbers, shown with both, divided only for display."""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = "n/a"


def percentage(part: float, whole: float = 1.0) -> str:
    """The share with one decimal. 100 % only when all and 0 % only when none, whatever rounding says.

    >>> percentage(131, 150), percentage(0.99999), percentage(1, 100_000), percentage(1.0)
    ('87.3 %', '> 99.9 %', '< 0.1 %', '100 %')
    """
    if part in (0, whole):
        return "100 %" if part else "0 %"
    text = f"{100 * part / whole:.1f} %"
    return {"100.0 %": "> 99.9 %", "0.0 %": "< 0.1 %"}.get(text, text)


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
    def counts(self) -> str:
        """Numerator and denominator, as in "131 of 150"."""
        return f"{self.n:,} of {self.total:,}"

    def display(self) -> str:
        """Percentage, numerator and denominator."""
        return f"{self.percent} ({self.counts})"
