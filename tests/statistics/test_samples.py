"""Intervals and bands against slow references and known draws."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.ratios import Estimate, Ratio
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.distances import distance_curve
from dnncov_core.statistics.samples import (
    curve_band,
    difference_interval,
    interval_of,
    stratified_estimate,
)
from tests.builders import campaign, card

EQUAL = card(hidden=(4, 4, 4), classes=4)
"""Its three layer pairs have 16 feature pairs each."""


@pytest.mark.parametrize(
    ("spec", "pending", "found", "holds"),
    [
        ({"pairs": 8}, 0, 6, True),
        ({"pairs": 8, "sampling": "even"}, 0, 6, False),
        ({"pairs": 8}, 1, 6, False),
        ({}, 0, 46, False),
    ],
)
def test_only_a_finished_simple_sample_is_one(
    tmp_path: Path, spec: dict[str, object], pending: int, found: int, holds: bool
) -> None:
    asked = CampaignSpec("mnist-n1", "mnist", **spec)
    with campaign(tmp_path / "a.dnncov", spec=asked, pending=pending, found=found, network=EQUAL) as store:
        total = coverage_table(store).total
        assert total.is_random_sample is holds
        assert (distance_curve(store, "a").band is not None) is holds
        assert (interval_of(total.covered, sample=total.is_random_sample) is not None) is holds


def stratified_in_loops(strata: list[tuple[int, int, int]]) -> tuple[float, float, float]:
    """Share, v and n* of strata (all, drawn, counting), as the docstring's formulas say."""
    every, n = sum(size for size, _, _ in strata), sum(m for _, m, _ in strata)
    p = v = mixed = 0.0
    for size, m, x in strata:
        share, left = x / m, (size / every) ** 2 * (1 - m / size)
        p += size / every * share
        v += left * (share * (1 - share) / (m - 1) if m > 1 else 1 / 4)
        mixed += left / m
    return p, v, min([n, 1 / mixed, *([p * (1 - p) / v] if v and 0 < p < 1 else [])])


@pytest.mark.parametrize(
    "strata",
    [
        [(65_536, 50, 43), (2_560, 50, 50)],
        [(100, 10, 10), (50, 50, 20), (30, 1, 0)],
        [(100, 10, 10), (900, 10, 10)],
        [(100, 10, 0), (900, 10, 10)],
    ],
)
def test_strata_count_by_their_sizes(strata: list[tuple[int, int, int]]) -> None:
    p, _, effective = stratified_in_loops(strata)
    found = stratified_estimate([(size, Ratio(x, m)) for size, m, x in strata])
    assert found is not None
    assert found.share == pytest.approx(p)
    n = math.floor(effective + 1e-9)
    low, high = math.floor(p * n + 1e-9), math.ceil(p * n - 1e-9)
    assert found.interval == (Ratio(low, n).interval()[0], Ratio(high, n).interval()[1])


def test_strata_that_were_left_out_or_all_drawn_give_no_estimate() -> None:
    assert stratified_estimate([(100, Ratio(5, 10)), (50, Ratio(0, 0))]) is None
    assert stratified_estimate([(10, Ratio(5, 10)), (5, Ratio(1, 5))]) is None
    assert stratified_estimate([(100, Ratio(5, 10)), (0, Ratio(0, 0))]) is not None


@pytest.mark.parametrize("shares", [(0.85, 1.0), (0.5, 0.95), (0.97, 0.9), (1.0, 0.3)])
def test_the_interval_of_strata_holds_the_truth_often_enough(shares: tuple[float, float]) -> None:
    """By simulation: 300 times 20 of 5,000 and 20 of 400 without replacement."""
    rng, sizes, within = np.random.default_rng(2), (5000, 400), 0
    counting = [round(share * size) for share, size in zip(shares, sizes, strict=True)]
    for _ in range(300):
        drawn = [Ratio(int(rng.hypergeometric(x, size - x, 20)), 20) for x, size in zip(counting, sizes, strict=True)]
        found = stratified_estimate(list(zip(sizes, drawn, strict=True)))
        assert found is not None
        within += found.interval[0] <= sum(counting) / sum(sizes) <= found.interval[1]
    assert within / 300 >= 0.95


def test_each_layer_pair_of_an_even_sample_is_a_sample_of_its_own(tmp_path: Path) -> None:
    asked = CampaignSpec("mnist-n1", "mnist", pairs=24, sampling="even")
    with campaign(tmp_path / "a.dnncov", spec=asked, found=20, network=EQUAL) as store:
        table = coverage_table(store)
    assert [row.estimate for row in table.rows] == [
        Estimate(row.covered.n / row.covered.total, row.covered.interval()) for row in table.rows
    ]
    assert table.total.estimate == stratified_estimate([(row.available, row.covered) for row in table.rows])


def test_the_band_of_a_curve_holds_the_whole_true_curve_often_enough() -> None:
    """By simulation: of 400 samples of 30 uniform numbers at least 95 % lie within the band everywhere."""
    rng, n, within = np.random.default_rng(0), 30, 0
    band = curve_band(n)
    for _ in range(400):
        draws = np.sort(rng.random(n))
        steps = np.arange(1, n + 1) / n
        within += max(np.abs(steps - draws).max(), np.abs(steps - 1 / n - draws).max()) <= band
    assert within / 400 >= 0.95
    assert band < 1.05 * math.sqrt(math.log(40) / 60)


def test_the_interval_of_a_difference_holds_the_truth_often_enough() -> None:
    rng, p1, p2, within = np.random.default_rng(1), 0.85, 0.7, 0
    for _ in range(300):
        one, other = Ratio(int(rng.binomial(40, p1)), 40), Ratio(int(rng.binomial(60, p2)), 60)
        low, high = difference_interval(one, other, samples=(True, True)) or (1.0, 1.0)
        within += low <= p1 - p2 <= high
    assert within / 300 >= 0.95


def test_differences_of_all_pairs_are_exact() -> None:
    assert difference_interval(Ratio(9, 10), Ratio(4, 10), samples=(False, False)) == pytest.approx((0.5, 0.5))
    assert difference_interval(Ratio(0, 0), Ratio(4, 10), samples=(True, True)) is None


def test_a_difference_and_its_reverse_mirror_each_other() -> None:
    one, other = Ratio(9, 12), Ratio(20, 60)
    low, high = difference_interval(one, other, samples=(True, True)) or (0.0, 0.0)
    assert difference_interval(other, one, samples=(True, True)) == pytest.approx((-high, -low))
    assert low < one.n / one.total - other.n / other.total < high


def test_reuse_has_no_band(tmp_path: Path) -> None:
    spec = CampaignSpec("mnist-n1", "mnist", pairs=8, reuse=True)
    with campaign(tmp_path / "a.dnncov", spec=spec) as store:
        assert distance_curve(store, "a").band is None
