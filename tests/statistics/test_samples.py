"""Intervals and bands against slow references and known draws."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.distances import distance_curve
from dnncov_core.statistics.samples import curve_band, difference_interval, interval_of, is_random_sample
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
        assert is_random_sample(store.spec(), total) is holds
        assert (distance_curve(store, "a").band is not None) is holds
        assert (interval_of(total.covered, sample=is_random_sample(store.spec(), total)) is not None) is holds


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
