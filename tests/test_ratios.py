from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.ratios import Ratio

COUNTS = st.integers(0, 10**9).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@pytest.mark.parametrize(
    ("n", "total", "text"),
    [
        (131, 150, "87.3 % (131 of 150)"),
        (0, 0, "n/a (0 of 0)"),
        (0, 7, "0 % (0 of 7)"),
        (7, 7, "100 % (7 of 7)"),
        (1, 2, "50.0 % (1 of 2)"),
        (9_999, 10_000, "> 99.9 % (9,999 of 10,000)"),
        (99_999_999, 100_000_000, "> 99.9 % (99,999,999 of 100,000,000)"),
        (1, 100_000, "< 0.1 % (1 of 100,000)"),
    ],
)
def test_display(n: int, total: int, text: str) -> None:
    assert Ratio(n, total).display() == text


@given(COUNTS)
def test_all_and_none_are_never_rounded_to(counts: tuple[int, int]) -> None:
    ratio = Ratio(*counts)
    assert (ratio.percent == "100 %") == (0 < ratio.total == ratio.n)
    assert (ratio.percent == "0 %") == (ratio.n == 0 < ratio.total)
    assert (ratio.percent == "n/a") == (ratio.total == 0) == (ratio.value is None)


@given(COUNTS, COUNTS)
def test_counts_add(one: tuple[int, int], two: tuple[int, int]) -> None:
    assert Ratio(*one) + Ratio(*two) == Ratio(one[0] + two[0], one[1] + two[1]) == Ratio(*two) + Ratio(*one)


@pytest.mark.parametrize("counts", [(2, 1), (-1, 3)])
def test_impossible_counts_are_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(AssertionError):
        Ratio(*counts)


@pytest.mark.parametrize(("n", "total"), [(1, 10), (9, 10), (3, 7), (150, 1000), (2000, 2001), (20_000, 23_541)])
def test_intervals_leave_as_much_on_each_side_as_they_should(n: int, total: int) -> None:
    """Clopper and Pearson's definition, by the binomial probabilities one by one."""

    def at_least(k: int, p: float) -> float:
        logs = [
            math.lgamma(total + 1) - math.lgamma(i + 1) - math.lgamma(total - i + 1)
            + i * math.log(p) + (total - i) * math.log1p(-p)
            for i in range(k, total + 1)
        ]  # fmt: skip
        return math.fsum(map(math.exp, logs))

    low, high = Ratio(n, total).interval(0.9)
    assert at_least(n, low) == pytest.approx(0.05, rel=1e-6)
    assert 1 - at_least(n + 1, high) == pytest.approx(0.05, rel=1e-6)
    assert low < n / total < high


def test_intervals_at_the_ends() -> None:
    assert Ratio(0, 0).interval() == (0.0, 1.0)
    assert Ratio(0, 200).interval() == pytest.approx((0.0, 1 - 0.025 ** (1 / 200)))
    assert Ratio(200, 200).interval() == pytest.approx((0.025 ** (1 / 200), 1.0))
