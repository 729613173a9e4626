"""What a random sample says of all from which it was drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dnncov_core.ratios import Estimate, Ratio

CONFIDENCE = 0.95
Interval = tuple[float, float]
"""The lowest and the highest share, fractions."""
Stratum = tuple[int, Ratio]
"""How many there are, and how many of those drawn at random from them have what is counted."""


def interval_of(ratio: Ratio, *, sample: bool) -> Interval | None:
    """Clopper and Pearson's interval of a random sample; None for anything else, and where nothing was counted."""
    return ratio.interval(CONFIDENCE) if sample and ratio.total else None


def simple_estimate(drawn: Ratio) -> Estimate:
    """What a simple random sample that is not empty says: its share, with Clopper and Pearson's interval."""
    return Estimate(drawn.n / drawn.total, drawn.interval(CONFIDENCE))


def around_share(estimate: Estimate | None) -> Interval | None:
    """The interval of an estimate that is the sample's own share; None for any other, and for none."""
    return None if estimate is None or estimate.weighted else estimate.interval


def stratified_estimate(strata: Sequence[Stratum]) -> Estimate | None:
    """What a sample says that was drawn at random within each stratum: the strata's shares, weighted by their sizes.

    The interval is Clopper and Pearson's at an effective sample size n* (Korn and Graubard 1998, Survey Methodology
    24), n* p and n* rounded so that it becomes wider. With N_h of all N in stratum h, W_h = N_h / N, and n_h drawn of
    which the share p_h counts,

        p = sum W_h p_h,  v = sum W_h^2 (1 - n_h / N_h) p_h (1 - p_h) / (n_h - 1),  n* = p (1 - p) / v,

    but at most the sum of n_h, and the n* of strata that are all mixed alike, 1 / sum W_h^2 (1 - n_h / N_h) / n_h:
    where all p_h are 0 or 1, v says nothing. Of a single draw, v takes the most that p_h (1 - p_h) can be, 1/4.

    Returns None where a stratum is left out, or all of all strata was drawn.
    """
    every, n = sum(size for size, _ in strata), sum(drawn.total for _, drawn in strata)
    if not all(drawn.total for size, drawn in strata if size) or n == every:
        return None
    p = v = mixed = Fraction(0)
    for size, drawn in strata:
        if size:
            weight, share = Fraction(size, every), Fraction(drawn.n, drawn.total)
            left = weight**2 * (1 - Fraction(drawn.total, size))
            p += weight * share
            v += left * (share * (1 - share) / (drawn.total - 1) if drawn.total > 1 else Fraction(1, 4))
            mixed += left / drawn.total
    effective = max(1, math.floor(min(n, 1 / mixed, p * (1 - p) / v if v and 0 < p < 1 else n)))
    low, _ = Ratio(math.floor(p * effective), effective).interval(CONFIDENCE)
    _, high = Ratio(math.ceil(p * effective), effective).interval(CONFIDENCE)
    return Estimate(float(p), (low, high), weighted=True)


def curve_band(n: int, confidence: float = CONFIDENCE) -> float:
    """Half the width of a band around an accumulated share of ``n`` draws that holds the whole true curve.

    The inequality of Dvoretzky, Kiefer and Wolfowitz (1956) with the constant of Massart (1990):
    sqrt(ln(2 / (1 - confidence)) / (2 n)). It holds at all distances at the same time.

    >>> round(curve_band(100), 4)
    0.1358
    """
    return math.sqrt(math.log(2 / (1 - confidence)) / (2 * n))


def difference_interval(one: Ratio, other: Ratio, *, samples: tuple[bool, bool]) -> Interval | None:
    """An interval for the first share minus the second, from the interval of each.

    The method of variance estimates recovery (Newcombe 1998, method 10; Zou and Donner 2008) over Clopper and
    Pearson's intervals: d - sqrt((p1 - low1)^2 + (high2 - p2)^2) to d + sqrt((high1 - p1)^2 + (p2 - low2)^2). A share
    of all, not of a sample, is exact.

    ``samples`` says whether each is of a random sample. None where something was not counted.
    """
    p1, p2 = one.value, other.value
    if p1 is None or p2 is None:
        return None
    (low1, high1), (low2, high2) = (
        ratio.interval(CONFIDENCE) if sample else (p, p)
        for ratio, sample, p in zip((one, other), samples, (p1, p2), strict=True)
    )
    return p1 - p2 - math.hypot(p1 - low1, high2 - p2), p1 - p2 + math.hypot(high1 - p1, p2 - low2)
