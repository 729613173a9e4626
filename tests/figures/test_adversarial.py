from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures.adversarial import plot_adversarial, plot_baseline_searches
from dnncov_core.statistics.adversarial import adversarial_table, baselines_by_layer
from dnncov_core.statistics.grouping import By
from tests.builders import campaign
from tests.builders import campaign as built
from tests.statistics.branches import branched


def test_bars_are_the_table_in_both_readings(tmp_path: Path) -> None:
    table = adversarial_table(campaign(tmp_path / "a.dnncov", adversarial=4))
    own, overall = plot_adversarial(table).data
    assert list(own.y) == pytest.approx([100 * row.of_pairs.value for row in table.rows])
    assert list(overall.y) == pytest.approx([100 * row.of_adversarial.value for row in table.rows])
    assert [list(data) for data in own.customdata] == [
        [str(*row.place.condition_layers), row.place.decision_layer, row.of_pairs.n, row.of_pairs.total]
        for row in table.rows
    ]
    assert [list(data)[3] for data in overall.customdata] == [4, 4, 4]


def test_both_readings_differ_without_colour_and_are_named(tmp_path: Path) -> None:
    own, overall = plot_adversarial(adversarial_table(campaign(tmp_path / "a.dnncov"))).data
    assert (own.marker.pattern.shape, overall.marker.pattern.shape) == (None, "/")
    assert "own test pairs" in own.name
    assert "all adversarial pairs" in overall.name


def test_a_layer_pair_without_test_pairs_has_no_bar(tmp_path: Path) -> None:
    table = adversarial_table(campaign(tmp_path / "a.dnncov", found=1, exhausted=5, adversarial=0))
    own, overall = plot_adversarial(table).data
    assert list(own.y) == [0, None, None]
    assert list(overall.y) == [None, None, None]
    assert own.text[1] == "n/a<br>0 of 0"


def test_no_adversarial_pair_is_said(tmp_path: Path) -> None:
    layout = plot_adversarial(adversarial_table(campaign(tmp_path / "a.dnncov", adversarial=0))).layout
    assert layout.annotations[0].text == "None of 6 test pairs is adversarial"
    assert list(layout.yaxis.range) == [0, 100]


def test_axes_are_named_with_units(tmp_path: Path) -> None:
    layout = plot_adversarial(adversarial_table(campaign(tmp_path / "a.dnncov"))).layout
    assert layout.title.text == "Adversarial pairs by layer pair"
    assert layout.xaxis.title.text == "Layer pair (condition → decision)"
    assert layout.yaxis.title.text == "Share (%)"


def test_an_empty_table_says_so(tmp_path: Path) -> None:
    store = campaign(tmp_path / "a.dnncov", found=0, exhausted=3, adversarial=0)
    figure = plot_adversarial(adversarial_table(store))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No test pair yet"


def test_bars_by_decision_layer_name_their_layers(tmp_path: Path) -> None:
    figure = plot_adversarial(adversarial_table(branched(tmp_path / "a.dnncov"), By.DECISION_LAYER))
    own = figure.data[0]
    assert list(own.x) == ["3", "4", "5"]
    assert [list(data)[:2] for data in own.customdata] == [["2", 3], ["2, 3", 4], ["4", 5]]
    assert own.hovertext[1] == "<b>Decision layer 4</b>, module layer4<br>Condition layers: 2 (layer2), 3 (layer3)"
    assert figure.layout.title.text == "Adversarial pairs by decision layer"
    assert figure.layout.xaxis.title.text == "Decision layer"
    assert own.name == "of the decision layer's own test pairs"


@pytest.mark.parametrize("sample", [True, False])
def test_points_are_the_table_with_its_intervals(campaign: Path, sample: bool) -> None:
    """Where every test pair was tried, and all feature pairs were asked about, nothing is sampled."""
    with CampaignStore(campaign) as store:
        table = baselines_by_layer(store)
    table = dataclasses.replace(table, rows=tuple(dataclasses.replace(row, sample=sample) for row in table.rows))
    figure = plot_baseline_searches(table)
    assert [trace.name.split()[0] for trace in figure.data] == ["coverage-guided", "random", "projected"]
    assert len({trace.marker.symbol for trace in figure.data}) == 3
    for trace, name in zip(figure.data, ("searched", "random", "ascent"), strict=True):
        ratios = [getattr(row, name) for row in table.rows]
        assert list(trace.y) == pytest.approx([100 * ratio.value for ratio in ratios])
        for i, ratio in enumerate(ratios):
            low, high = ratio.interval() if sample else (ratio.value, ratio.value)
            assert trace.y[i] - trace.error_y.arrayminus[i] == pytest.approx(100 * low)
            assert trace.y[i] + trace.error_y.array[i] == pytest.approx(100 * high)
            assert list(trace.customdata[i][:2]) == [ratio.n, ratio.total]


def test_without_controls_it_says_so(tmp_path: Path) -> None:
    figure = plot_baseline_searches(baselines_by_layer(built(tmp_path / "a.dnncov")))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No baseline search yet"
