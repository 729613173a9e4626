"""A measurement in numbers, as the command prints it, and its witnesses as a table."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.features import FeaturePairs
from dnncov_core.ratios import Ratio
from dnncov_core.record_files import writing
from dnncov_core.suites.edge_coverage import EdgeCoverage
from dnncov_core.suites.measurement import LayerCoverage, Measurement, Result

PLACES = ("condition_layer", "condition_feature", "decision_layer", "decision_feature")
COLUMNS = ("criterion", *PLACES, "x1", "x2", "needed", "sufficient")


def measurement_summary(measurement: Measurement) -> dict[str, Any]:
    """A measurement as `dnncov measure --json` prints it. Shares are fractions, null where nothing was counted.

    ``total`` and ``coverage`` of safety coverage are null: nobody knows how many sign patterns a network has. They are
    null for NLC too, whose ``covered`` is its value.
    ``joined`` counts the pairs of sign patterns that do what is asked of the condition layer; ``bound`` says in words
    what was left out of a search, and is empty where a count is exact. ``misclassified`` is null for a suite without
    labels. ``left_out`` is there where something is: neurons, of a layer pair those of the decision layer, of which the
    criterion cannot be asked, and which are not in ``total``, and of surprise those whose values do not count, beside
    how many inputs are ``outside`` of all buckets.
    """
    return {
        "suite": {"inputs": measurement.inputs, "misclassified": measurement.misclassified},
        "criteria": {result.asked.text: _result(result) for result in measurement.results},
        "seconds": measurement.seconds,
    }


def _result(result: Result) -> dict[str, Any]:
    edges = [
        {"condition_layer": each.edge[0], "decision_layer": each.edge[1]}
        | _counts(each)
        | {"joined": each.joined, "bound": each.bound}
        | _with_effect([each])
        for each in result.edges
    ]
    return {
        **_counts(result),
        **_with_effect(result.edges),
        "layers": edges or [{"layer": each.layer, **_counts(each)} for each in result.layers],
    }


def _counts(of: Result | EdgeCoverage | LayerCoverage) -> dict[str, Any]:
    share = None if of.total is None else Ratio(int(of.covered), of.total).value
    counts = {"total": of.total, "covered": of.covered, "coverage": share}
    return counts | {name: n for name in ("left_out", "outside") if (n := getattr(of, name, 0))}


def _with_effect(edges: Sequence[EdgeCoverage]) -> dict[str, Any]:
    """How many feature pairs of layer pairs are covered with effect; nothing where no effect was asked for."""
    found = [each.effects for each in edges if each.effects.asked]
    if not found:
        return {}
    shown, bounds = sum(each.shown for each in found), sorted({each.bound for each in found} - {""})
    exact = not bounds and not any(each.bound for each in edges)
    share = Ratio(shown, sum(each.total for each in edges)).value
    return {"with_effect": {"covered": shown, "coverage": share, "exact": exact, "bound": "; ".join(bounds)}}


def save_witnesses(measurement: Measurement, pairs: FeaturePairs, path: Path) -> int:
    """Writes a row for each test condition that is met, with the rows of the suite that meet it; returns their number.

    Neurons are 0-based within their layer, separated by blanks; a free condition feature is ``free``. Whether the
    condition's change is ``needed`` or ``sufficient`` is 1 or 0, and empty where that is not known. A single neuron's
    layer and number stand in the columns of the decision, beside an x1 that meets the criterion; multisection coverage
    has a row for each section. Of safety coverage, x1 is the first input of a pattern.

    Raises:
        DataError: the file cannot be written.
    """
    n = 0
    with writing("--witnesses"), path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for result in measurement.results:
            for row in _rows(result, pairs):
                writer.writerow((result.asked.text, *row))
                n += 1
    return n


def _rows(result: Result, pairs: FeaturePairs) -> Iterator[tuple[int | str, ...]]:
    for edge in result.edges:
        k, decision_layer = edge.edge
        free = pairs[pairs.range_of(edge.edge)[0]].condition.most is not None
        for condition, decision, x1, x2, *effects in edge.effects.each():
            known = ("" if each is None else int(each) for each in effects)
            yield k, "free" if free else condition, decision_layer, decision, x1, x2, *known
    for layer in result.layers:
        for place in map(tuple, np.argwhere(layer.rows != NONE).tolist()):
            yield "", "", layer.layer, place[0], int(layer.rows[place]), "", "", ""
    for row in result.rows.tolist():
        yield "", "", "", "", row, "", "", ""
