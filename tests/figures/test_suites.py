"""Coverage of a suite by layer."""

from __future__ import annotations

import pytest

from dnncov_core.figures import plot_suite_coverage
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer
from tests.suites.made import baseline, covering, measurement, patterns


def test_bars_are_the_measurement() -> None:
    measured = covering("ss", (10, 1386, 600))
    figure = plot_suite_coverage(measurement(measured), measured, source="net, suite digits")
    met, left, labels = figure.data
    assert list(met.x) == ["2 → 3", "3 → 4", "4 → 5"]
    assert list(met.y) == pytest.approx([100 * row.covered / row.total for row in measured.rows])
    assert [a + b for a, b in zip(met.y, left.y, strict=True)] == pytest.approx([100] * 3)
    assert [list(data) for data in met.customdata] == [[row.covered, row.total] for row in measured.rows]
    assert "modules layer2 → layer3" in met.hovertext[0]
    assert labels.text[1] == "<b>100 %</b><br>1,386 of 1,386"
    assert figure.layout.title.text == "SS coverage by layer pair"
    assert figure.layout.xaxis.title.text == "Layer pair (condition → decision)"
    assert figure.layout.yaxis.title.text == "Share of test conditions (%)"


def test_neurons_are_by_layer() -> None:
    measured = baseline("tn:2", (60, 22, 63))
    figure = plot_suite_coverage(measurement(measured), measured)
    assert list(figure.data[0].x) == ["2", "3", "4"]
    assert figure.data[0].hovertext[0] == "<b>Layer 2</b>, module layer2"
    assert figure.layout.title.text == "TN coverage by layer, m = 2"
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("Layer", "Share of neurons (%)")


def test_titles_name_the_value_function() -> None:
    measured = covering("sv:nb", (10, 1386, 600))
    title = plot_suite_coverage(measurement(measured), measured).layout.title.text
    assert title == "SV coverage by layer pair, g: NB"


def test_many_layers_have_no_labels() -> None:
    rows = tuple(MeasuredLayer(None, k, 10, 5, None, "") for k in range(2, 30))
    measured = MeasuredCriterion("n", 280, 140, rows)
    assert len(plot_suite_coverage(measurement(measured), measured).data) == 2


def test_nothing_by_layer_says_so() -> None:
    figure = plot_suite_coverage(measurement(patterns(4)), patterns(4))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No test condition"
