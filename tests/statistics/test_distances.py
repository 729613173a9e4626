from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.campaign.file.pairs import PairTable
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.statistics.distances import (
    MEANS,
    MEDIANS,
    MOST_STEPS,
    Spread,
    curves_by_unit,
    distance_curve,
    distance_table,
    farthest,
    shown,
    unit_of,
)
from dnncov_core.statistics.grouping import By
from tests.builders import campaign, card
from tests.statistics.branches import branched, pairs_of

distances = st.lists(st.floats(0, 10), max_size=20)


def spread_of(values: list[float]) -> Spread:
    """Straight from the definition."""
    if not values:
        return Spread(0, None, None)
    mean = sum(values) / len(values)
    return Spread(len(values), mean, (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5)


def assert_same(one: Spread, other: Spread) -> None:
    assert one.n == other.n
    assert (one.mean, one.std) == (pytest.approx(other.mean), pytest.approx(other.std, abs=1e-9))


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    """Two test pairs in each of three layer pairs, of which one each is adversarial."""
    return campaign(tmp_path / "a.dnncov")


def test_the_curve_counts_adversarial_pairs_only(store: CampaignStore) -> None:
    curve = distance_curve(store, "mine")
    assert curve.distances == (0.01, 0.02, 0.03)
    assert curve.counts == (1, 2, 3)
    assert curve.shares == pytest.approx((1 / 3, 2 / 3, 1))
    assert (curve.total, curve.pairs, curve.name, curve.unit) == (3, 6, "mine", "pixels")


def test_the_curve_agrees_with_its_definition(store: CampaignStore) -> None:
    pairs, curve = store.pairs.page(), distance_curve(store, "")
    for distance, count in zip(curve.distances, curve.counts, strict=True):
        assert count == sum(pair.adversarial and pair.distance <= distance for pair in pairs)


def test_equal_distances_make_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = campaign(tmp_path / "a.dnncov")
    monkeypatch.setattr(PairTable, "adversarial_distances", lambda pairs: np.full(3, 0.5))
    curve = distance_curve(store, "")
    assert (curve.distances, curve.counts) == ((0.5,), (3,))


def test_a_huge_curve_is_thinned_but_ends_right(store: CampaignStore, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 50_000
    many = np.sort(np.random.default_rng(0).random(n))
    monkeypatch.setattr(PairTable, "adversarial_distances", lambda pairs: many)
    curve = distance_curve(store, "")
    assert len(curve.distances) == MOST_STEPS
    assert (curve.distances[0], curve.counts[0]) == (many.min(), 1)
    assert (curve.distances[-1], curve.counts[-1]) == (many.max(), n)


def test_distances_by_layer_pair(store: CampaignStore) -> None:
    rows = distance_table(store).rows
    assert [row.pairs.n for row in rows] == [2, 2, 2]
    assert [row.pairs.mean for row in rows] == pytest.approx([0.025, 0.035, 0.045])
    assert [row.pairs.std for row in rows] == pytest.approx([0.015] * 3)
    assert [row.adversarial.mean for row in rows] == pytest.approx([0.01, 0.02, 0.03])
    assert [row.adversarial.std for row in rows] == pytest.approx([0, 0, 0])


@given(distances, distances, distances)
def test_spreads_add_up_to_that_of_all_distances(one: list[float], two: list[float], three: list[float]) -> None:
    assert_same(spread_of(one) + spread_of(two) + spread_of(three), spread_of([*one, *two, *three]))
    assert_same(spread_of(three) + spread_of(one), spread_of([*one, *three]))


@pytest.mark.parametrize("by", By)
def test_every_row_has_the_mean_and_deviation_of_its_own_pairs(tmp_path: Path, by: By) -> None:
    store = branched(tmp_path / "a.dnncov")
    for row in distance_table(store, by).rows:
        for spread, adversarial in ((row.pairs, False), (row.adversarial, True)):
            own = pairs_of(store, row.place.decision_layer, adversarial=adversarial)
            layers = row.place.condition_layers
            assert_same(spread, spread_of([p.distance for p in own if p.target.condition_layer in layers]))


def quantile(values: list[float], share: float) -> float:
    """Straight from the definition: between two values in line with where the share is between their places."""
    ordered, at = sorted(values), share * (len(values) - 1)
    low = int(at)
    return ordered[low] + (at - low) * (ordered[min(low + 1, len(values) - 1)] - ordered[low])


@pytest.mark.parametrize("by", By)
def test_where_one_deviation_reaches_below_0_all_rows_have_the_quartiles_of_their_own_pairs(
    tmp_path: Path, by: By
) -> None:
    store = branched(tmp_path / "a.dnncov")
    table = distance_table(store, by)
    assert (shown(table.spreads), {each.quartiles for each in table.spreads}) == (MEANS, {None})
    with store.database.transaction() as connection:
        connection.execute("UPDATE test_pair SET distance = 4 WHERE target = (SELECT min(target) FROM test_pair)")
    table, pairs = distance_table(store, by), store.pairs.page()
    assert shown(table.spreads) is MEDIANS
    assert [each.below_zero for each in table.spreads].count(True) < len(table.spreads)
    for row in (*table.rows, table.total):
        own = [
            pair
            for pair in pairs
            if row.place is None
            or (pair.target.decision_layer == row.place.decision_layer
                and pair.target.condition_layer in row.place.condition_layers)
        ]  # fmt: skip
        for spread, some in ((row.pairs, own), (row.adversarial, [pair for pair in own if pair.adversarial])):
            distances = [pair.distance for pair in some]
            expected = [quantile(distances, share) for share in (0.25, 0.5, 0.75)] if some else None
            assert spread.quartiles == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("by", By)
def test_the_total_is_over_all_pairs(tmp_path: Path, by: By) -> None:
    store = branched(tmp_path / "a.dnncov")
    pairs, total = store.pairs.page(), distance_table(store, by).total
    assert_same(total.pairs, spread_of([pair.distance for pair in pairs]))
    assert_same(total.adversarial, spread_of([pair.distance for pair in pairs if pair.adversarial]))


def test_the_mean_of_a_decision_layer_is_not_that_of_its_layer_pairs_means(tmp_path: Path) -> None:
    store = branched(tmp_path / "a.dnncov")
    pairs = [row.pairs for row in distance_table(store).rows if row.place.decision_layer == 4]
    assert pairs[0].n != pairs[1].n
    (row,) = (row for row in distance_table(store, By.DECISION_LAYER).rows if row.place.decision_layer == 4)
    assert row.pairs.mean != pytest.approx((pairs[0].mean + pairs[1].mean) / 2)


def test_distances_are_told_in_the_unit_that_inputs_have() -> None:
    image, vector = card(), card(input_shape=(2,), bounds=(0.0, 60.0))
    own = replace(vector, ranges=((0.0, 60.0), (-1.0, 1.0)))
    channels = replace(image, bounds=(-2.0, 2.0), ranges=((-2.0, 2.0),))
    assert [unit_of(each) for each in (image, vector, own, channels, None)] == [
        "pixels",
        "input",
        "shares",
        "pixels",
        "input",
    ]
    assert farthest(image, 0.1) == "L∞ 0.100 = 25.5 grey levels"
    assert farthest(vector, 17.0) == "L∞ 17.0"
    assert farthest(own, 0.042) == "L∞ 0.0420 = 4.20 % of a feature's range"


def test_curves_of_other_units_stand_apart(store: CampaignStore) -> None:
    curve = distance_curve(store, "one")
    groups = curves_by_unit([curve, replace(curve, unit="shares"), replace(curve, unit="input")])
    assert list(groups) == ["Linf", "Linf-share-of-each-features-range", "Linf-input-units"]
