from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import plotly.graph_objects as go
import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.figures.distances import plot_distance_by_omega, plot_distance_curve, plot_layer_distances
from dnncov_core.statistics.distances import DistanceCurve, Spread, distance_curve, distance_table
from dnncov_core.statistics.grouping import By
from dnncov_core.statistics.omegas import OmegaTable, omega_table
from tests.builders import campaign, card, named
from tests.statistics.branches import branched


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


def test_a_curve_alone_is_named_by_the_source_of_the_figure(curve: DistanceCurve) -> None:
    assert plot_distance_curve([curve], source="mine").data[0].name == "3 of 6 test pairs adversarial"
    assert plot_distance_curve([curve], source="mine, yours").data[0].name == "mine: 3 of 6 test pairs adversarial"


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
    for other in (replace(curve, unit="input"), replace(curve, norm="2")):
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
    other = plot_distance_curve([replace(curve, norm="2", unit="input")]).layout
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


def test_layer_distances_are_the_table(tmp_path: Path) -> None:
    table = distance_table(campaign(tmp_path / "a.dnncov"))
    every, adversarial = plot_layer_distances(table).data[:2]
    assert list(every.x) == ["2 → 3", "3 → 4", "4 → 5"]
    assert list(every.y) == pytest.approx([row.pairs.mean for row in table.rows])
    assert list(every.error_y.array) == pytest.approx([row.pairs.std for row in table.rows])
    assert list(adversarial.y) == pytest.approx([row.adversarial.mean for row in table.rows])
    assert [data[2] for data in adversarial.customdata] == [row.adversarial.n for row in table.rows]
    assert every.marker.symbol != adversarial.marker.symbol


def test_where_medians_are_shown_bars_are_the_quartiles_and_the_legend_says_so(tmp_path: Path) -> None:
    store = campaign(tmp_path / "a.dnncov", found=15)
    means, table = distance_table(store), distance_table(store, quartiles=True)
    every, adversarial = plot_layer_distances(table).data[:2]
    assert [every.name, adversarial.name] == [f"{what}: median and quartiles" for what in (
        "all test pairs", "adversarial pairs"
    )]  # fmt: skip
    assert plot_layer_distances(means).data[0].name == "all test pairs: mean ± one standard deviation"
    quartiles = [row.pairs.quartiles for row in table.rows]
    assert None not in quartiles
    bars = zip(every.error_y.arrayminus, every.y, every.error_y.array, strict=True)
    assert [(y - down, y, y + up) for down, y, up in bars] == [pytest.approx(each) for each in quartiles]
    assert every.customdata[0][3] == table.rows[0].pairs.words


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("bound", "beyond"), [(0.06, ""), (9.0, ", outside this axis")])
def test_the_bound_is_a_line_across_all_layers(tmp_path: Path, bound: float, beyond: str, log: bool) -> None:
    spec = CampaignSpec("mnist-n1", "mnist", bound=bound)
    table = distance_table(campaign(tmp_path / "a.dnncov", spec=spec))
    figure = plot_layer_distances(table, log=log)
    assert [shape.y0 for shape in figure.layout.shapes if shape.y0 == bound] == [bound] * (not beyond)
    assert f"bound b = {bound:g} ({255 * bound:g} grey levels){beyond}" in [trace.name for trace in figure.data]


def test_layers_without_a_test_pair_are_left_out(tmp_path: Path) -> None:
    table = distance_table(campaign(tmp_path / "a.dnncov", found=1, exhausted=5, adversarial=0))
    every, *rest = plot_layer_distances(table).data
    assert list(every.x) == ["2 → 3"]
    assert [trace.name for trace in rest if trace.name] == ["one grey level of 8 bits (1/255)"]


def test_layer_distances_name_their_unit(tmp_path: Path) -> None:
    toy = card(hidden=(3, 3), input_shape=(2,), bounds=(-10.0, 10.0), classes=2)
    table = distance_table(campaign(tmp_path / "a.dnncov", network=toy, found=4, exhausted=0))
    assert plot_layer_distances(table).layout.yaxis.title.text == "L∞ distance (input units)"


def test_no_test_pair_says_so(tmp_path: Path) -> None:
    table = distance_table(campaign(tmp_path / "a.dnncov", found=0, exhausted=3, adversarial=0))
    assert plot_layer_distances(table).layout.annotations[0].text == "No test pair yet"


def test_decision_layers_are_named_by_their_number(tmp_path: Path) -> None:
    table = distance_table(branched(tmp_path / "a.dnncov"), By.DECISION_LAYER)
    figure = plot_layer_distances(table)
    every = figure.data[0]
    assert list(every.x) == ["3", "4", "5"]
    assert list(every.y) == pytest.approx([row.pairs.mean for row in table.rows])
    assert list(every.customdata[1]) == ["2, 3", 4, table.rows[1].pairs.n, table.rows[1].pairs.words, "all test pairs"]
    assert "module layer4" in every.hovertext[1]
    assert figure.layout.title.text == "Distance by decision layer"


@pytest.mark.parametrize("log", [False, True])
def test_the_axis_shows_every_mean_in_both_units(tmp_path: Path, log: bool) -> None:
    table = distance_table(campaign(tmp_path / "a.dnncov"))
    layout = plot_layer_distances(table, log=log).layout
    low, high = (10**end for end in layout.yaxis.range) if log else layout.yaxis.range
    assert low < min(row.adversarial.mean for row in table.rows)
    assert high > max(row.pairs.mean + row.pairs.std for row in table.rows)
    assert list(layout.yaxis2.tickvals) == pytest.approx([float(text) / 255 for text in layout.yaxis2.ticktext])
    assert (layout.yaxis2.matches, layout.yaxis2.side) == ("y", "right")


def test_a_distance_over_all_values_has_no_grey_levels(tmp_path: Path) -> None:
    table = distance_table(campaign(tmp_path / "a.dnncov"))
    assert "yaxis2" not in plot_layer_distances(replace(table, norm="2")).layout.to_plotly_json()
    assert "yaxis2" not in plot_layer_distances(replace(table, unit="input")).layout.to_plotly_json()


@pytest.fixture
def omegas(tmp_path: Path) -> OmegaTable:
    specs = [CampaignSpec("mnist-n1", "mnist", feature_mode="free", omega=omega) for omega in (0.001, 0.01)]
    return omega_table(named([campaign(tmp_path / f"{spec.omega:g}.dnncov", spec=spec) for spec in specs]))


def test_distances_by_omega_are_the_table(omegas: OmegaTable) -> None:
    figure = plot_distance_by_omega(omegas)
    every, adversarial = figure.data[:2]
    assert list(every.y) == pytest.approx([row.pairs.mean for row in omegas.rows])
    assert list(every.error_y.array) == pytest.approx([row.pairs.std for row in omegas.rows])
    assert list(adversarial.y) == pytest.approx([row.adversarial.mean for row in omegas.rows])
    assert list(adversarial.customdata[0]) == ["0.001", 0.001, 3, omegas.rows[0].adversarial.words, "adversarial pairs"]
    assert list(figure.layout.xaxis.ticktext) == ["0.1<br>adversarial: 3 of 6", "1<br>adversarial: 3 of 6"]
    assert "ω" in figure.layout.xaxis.title.text
    assert figure.layout.yaxis.title.text == "L∞ distance (share of the pixel range)"


def test_two_campaigns_of_one_omega_have_two_places(omegas: OmegaTable) -> None:
    rows = [replace(row, omega=0.01, campaign=name) for row, name in zip(omegas.rows, "ab", strict=True)]
    assert list(plot_distance_by_omega(replace(omegas, rows=tuple(rows))).data[0].x) == ["a", "b"]


def test_omegas_without_a_test_pair_say_so(omegas: OmegaTable) -> None:
    nothing = [replace(row, pairs=Spread(0, None, None), adversarial=Spread(0, None, None)) for row in omegas.rows]
    figure = plot_distance_by_omega(replace(omegas, rows=tuple(nothing)))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No test pair yet"
