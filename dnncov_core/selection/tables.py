"""A selection in words: what the first inputs of an order reach, and how many are enough."""

from __future__ import annotations

from dnncov_core.phrases.numbers import counted
from dnncov_core.ratios import Ratio, percentage
from dnncov_core.selection.curves import Curve
from dnncov_core.selection.orders import title_of
from dnncov_core.selection.selection import Ranking


def reached(curve: Curve, order: str, inputs: int) -> str:
    """What the first so many inputs of an order reach; of random orders the mean, with the band of 95 % of them."""
    series, place = curve.of(order), curve.place(inputs)
    ratio = curve.ratio(order, inputs)
    if ratio is not None:
        return ratio.display()
    count = series.counts[place]
    if series.low is None or series.high is None:
        return f"{count:,.0f}"
    band = f"{series.low[place]:,.0f} to {series.high[place]:,.0f}"
    share = f"{percentage(count, curve.total)}, " if curve.total else ""
    return f"{share}{count:,.1f} ({band})"


def reached_by_all(curve: Curve) -> str:
    """What all inputs of the pool reach together."""
    return f"{curve.reached:,}" if curve.total is None else Ratio(curve.reached, curve.total).display()


def apfd_in_words(ranking: Ranking) -> str:
    """APFD with its interval."""
    if ranking.apfd is None:
        return "n/a"
    return f"{ranking.apfd:.3f} ({ranking.low:.3f} to {ranking.high:.3f})"


def first_round_in_words(ranking: Ranking) -> str:
    """How many inputs are enough for the same coverage; empty where the order does not go by a criterion."""
    if ranking.first_round is None:
        return ""
    if not ranking.first_round:
        return (
            f"{title_of(ranking.order)}: no input, and no two inputs, of this pool cover a test condition, so that its"
            " order is a random one."
        )
    n = counted(ranking.first_round, "input")
    return f"{title_of(ranking.order)}: the first {n} cover all that the pool covers (found greedily; fewer may do)."
