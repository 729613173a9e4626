"""Distances by plain loops, in float64 whatever comes in."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.distances import NORMS, distance

NUMBERS = st.floats(-100, 100, allow_nan=False)
TWO = st.integers(1, 6).flatmap(lambda n: st.tuples(*(st.lists(NUMBERS, min_size=n, max_size=n) for _ in "ab")))


@given(inputs=TWO)
def test_distances_equal_plain_loops(inputs: tuple[list[float], list[float]]) -> None:
    apart = [abs(a - b) for a, b in zip(*inputs, strict=True)]
    a, b = map(np.array, inputs)
    assert distance(a, b, "inf") == distance(a, b) == max(apart)
    assert distance(a, b, "1") == pytest.approx(sum(apart))
    assert distance(a, b, "2") == pytest.approx(math.sqrt(sum(value * value for value in apart)))


@pytest.mark.parametrize("norm", NORMS)
@given(inputs=TWO)
def test_distances_are_symmetric_and_zero_between_equals(norm: str, inputs: tuple[list[float], list[float]]) -> None:
    a, b = map(np.array, inputs)
    assert distance(a, b, norm) == distance(b, a, norm)
    assert distance(a, a, norm) == 0


def test_float32_inputs_are_compared_in_float64() -> None:
    a, b = np.full((1, 100, 100), 16_777_216, np.float32), np.full((1, 100, 100), 1, np.float32)
    assert distance(a, b, "1") == 10_000 * 16_777_215
