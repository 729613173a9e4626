"""Rank correlations equal slow references in plain loops."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.worth.ranks import midranks, partial_rho, rho

NUMBERS = st.lists(st.integers(0, 5), min_size=1, max_size=12)
PAIRED = st.lists(st.tuples(*[st.integers(0, 4)] * 3, st.integers(0, 1)), min_size=3, max_size=14)


def slow_ranks(values: Sequence[float]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values
    ]


def slow_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    n = len(x)
    mean_x, mean_y = sum(x) / n, sum(y) / n
    both = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    squares = [sum((a - mean_x) ** 2 for a in x), sum((b - mean_y) ** 2 for b in y)]
    return both / math.sqrt(squares[0] * squares[1]) if min(squares) > 1e-7 else math.nan


def slow_left(ranks: Sequence[float], groups: Sequence[int], also: Sequence[float]) -> list[float]:
    """Residuals of a regression on a constant for each group and on another variable, by normal equations."""
    columns = [[float(group == each) for group in groups] for each in sorted(set(groups))] + [list(also)]
    a = np.array(columns).T
    return list(np.array(ranks) - a @ np.linalg.lstsq(a, np.array(ranks), rcond=None)[0])


@given(NUMBERS)
def test_ranks(values: list[int]) -> None:
    assert midranks(np.array(values, float)).tolist() == slow_ranks(values)


@given(PAIRED)
def test_rho(rows: list[tuple[int, ...]]) -> None:
    x, y, *_ = zip(*rows, strict=True)
    expected = slow_correlation(slow_ranks(x), slow_ranks(y))
    assert float(rho(np.array(x, float), np.array(y, float))) == pytest.approx(expected, nan_ok=True)


@given(PAIRED)
def test_partial_rho(rows: list[tuple[int, ...]]) -> None:
    x, y, also, groups = zip(*rows, strict=True)
    left = [slow_left(slow_ranks(each), groups, slow_ranks(also)) for each in (x, y)]
    found = float(partial_rho(*(np.array(each, float) for each in (x, y)), np.array(groups), np.array(also, float)))
    assert found == pytest.approx(slow_correlation(*left), abs=1e-6, nan_ok=True)


def test_many_samples_at_once_are_those_one_by_one() -> None:
    rng = np.random.default_rng(0)
    x, y, also = rng.integers(0, 6, (3, 20, 15)).astype(float)
    groups = np.repeat([0, 1, 2], 5)
    assert rho(x, y).tolist() == pytest.approx([float(rho(a, b)) for a, b in zip(x, y, strict=True)])
    each = [float(partial_rho(a, b, groups, c)) for a, b, c in zip(x, y, also, strict=True)]
    assert partial_rho(x, y, groups, also).tolist() == pytest.approx(each)


def test_size_alone_correlates_and_is_removed() -> None:
    """Coverage and kills that both grow with size, and have nothing to do with each other within a size."""
    groups = np.repeat([0, 1, 2], 40)
    x, y = np.random.default_rng(1).normal(size=(2, 120)) + 10 * groups
    assert rho(x, y) > 0.8
    assert abs(partial_rho(x, y, groups, np.arange(120.0))) < 0.25
