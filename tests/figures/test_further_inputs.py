from __future__ import annotations

from dataclasses import replace

import pytest

from dnncov_core.figures.further_inputs import plot_further_inputs
from tests.selection.made import selection


def test_lines_are_the_curve_in_per_cent() -> None:
    made = selection()
    curve = made.curves[0]
    figure = plot_further_inputs((made, curve))
    lines = {
        trace.name.partition(":")[0]: trace
        for trace in figure.data
        if trace.showlegend is not False and trace.x != (None,)
    }
    assert list(lines) == ["SS", "DeepGini", "Random"]
    for series, trace in zip(curve.series, lines.values(), strict=True):
        assert list(trace.x) == list(curve.points)
        assert list(trace.y) == pytest.approx([100 * count / 90 for count in series.counts])
    band = [trace for trace in figure.data if trace.showlegend is False]
    assert list(band[1].y) == pytest.approx([100 * each / 90 for each in curve.series[2].low or ()])
    assert figure.layout.yaxis.title.text == "Test conditions of SS (%)"
    assert figure.layout.shapes[0].x0 == 8


def test_without_a_total_it_shows_counts_and_without_anything_it_says_so() -> None:
    made = selection()
    unknown = replace(made.curves[0], total=None)
    figure = plot_further_inputs((made, unknown))
    assert figure.layout.yaxis.title.text == "Test conditions of SS (number)"
    assert list(figure.data[0].y) == list(unknown.series[0].counts)
    nothing = plot_further_inputs((made, replace(made.curves[1], reached=0)))
    assert nothing.layout.annotations[0].text == "No mutants in this pool"
