"""Suites are drawn as each way says, and depend on nothing but their key."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dnncov_core.box import Box
from dnncov_core.data import Data
from dnncov_core.worth import draws
from dnncov_core.worth.draws import CANDIDATES, WAYS, Pool, SuiteKey, drawn, keys

BOX = Box((2,), (0.0, 1.0))


def pool_of(n: int = 60, classes: int = 4) -> Pool:
    rng = np.random.default_rng(3)
    points = rng.random((n, 2)).round(2)
    return Pool.of(Data("made", points, np.arange(n) % classes, (), "made"), BOX)


def slow_distance(pool: Pool, one: int, other: int) -> float:
    return math.dist(pool.points[one].tolist(), pool.points[other].tolist())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [1, 7, 60])
def test_suites_have_their_size_of_different_inputs(way: str, size: int) -> None:
    rows = drawn(pool_of(), SuiteKey(size, way, 0), 0)
    assert len(set(rows.tolist())) == size
    assert rows.tolist() == sorted(rows.tolist())


@pytest.mark.parametrize("way", WAYS)
def test_suites_depend_on_their_key_and_the_seed_alone(way: str) -> None:
    one = drawn(pool_of(), SuiteKey(5, way, 2), 0).tolist()
    assert one == drawn(pool_of(), SuiteKey(5, way, 2), 0).tolist()
    others = [drawn(pool_of(), SuiteKey(5, way, n), seed).tolist() for n, seed in ((3, 0), (2, 1), (4, 1))]
    assert any(one != other for other in others)


def test_few_classes_are_as_few_as_have_inputs_enough() -> None:
    pool = pool_of()  # 15 inputs of each of four classes
    for size, classes in ((10, 1), (15, 1), (16, 2), (31, 3)):
        for number in range(5):
            labels = pool.labels[drawn(pool, SuiteKey(size, "classes", number), 0)]
            assert len(set(labels.tolist())) == classes


def test_near_inputs_are_nearest_to_one_of_them() -> None:
    pool = pool_of()
    rows = drawn(pool, SuiteKey(9, "near", 0), 0).tolist()

    def is_ball(middle: int) -> bool:
        reach = max(slow_distance(pool, middle, row) for row in rows)
        return all(slow_distance(pool, middle, row) >= reach - 1e-3 for row in range(len(pool)) if row not in rows)

    assert any(is_ball(middle) for middle in rows)


def test_far_inputs_are_taken_farthest_first() -> None:
    """The draw again in plain loops, with the same random numbers."""
    pool = pool_of()
    rng = np.random.default_rng(5)
    rows = [int(rng.integers(len(pool)))]
    while len(rows) < 12:
        left = [row for row in range(len(pool)) if row not in rows]
        some = rng.choice(np.array(left), CANDIDATES).tolist()
        rows.append(max(some, key=lambda row: min(slow_distance(pool, row, other) for other in rows)))
    assert WAYS["far"].draw(pool, 12, np.random.default_rng(5)).tolist() == rows


def test_pools_too_large_to_keep_distances_draw_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [drawn(pool_of(), SuiteKey(9, way, 0), 0).tolist() for way in WAYS]
    monkeypatch.setattr(draws, "HELD", 100)
    assert [drawn(pool_of(), SuiteKey(9, way, 0), 0).tolist() for way in WAYS] == kept


def test_balance() -> None:
    pool = pool_of(8, classes=4)
    assert pool.balance(np.array([0, 4])) == 0
    assert pool.balance(np.arange(8)) == pytest.approx(1)
    assert pool.balance(np.array([0, 4, 1, 5])) == pytest.approx(0.5)  # two of four classes


def test_keys_take_all_ways_in_turn() -> None:
    found = keys([10, 30], 6)
    assert len(set(found)) == 12
    assert [each.way for each in found[:5]] == [*WAYS, "random"]
