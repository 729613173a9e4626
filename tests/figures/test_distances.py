from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import plotly.graph_objects as go
import pytest

from dnncov_core.figures import plot_distance_curve
from dnncov_core.statistics import DistanceCurve, distance_curve
from tests.builders import campaign


@pytest.fixture
def curve(tmp_path: Path) -> DistanceCurve:
    return distance_curve(campaign(tmp_path / "a.dnncov"), "mine")


def test_the_curve_is_the_table_from_the_origin(curve: DistanceCurve) -> None:
    steps = plot_distance_curve([curve]).data[0]
    assert list(steps.x[:-1]) == [0, *curve.distances]
    assert steps.x[-1] > curve.distances[-1]
    assert list(steps.y) == pytest.approx([0, *(100 * share for share in curve.shares), 100])
    assert list(steps.customdata) == [0, *curve.counts, curve.total]
    assert steps.line.shape == "hv"


def test_a_logarithmic_axis_leaves_zero_out(curve: DistanceCurve) -> None:
    figure = plot_distance_curve([curve], log=True)
    assert figure.layout.xaxis.type == "log"
    assert min(figure.data[0].x) > 0
    assert list(figure.layout.xaxis.ticktext) == ["0.005", "0.01", "0.02"]
    assert 10 ** figure.layout.xaxis.range[0] < 1 / 255


def test_campaigns_differ_by_colour_and_dash(curve: DistanceCurve) -> None:
    one, two = plot_distance_curve([curve, replace(curve, name="other")]).data[:2]
    assert one.line.color != two.line.color
    assert one.line.dash != two.line.dash
    assert one.name == "mine: 3 of 6 test pairs adversarial"


def lines(figure: go.Figure, axis: str) -> list[float]:
    """Where lines across the plot are."""
    return [shape[f"{axis}0"] for shape in figure.layout.shapes if shape[f"{axis}0"] == shape[f"{axis}1"]]


def names(figure: go.Figure) -> list[str]:
    return [trace.name for trace in figure.data if trace.name and list(trace.x) == [None]]


@pytest.mark.parametrize("log", [False, True])
def test_one_grey_level_is_marked_for_pixels_only(curve: DistanceCurve, log: bool) -> None:
    figure = plot_distance_curve([curve], log=log)
    assert lines(figure, "x") == [1 / 255]
    assert names(figure) == ["one grey level of 8 bits (1/255)"]
    for other in (replace(curve, pixels=False), replace(curve, norm="2")):
        assert not lines(plot_distance_curve([other], log=log), "x")


@pytest.mark.parametrize("log", [False, True])
def test_the_bound_is_marked_and_the_axis_shows_it(curve: DistanceCurve, log: bool) -> None:
    figure = plot_distance_curve([replace(curve, bound=0.04)], log=log)
    assert lines(figure, "x") == [0.04, 1 / 255]
    assert names(figure)[0] == "bound b = 0.04 (10.2 grey levels)"
    end = figure.layout.xaxis.range[1]
    assert (10**end if log else end) > 0.04
    (bound, grey) = figure.layout.shapes
    assert bound.line.dash != grey.line.dash


def test_a_bound_far_away_is_named_and_the_curve_stays_large(curve: DistanceCurve) -> None:
    figure = plot_distance_curve([replace(curve, bound=0.5)])
    assert lines(figure, "x") == [1 / 255]
    assert names(figure)[0] == "bound b = 0.5 (127.5 grey levels), outside this axis"
    assert figure.layout.xaxis.range[1] < 0.05


def test_bounds_of_several_campaigns_are_marked_once_each(curve: DistanceCurve) -> None:
    curves = [replace(curve, bound=bound) for bound in (0.04, 0.035, 0.04, None)]
    assert lines(plot_distance_curve(curves), "x") == [0.035, 0.04, 1 / 255]


def test_one_curve_has_marks_to_click_at_each_step(curve: DistanceCurve) -> None:
    marks = plot_distance_curve([curve]).data[-2]
    assert [list(data) for data in marks.customdata] == [
        list(each) for each in zip(curve.counts, curve.distances, strict=True)
    ]
    assert list(marks.x) == list(curve.distances)
    others = [trace for trace in plot_distance_curve([curve]).data if trace is not marks and trace.x[0] is not None]
    in_the_way = [trace for trace in others if trace.mode != "markers" and trace.hoverinfo != "skip"]
    assert not in_the_way
    assert not [trace for trace in plot_distance_curve([curve, curve]).data if trace.mode == "markers"]


def test_the_axis_names_norm_and_unit(curve: DistanceCurve) -> None:
    layout = plot_distance_curve([curve]).layout
    assert layout.xaxis.title.text == "L∞ distance (share of the pixel range)"
    assert layout.yaxis.title.text == "Share of adversarial pairs (%)"
    other = plot_distance_curve([replace(curve, norm="2", pixels=False)]).layout
    assert other.xaxis.title.text == "L2 distance (input units)"


def test_no_adversarial_pair_says_so(curve: DistanceCurve) -> None:
    empty = replace(curve, distances=(), counts=(), total=0)
    figure = plot_distance_curve([empty])
    assert not figure.data
    assert figure.layout.annotations[0].text == "No adversarial pair"


@pytest.mark.parametrize("log", [False, True])
def test_grey_levels_are_a_second_reading_of_the_same_axis(curve: DistanceCurve, log: bool) -> None:
    layout = plot_distance_curve([curve], log=log).layout
    assert (layout.xaxis2.matches, layout.xaxis2.side) == ("x", "top")
    assert layout.xaxis2.type == ("log" if log else "linear")
    levels = [float(text) for text in layout.xaxis2.ticktext]
    assert list(layout.xaxis2.tickvals) == pytest.approx([level / 255 for level in levels])
    assert max(levels) / 255 <= 0.03 * 1.06
    assert "xaxis2" not in plot_distance_curve([replace(curve, norm="2")], log=log).layout.to_plotly_json()
