"""Counts, distances, times and fingerprints, written for reading."""

from __future__ import annotations

import math
from datetime import datetime

from dnncov_core.ratios import Ratio, percentage
from dnncov_core.records import FINGERPRINT_SHOWN

MINUS = "\N{MINUS SIGN}"
NO_BREAK = "\N{NO-BREAK SPACE}"


def counted(n: int, noun: str, plural: str = "") -> str:
    """A number with its noun; ``plural`` where it is more than the noun with an s.

    >>> counted(1, "test condition"), counted(2000, "test condition"), counted(2, "pass", "passes")
    ('1 test condition', '2,000 test conditions', '2 passes')
    """
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def out_of(part: Ratio, noun: str, plural: str = "") -> str:
    """A number of how many, with their noun as in `counted`.

    >>> out_of(Ratio(1, 1), "test condition"), out_of(Ratio(1, 2000), "test condition")
    ('1 of 1 test condition', '1 of 2,000 test conditions')
    """
    return f"{part.n:,} of {counted(part.total, noun, plural)}"


def leaves_out(what: str, n: int, noun: str, why: str) -> str:
    """A sentence about what is counted nowhere; ``why`` follows the noun.

    >>> leaves_out("MN", 7, "neuron", "without sections")
    'MN leaves out 7 neurons without sections.'
    """
    return f"{what} leaves out {counted(n, noun)} {why}."


def agreeing(n: int, one: str, many: str) -> str:
    """The form of a verb for a number of things.

    >>> agreeing(1, "has", "have"), agreeing(0, "has", "have")
    ('has', 'have')
    """
    return one if n == 1 else many


def fingerprinted(name: str, fingerprint: str | None) -> str:
    """A network or data with the beginning of its fingerprint, which is None where it is not known.

    >>> fingerprinted("mnist", "0123456789abcdef"), fingerprinted("mnist", None)
    ('mnist (SHA-256 0123456789ab…)', 'mnist')
    """
    return name if fingerprint is None else f"{name} (SHA-256 {fingerprint[:FINGERPRINT_SHOWN]}…)"


def short(value: float) -> str:
    """A value with four digits, for figures and sentences.

    >>> short(-0.00012345), short(float("inf")), short(float("nan"))
    ('−0.0001234', '∞', '0/0')
    """
    return "0/0" if math.isnan(value) else f"{value:.4g}".replace("inf", "∞").replace("-", MINUS)


def signed(value: float, digits: int = 4) -> str:
    """A difference with its sign, rounded to so many digits, and separators of thousands.

    >>> signed(-0.00012345), signed(1234.0), signed(0.0)
    ('−0.0001234', '+1,234', '+0')
    """
    return f"{value:+,.{digits}g}".replace("-", MINUS)


def fixed(value: float, digits: int = 2) -> str:
    """A value with so many digits behind the point.

    >>> fixed(-0.314), fixed(-0.001), fixed(1.0, 1)
    ('−0.31', '0.00', '1.0')
    """
    return f"{value:z.{digits}f}".replace("-", MINUS)


def duration(seconds: float) -> str:
    """A time span, rounded for reading.

    >>> duration(0.2), duration(75), duration(4000)
    ('under 1 s', '1 min 15 s', '1 h 6 min')
    """
    if seconds < 1:
        return "under 1 s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest and minutes < 10 else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if hours < 48 else f"{hours // 24:,} days"


def from_to(interval: tuple[float, float]) -> str:
    """The ends of an interval of shares, which are fractions."""
    return " to ".join(map(percentage, interval))


def roughly(seconds: float) -> str:
    """An estimated time span, with no more figures than an estimate deserves.

    >>> roughly(0.2), roughly(42), roughly(200), roughly(5000), roughly(11_000)
    ('under 1 s', '40 s', '3 min', '80 min', '3 h')
    """
    if seconds < 10:
        return duration(seconds)
    if seconds < 55:
        return f"{round(seconds, -1):.0f} s"
    if seconds < 7200:
        minutes = max(1, round(seconds / 60))
        return f"{minutes if minutes < 20 else round(minutes, -1)} min"
    hours = round(seconds / 3600)
    return f"{hours:,} h" if hours < 48 else f"{round(hours / 24):,} days"


def moment(timestamp: float) -> str:
    """A time of day, with its date; ``timestamp`` in seconds since 1970."""
    return datetime.fromtimestamp(timestamp).strftime("%d %b %Y, %H:%M")


def about(seconds: float, sign: str = "about") -> str:
    """An estimated time span after a word or sign that says so, which "under 1 s" needs not.

    >>> about(0.2), about(42), about(42, "~")
    ('under 1 s', 'about 40 s', '~ 40 s')
    """
    return roughly(seconds) if seconds < 1 else f"{sign} {roughly(seconds)}"
