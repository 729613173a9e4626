"""APFD, mutants along an order, and uncertainties against plain loops and figures worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.selection import uncertainty
from dnncov_core.selection.detection import Detection, first_kills, killed_along
from tests.selection import reference


@given(mutants=st.integers(0, 6), n=st.integers(1, 7), seed=st.integers(0, 1000))
def test_apfd_is_that_of_plain_loops(mutants: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kills, rows = rng.random((mutants, n)) < 0.3, rng.permutation(n)
    places = first_kills(kills, rows)
    found = Detection.of(places[places > 0], n)
    expected = reference.apfd(kills.tolist(), rows.tolist())
    assert (found.apfd is None) == (expected is None)
    if found.apfd is not None and found.low is not None and found.high is not None:
        assert found.apfd == pytest.approx(expected)
        assert 0 < found.low <= found.apfd + 1e-12
        assert found.apfd - 1e-12 <= found.high < 1
    killed = [sum(any(row[x] for x in rows[: at + 1]) for row in kills) for at in range(n)]
    assert killed_along(places, n).tolist() == killed


def test_an_example_by_hand() -> None:
    """Two mutants, killed by the second and the first of four inputs; a third one lives."""
    kills = np.array([[False, True, False, False], [True, False, True, False], [False] * 4])
    places = first_kills(kills, np.arange(4))
    assert places.tolist() == [2, 1, 0]
    assert Detection.of(places[places > 0], 4).apfd == 1 - 3 / 8 + 1 / 8
    assert Detection.of(places[:0], 4) == Detection(None, None, None)


@given(st.lists(st.lists(st.floats(-9, 9), min_size=3, max_size=3), min_size=1, max_size=6))
def test_uncertainties_are_those_of_plain_loops(logits: list[list[float]]) -> None:
    p = [reference.softmax(each) for each in logits]
    for name in uncertainty.UNCERTAINTIES:
        expected = [getattr(reference, name)(each) for each in p]
        assert uncertainty.UNCERTAINTIES[name].score(np.array(p)) == pytest.approx(expected)
