from __future__ import annotations

from dataclasses import replace
from pathlib import Path

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


def test_one_grey_level_is_marked_for_pixels_only(curve: DistanceCurve) -> None:
    assert plot_distance_curve([curve]).data[1].x == pytest.approx((1 / 255, 1 / 255))
    assert len(plot_distance_curve([replace(curve, pixels=False)]).data) == 1
    assert len(plot_distance_curve([replace(curve, norm="2")]).data) == 1


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
