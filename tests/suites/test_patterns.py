"""The join of patterns against comparing all inputs two by two."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.suites import patterns
from dnncov_core.suites.patterns import Classes, packed


def signs(inputs: int, neurons: int, flips: float, seed: int) -> np.ndarray:
    """Patterns that are often equal or one neuron apart."""
    rng = np.random.default_rng(seed)
    few = rng.random((4, neurons)) < 0.5
    return few[rng.integers(0, 4, inputs)] ^ (rng.random((inputs, neurons)) < flips / neurons)


def apart(some: np.ndarray) -> set[tuple[bytes, bytes, int]]:
    """(pattern with -1, pattern with +1, neuron), by comparing all."""
    found = set()
    for one, other in itertools.product({row.tobytes(): row for row in some}.values(), repeat=2):
        where = np.flatnonzero(one ^ other)
        if len(where) == 1 and other[where[0]]:
            found.add((one.tobytes(), other.tobytes(), int(where[0])))
    return found


@given(
    inputs=st.integers(1, 60),
    neurons=st.integers(1, 200),
    flips=st.sampled_from([0.3, 1.0, 4.0]),
    seed=st.integers(0, 99),
)
def test_classes_and_neighbours(inputs: int, neurons: int, flips: float, seed: int) -> None:
    some = signs(inputs, neurons, flips, seed)
    classes = Classes.by(packed(some))
    assert [(classes.of == c).tolist() for c in classes.of] == [(some == row).all(axis=1).tolist() for row in some]
    assert classes.sizes.sum() == inputs
    example = {int(c): some[row] for row, c in enumerate(classes.of)}
    found = classes.one_apart
    listed = [
        (example[int(a)].tobytes(), example[int(b)].tobytes(), int(i))
        for a, b, i in zip(found.first, found.second, found.neuron, strict=True)
    ]
    assert len(listed) == len(set(listed)) == len(found)
    assert set(listed) == apart(some)


def test_all_patterns_of_a_small_layer() -> None:
    every = np.array(list(itertools.product([False, True], repeat=9)))
    found = Classes.by(packed(every)).one_apart
    assert len(found) == 9 * 2**8
    assert np.bincount(found.neuron).tolist() == [2**8] * 9


def test_equal_hashes_of_different_patterns_report_nothing_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    some = signs(80, 150, 1.0, 5)
    weak = np.array([1, 2, 4], np.uint64)
    good = patterns._factors(3)
    monkeypatch.setattr(patterns, "_factors", lambda words: itertools.chain([weak * np.uint64(0)], good))
    assert len(Classes.by(packed(some))) == len(np.unique(some, axis=0))
    monkeypatch.setattr(patterns, "_factors", lambda words: iter([weak]))
    monkeypatch.setattr(patterns, "MIX", np.uint64(1))
    different = np.unique(some, axis=0)
    found = Classes(packed(different), np.arange(len(different))).one_apart
    listed = {
        (different[a].tobytes(), different[b].tobytes(), int(i))
        for a, b, i in zip(found.first, found.second, found.neuron, strict=True)
    }
    assert listed <= apart(some)
