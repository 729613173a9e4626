from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dnncov_core.figures import plot_distance_curve, plot_layer_distances
from dnncov_core.statistics import DistanceCurve, distance_curve, distance_table
from tests.builders import campaign, card


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
    assert plot_distance_curve([curve]).data[-1].x == pytest.approx((1 / 255, 1 / 255))
    assert len(plot_distance_curve([replace(curve, pixels=False)]).data) == 1
    assert len(plot_distance_curve([replace(curve, norm="2")]).data) == 1


def test_the_axis_names_norm_and_unit(curve: DistanceCurve) -> None:
    layout = plot_distance_curve([curve]).layout
    assert layout.xaxis.title.text == "L∞ distance (pixel values, 0 to 1)"
    assert layout.yaxis.title.text == "Share of adversarial pairs (%)"
    other = plot_distance_curve([replace(curve, norm="2", pixels=False)]).layout
    assert other.xaxis.title.text == "L2 distance (input units)"


def test_no_adversarial_pair_says_so(curve: DistanceCurve) -> None:
    empty = replace(curve, distances=(), counts=(), total=0)
    figure = plot_distance_curve([empty])
    assert not figure.data
    assert figure.layout.annotations[0].text == "No adversarial pair"


def test_layer_distances_are_the_table(tmp_path: Path) -> None:
    table = distance_table(campaign(tmp_path / "a.dnncov"))
    every, adversarial = plot_layer_distances(table).data
    assert list(every.x) == ["2 → 3", "3 → 4", "4 → 5"]
    assert list(every.y) == pytest.approx([row.pairs.mean for row in table.rows])
    assert list(every.error_y.array) == pytest.approx([row.pairs.std for row in table.rows])
    assert list(adversarial.y) == pytest.approx([row.adversarial.mean for row in table.rows])
    assert [data[2] for data in adversarial.customdata] == [row.adversarial.n for row in table.rows]
    assert every.marker.symbol != adversarial.marker.symbol


def test_layers_without_a_test_pair_are_left_out(tmp_path: Path) -> None:
    table = distance_table(campaign(tmp_path / "a.dnncov", found=1, exhausted=5, adversarial=0))
    (every,) = plot_layer_distances(table).data
    assert list(every.x) == ["2 → 3"]


def test_layer_distances_name_their_unit(tmp_path: Path) -> None:
    toy = card(hidden=(3, 3), input_shape=(2,), bounds=(-10.0, 10.0), classes=2)
    table = distance_table(campaign(tmp_path / "a.dnncov", network=toy, found=4, exhausted=0))
    assert plot_layer_distances(table).layout.yaxis.title.text == "L∞ distance (input units)"


def test_no_test_pair_says_so(tmp_path: Path) -> None:
    table = distance_table(campaign(tmp_path / "a.dnncov", found=0, exhausted=3, adversarial=0))
    assert plot_layer_distances(table).layout.annotations[0].text == "No test pair yet"
