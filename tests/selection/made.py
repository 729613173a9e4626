"""A selection made by hand, for tests of what only shows it."""

from __future__ import annotations

import numpy as np

from dnncov_core.selection.curves import Curve, points, series_of
from dnncov_core.selection.selection import Ranking, Selection, SelectionSpec


def selection(inputs: int = 40, budget: int = 8) -> Selection:
    """Orders by SS and DeepGini with all three curves; the sign patterns that a fourth one counts have no total."""
    rng, at = np.random.default_rng(0), points(inputs, budget)

    def curve(measure: str, title: str, total: int | None, most: int) -> Curve:
        along = [np.sort(rng.integers(0, most, inputs)) for _ in range(6)]
        for each in along:
            each[-1] = most
        lines = (series_of("ss", along[:1], at), series_of("deepgini", along[1:2], at), series_of("random", along, at))
        return Curve(measure, title, total, most, tuple(at.tolist()), lines)

    rows = tuple(rng.permutation(inputs).tolist())
    return Selection(
        spec=SelectionSpec("net", "data", "ss,deepgini", budget, seeds=6),
        inputs=inputs,
        misclassified=5,
        mutants=9,
        killable=7,
        rankings=(
            Ranking("ss", rows, (1,) * inputs, 11, 0.8, 0.7, 0.9),
            Ranking("deepgini", rows[::-1], (), None, 0.9, 0.8, 0.95),
            Ranking("random", rows, (), None, 0.7, 0.6, 0.8),
        ),
        curves=(
            curve("covered", "test conditions of SS", 90, 60),
            curve("killed", "mutants", 9, 7),
            curve("misclassified", "misclassified inputs", 5, 5),
        ),
        seconds=2.0,
    )
