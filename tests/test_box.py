"""What inputs may be: shares of ranges and back, what lies outside, and what features are called."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.box import Box
from dnncov_core.distances import NORMS, distance

RANGES = ((0.0, 60760.0), (-math.pi, math.pi), (100.0, 1200.0), (7.0, 7.0))
VECTOR = Box((4,), (-math.pi, 60760.0), RANGES, ("rho", "theta", "v", "fixed"), ("m", "rad", "ft/s", ""))
SERIES = Box((2, 3), (-1.0, 4.0), ((-1.0, 1.0), (0.0, 4.0)))
EACH = Box((1, 2, 2), (0.0, 4.0), ((0.0, 1.0), (0.0, 2.0), (0.0, 3.0), (0.0, 4.0)))
PLAIN = Box((3,), (0.0, 255.0))


@given(shares=st.lists(st.floats(0, 1), min_size=4, max_size=4), dtype=st.sampled_from(["float32", "float64"]))
def test_shares_and_inputs_are_inverse_within_the_box(shares: list[float], dtype: str) -> None:
    z = np.array(shares, dtype)
    x = VECTOR.inputs(z, np.array([low for low, _ in RANGES], dtype))
    for value, share, (low, high) in zip(x.tolist(), z.tolist(), RANGES, strict=True):
        assert value == pytest.approx(low + (high - low) * share, abs=1e-7 * max(abs(low), abs(high)))
    assert not VECTOR.outside(x).any()
    assert (VECTOR.low.astype(dtype) <= x).all()
    assert (x <= VECTOR.high.astype(dtype)).all()
    assert x.dtype == VECTOR.shares(x).dtype == dtype
    np.testing.assert_allclose(VECTOR.shares(x)[:3], z[:3], atol=1e-6)
    assert VECTOR.shares(x)[3] == 0


def test_numbers_that_did_not_move_stay_as_they_are() -> None:
    x1 = np.float32([12345.678, 0.1, 333.3, 7.0])
    z = VECTOR.shares(x1)
    z[1] = 0.75
    x2 = VECTOR.inputs(z, x1)
    assert (x2 == x1).tolist() == [True, False, True, True]


def test_one_pair_of_bounds_leaves_inputs_and_distances_as_they_are() -> None:
    x = np.array([0.0, 17.3, 255.0])
    assert PLAIN.shares(x) is x
    assert PLAIN.inputs(x, x) is x
    assert (PLAIN.unit, PLAIN.share_bounds, VECTOR.share_bounds) == (1.0, (0.0, 255.0), (0.0, 1.0))


@pytest.mark.parametrize("norm", NORMS)
def test_distances_are_those_of_shares_and_fixed_numbers_count_nothing(norm: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = ([float(rng.uniform(low, high)) for low, high in RANGES[:3]] for _ in "ab")
        shares = [abs(p - q) / (high - low) for p, q, (low, high) in zip(a, b, RANGES, strict=False)]
        wanted = {"inf": max(shares), "1": sum(shares), "2": math.sqrt(sum(share**2 for share in shares))}[norm]
        found = distance(np.array([*a, 7.0]), np.array([*b, 7.0]), norm, VECTOR.unit)
        assert found == pytest.approx(wanted, rel=1e-12)


def test_ranges_of_channels_and_of_single_numbers_are_laid_out_like_inputs() -> None:
    assert SERIES.low.tolist() == [[-1.0], [0.0]]
    assert SERIES.shares(np.array([[-1.0, 0.0, 1.0], [0.0, 1.0, 4.0]])).tolist() == [[0, 0.5, 1], [0, 0.25, 1]]
    assert [SERIES.range_of(place) for place in range(6)] == [(-1.0, 1.0)] * 3 + [(0.0, 4.0)] * 3
    assert EACH.high.tolist() == [[[1.0, 2.0], [3.0, 4.0]]]
    assert EACH.range_of(3) == (0.0, 4.0)


def test_what_leaves_its_own_range_is_outside_up_to_single_precision() -> None:
    inside = np.array([60760.0, math.pi, 100.0, 7.0])
    assert not VECTOR.outside(inside).any()
    assert not VECTOR.outside(inside.astype(np.float32)).any()
    assert not VECTOR.outside(inside.astype(np.float32).astype(np.float64)).any()
    beyond = np.array([[60760.1, 3.14, 99.99, 7.001], [-0.1, -3.15, 1200.0, 7.0]])
    assert VECTOR.outside(beyond).tolist() == [[True, False, True, True], [True, True, False, False]]
    assert PLAIN.outside(np.array([-0.1, 255.0, 255.1])).tolist() == [True, False, True]


def test_features_are_called_by_their_names_or_numbers() -> None:
    assert [VECTOR.name(place) + VECTOR.unit_name(place) for place in range(4)] == [
        "rho m",
        "theta rad",
        "v ft/s",
        "fixed",
    ]
    assert [SERIES.name(place) + SERIES.unit_name(place) for place in (0, 2, 3)] == [
        "channel 0",
        "channel 0",
        "channel 1",
    ]
    assert EACH.name(3) == "the number at (0, 1, 1)"
