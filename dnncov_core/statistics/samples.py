"""When a campaign's counts are a random sample, and what may be said of all from which it was drawn."""

from __future__ import annotations

import math

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome
from dnncov_core.statistics.coverage import CoverageRow

CONFIDENCE = 0.95
Interval = tuple[float, float]
"""The lowest and the highest share, fractions."""


def is_random_sample(spec: CampaignSpec, total: CoverageRow) -> bool:
    """Whether a campaign's outcomes are those of a simple random sample of its feature pairs.

    They are not where all pairs were asked for, where as many were drawn from each layer pair, and as long as some
    test condition has no outcome yet.
    """
    drawn = total.is_sample and spec.sampling == CampaignSpec.sampling
    return drawn and not total.count(Outcome.PENDING)


def interval_of(ratio: Ratio, *, sample: bool) -> Interval | None:
    """Clopper and Pearson's interval of a random sample; None for anything else, and where nothing was counted."""
    return ratio.interval(CONFIDENCE) if sample and ratio.total else None


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
