from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.figures import plot_distance_by_omega, plot_layer_distances
from dnncov_core.statistics import By, OmegaTable, Spread, distance_table, omega_table
from tests.builders import campaign, card
from tests.statistics.branches import branched


def test_layer_distances_are_the_table(tmp_path: Path) -> None:
    table = distance_table(campaign(tmp_path / "a.dnncov"))
    every, adversarial = plot_layer_distances(table).data[:2]
    assert list(every.x) == ["2 → 3", "3 → 4", "4 → 5"]
    assert list(every.y) == pytest.approx([row.pairs.mean for row in table.rows])
    assert list(every.error_y.array) == pytest.approx([row.pairs.std for row in table.rows])
    assert list(adversarial.y) == pytest.approx([row.adversarial.mean for row in table.rows])
    assert [data[2] for data in adversarial.customdata] == [row.adversarial.n for row in table.rows]
    assert every.marker.symbol != adversarial.marker.symbol


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
    assert list(every.customdata[1]) == ["2, 3", 4, table.rows[1].pairs.n, table.rows[1].pairs.std, "all test pairs"]
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
    assert "yaxis2" not in plot_layer_distances(replace(table, pixels=False)).layout.to_plotly_json()


@pytest.fixture
def omegas(tmp_path: Path) -> OmegaTable:
    specs = [CampaignSpec("mnist-n1", "mnist", feature_mode="free", omega=omega) for omega in (0.001, 0.01)]
    return omega_table([campaign(tmp_path / f"{spec.omega:g}.dnncov", spec=spec) for spec in specs])


def test_distances_by_omega_are_the_table(omegas: OmegaTable) -> None:
    figure = plot_distance_by_omega(omegas)
    every, adversarial = figure.data[:2]
    assert list(every.y) == pytest.approx([row.pairs.mean for row in omegas.rows])
    assert list(every.error_y.array) == pytest.approx([row.pairs.std for row in omegas.rows])
    assert list(adversarial.y) == pytest.approx([row.adversarial.mean for row in omegas.rows])
    assert list(adversarial.customdata[0]) == ["0.001", 0.001, 3, omegas.rows[0].adversarial.std, "adversarial pairs"]
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
