"""The figure of what training further changes has the differences of the table, with their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from dnncov_core.figures.retrained import plot_retrained
from tests.retraining.made import outcome


def test_points_are_differences_with_their_intervals() -> None:
    figure = plot_retrained(outcome(), source="net")
    assert [trace.name for trace in figure.data] == [
        "Test pairs, with 95 % interval",
        "Random perturbations, with 95 % interval",
        "PGD, with 95 % interval",
    ]
    pairs, *_, pgd = figure.data
    assert list(pairs.x) == ["Accuracy", "Accuracy under attack", "Mutants killed", "Coverage by SS"]
    assert list(pairs.y) == pytest.approx([-5, 8, 0, 0])
    assert list(pgd.y) == pytest.approx([-2, 20, -2.5, -1.5])
    half = 2.7764451 * np.std([-1, 0, 1, 0, 0], ddof=1) / np.sqrt(5) * 100  # Student's t with 4 degrees of freedom
    assert list(pairs.error_y.array) == pytest.approx([0, 0, half / 40, half / 200])
    assert list(pairs.error_y.arrayminus) == pytest.approx(list(pairs.error_y.array))
    assert pairs.customdata[0][0] == "−5.00 points (−5.00 to −5.00)"
