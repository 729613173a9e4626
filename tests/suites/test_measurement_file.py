"""The file of a measurement, and how its numbers are read: many layer pairs, and where it cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.errors import DataError
from dnncov_core.suites.measurement_file import (
    MOST_LAYER_PAIRS,
    MeasuredCriterion,
    MeasuredLayer,
    WithEffect,
    write,
)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a file that can be written; got No such file or directory; choose another"):
        write(tmp_path / "no" / "one.json", {})


def many(layer_pairs: int) -> MeasuredCriterion:
    """Layer pairs from 2, 3, ... into layer 100, and one more into layer 101."""
    rows = [
        MeasuredLayer(
            k, 100, 9, 4, k, "some compared" if k == 2 else "", with_effect=WithEffect(k % 5, f"bound {k % 5}")
        )
        for k in range(2, layer_pairs + 1)
    ]
    rows.append(MeasuredLayer(2, 101, 9, 9, 1, "never mind", with_effect=WithEffect(9, "never mind")))
    return MeasuredCriterion("ss", 9 * len(rows), sum(row.covered for row in rows), tuple(rows))


def test_many_layer_pairs_are_read_by_decision_layer_with_the_same_sums() -> None:
    whole = many(MOST_LAYER_PAIRS + 1)
    into_100, into_101 = whole.readable.rows
    assert into_100.condition_layers == tuple(range(2, MOST_LAYER_PAIRS + 2))
    assert (into_100.total, into_100.covered) == (9 * MOST_LAYER_PAIRS, 4 * MOST_LAYER_PAIRS)
    assert into_100.joined == sum(range(2, MOST_LAYER_PAIRS + 2))
    assert into_100.percent == "≥ 44.4 %"
    assert into_100.shown is not None
    assert into_100.shown.covered == sum(k % 5 for k in range(2, MOST_LAYER_PAIRS + 2))
    assert into_100.shown.bound == "some compared; bound 0; bound 1; bound 2; bound 3"  # none where all show it
    assert (into_101.condition_layers, into_101.percent, into_101.bound) == ((2,), "100 %", "")
    assert (whole.readable.total, whole.readable.covered) == (whole.total, whole.covered)
    assert whole.readable.joined == whole.joined


def test_few_layer_pairs_and_single_neurons_are_read_as_they_are() -> None:
    few, neurons = many(MOST_LAYER_PAIRS), [MeasuredLayer(None, k, 9, 4, None, "") for k in range(2, 90)]
    assert few.readable is few
    single = MeasuredCriterion("n", 9 * 88, 4 * 88, tuple(neurons))
    assert single.readable is single
