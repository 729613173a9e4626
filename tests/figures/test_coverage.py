from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dnncov_core.figures.coverage import plot_coverage, plot_suite_coverage
from dnncov_core.records import Outcome
from dnncov_core.statistics.coverage import CoverageTable, coverage_table
from dnncov_core.statistics.grouping import By
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer
from tests.builders import campaign, card
from tests.statistics.branches import branched
from tests.suites.made import baseline, covering, measurement, patterns


@pytest.fixture
def table(tmp_path: Path) -> CoverageTable:
    return coverage_table(campaign(tmp_path / "a.dnncov", pending=1))


def trace(figure, name: str):
    return next(trace for trace in figure.data if trace.name == name)


def test_bars_are_the_table(table: CoverageTable) -> None:
    bars = trace(plot_coverage(table), "covered")
    assert list(bars.x) == ["2 → 3", "3 → 4", "4 → 5"]
    assert list(bars.y) == pytest.approx([100 * row.covered.value for row in table.rows])
    assert [list(data) for data in bars.customdata] == [
        [str(*row.place.condition_layers), row.place.decision_layer, row.covered.n, row.covered.total]
        for row in table.rows
    ]


def test_every_bar_adds_up_to_all_test_conditions(table: CoverageTable) -> None:
    bars = [trace for trace in plot_coverage(table).data if trace.type == "bar"]
    assert [sum(parts) for parts in zip(*(bar.y for bar in bars), strict=True)] == pytest.approx([100] * 3)


def test_only_outcomes_that_occur_have_a_bar(table: CoverageTable) -> None:
    names = [trace.name for trace in plot_coverage(table).data if trace.type == "bar"]
    assert names == ["covered", "budget exhausted", "not tried yet"]
    assert table.total.count(Outcome.ERROR) == 0


def test_survivors_of_rounding_are_marked(table: CoverageTable) -> None:
    marks = trace(plot_coverage(table), "covered, and holds after rounding to 8 bits")
    assert list(marks.y) == pytest.approx([100 * row.holds_8bit.n / row.covered.total for row in table.rows])


def test_what_is_covered_with_effect_is_marked(table: CoverageTable) -> None:
    marks = trace(plot_coverage(table), "covered, with effect (needed)")
    assert list(marks.y) == pytest.approx([100 * row.with_effect.n / row.covered.total for row in table.rows])
    assert sum(data[2] for data in marks.customdata) == 2


def test_effects_that_are_not_known_are_not_marked(tmp_path: Path) -> None:
    figure = plot_coverage(coverage_table(campaign(tmp_path / "old.dnncov", needed=None)))
    assert not any("with effect" in (trace.name or "") for trace in figure.data)


def test_a_finished_sample_has_its_interval_for_all_feature_pairs(tmp_path: Path, table: CoverageTable) -> None:
    name = "of all feature pairs, with 95 % interval"
    finished = coverage_table(campaign(tmp_path / "b.dnncov"))
    marks = trace(plot_coverage(finished), name)
    for row, y, up, down in zip(finished.rows, marks.y, marks.error_y.array, marks.error_y.arrayminus, strict=True):
        low, high = row.covered.interval()
        assert (y, y + up, y - down) == pytest.approx((100 * row.covered.value, 100 * high, 100 * low))
    left = [row for row in table.rows if row.count(Outcome.PENDING)]
    assert left
    assert all(row.estimate is None for row in left)


def test_labels_show_numerator_and_denominator(table: CoverageTable) -> None:
    labels = next(trace for trace in plot_coverage(table).data if trace.type == "scatter" and trace.mode == "text")
    assert labels.text[0] == f"<b>{table.rows[0].covered.percent}</b><br>{table.rows[0].covered.counts}<br>(of 20)"


def test_axes_are_named_with_units(table: CoverageTable) -> None:
    layout = plot_coverage(table).layout
    assert layout.title.text == "SS coverage by layer pair"
    assert layout.xaxis.title.text == "Layer pair (condition → decision)"
    assert layout.yaxis.title.text == "Share of sampled test conditions (%)"


def test_all_feature_pairs_are_no_sample(table: CoverageTable) -> None:
    rows = [replace(row, available=row.covered.total) for row in (*table.rows, table.total)]
    every = replace(table, rows=tuple(rows[:-1]), total=rows[-1])
    figure = plot_coverage(every)
    assert figure.layout.yaxis.title.text == "Share of test conditions (%)"
    assert "(of" not in "".join(trace.text[0] for trace in figure.data if trace.text)


def test_a_layer_pair_that_the_sample_missed_is_named(tmp_path: Path) -> None:
    figure = plot_coverage(coverage_table(campaign(tmp_path / "a.dnncov", found=1, exhausted=1, adversarial=0)))
    labels = next(trace for trace in figure.data if trace.type == "scatter" and trace.mode == "text")
    assert labels.text[2] == "not sampled<br>(of 30)"


def test_the_title_says_where_the_numbers_come_from(table: CoverageTable) -> None:
    assert plot_coverage(table, source="net · SS · campaign a").layout.title.subtitle.text == "net · SS · campaign a"


def test_outcomes_differ_without_colour(table: CoverageTable) -> None:
    looks = [trace.marker.pattern.shape for trace in plot_coverage(table).data if trace.type == "bar"]
    assert looks[0] is None
    assert looks[1] == "/"


def test_an_empty_table_says_so(tmp_path: Path) -> None:
    figure = plot_coverage(coverage_table(campaign(tmp_path / "a.dnncov", found=0, exhausted=0, adversarial=0)))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No test condition yet"


def test_many_layers_carry_no_labels(tmp_path: Path) -> None:
    network = card(hidden=(3,) * 20)
    figure = plot_coverage(coverage_table(campaign(tmp_path / "a.dnncov", network=network, found=38)))
    assert not [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "text"]


def test_no_witness_has_no_mark(tmp_path: Path) -> None:
    table = coverage_table(campaign(tmp_path / "a.dnncov", found=1, exhausted=5, adversarial=0, survivors=0))
    assert list(trace(plot_coverage(table), "covered, and holds after rounding to 8 bits").y) == [0, None, None]


def test_bars_by_decision_layer_are_its_table(tmp_path: Path) -> None:
    table = coverage_table(branched(tmp_path / "a.dnncov"), By.DECISION_LAYER)
    figure = plot_coverage(table)
    bars = trace(figure, "covered")
    assert list(bars.x) == ["3", "4", "5"]
    assert list(bars.y) == pytest.approx([100 * row.covered.value for row in table.rows])
    assert list(bars.customdata[1]) == ["2, 3", 4, table.rows[1].covered.n, table.rows[1].covered.total]
    assert figure.layout.title.text == "SS coverage by decision layer"
    assert figure.layout.xaxis.title.text == "Decision layer"


def test_bars_are_the_measurement() -> None:
    measured = covering("ss", (10, 1386, 600))
    figure = plot_suite_coverage((measurement(measured), measured), source="net, suite digits")
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


def test_marks_of_a_measurement_are_what_is_covered_with_effect() -> None:
    measured = covering("ss", (10, 1386, 600), effect=(5, 693, 0), effect_bound="some tried")
    figure = plot_suite_coverage((measurement(measured), measured))
    marks = trace(figure, "covered, with effect (needed)")
    assert list(marks.x) == list(figure.data[0].x)
    assert list(marks.y) == pytest.approx([100 * 5 / 1474, 50, 0])
    assert [list(data)[2:] for data in marks.customdata] == [[5, 1474], [693, 1386], [0, 630]]
    assert [text.split("<br>")[-1] for text in marks.hovertext] == ["≥ 0.3 %", "≥ 50.0 %", "≥ 0 %"]


def test_many_layer_pairs_are_drawn_by_decision_layer() -> None:
    rows = tuple(MeasuredLayer(k, layer, 10, 5, 1, "") for layer in (3, 4, 5) for k in range(2, 22) if k <= 18 + layer)
    measured = MeasuredCriterion("ss", 10 * len(rows), 5 * len(rows), rows).readable
    figure = plot_suite_coverage((measurement(measured), measured))
    assert list(figure.data[0].x) == ["3", "4", "5"]
    assert list(figure.data[0].customdata[0]) == [100, 200]
    assert "Condition layers: 2 (layer2), 3 (layer3), 4 (layer4)" in figure.data[0].hovertext[0]
    assert figure.layout.title.text == "SS coverage by decision layer"
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == (
        "Decision layer",
        "Share of test conditions (%)",
    )


def test_neurons_are_by_layer() -> None:
    measured = baseline("tn:2", (60, 22, 63))
    figure = plot_suite_coverage((measurement(measured), measured))
    assert list(figure.data[0].x) == ["2", "3", "4"]
    assert figure.data[0].hovertext[0] == "<b>Layer 2</b>, module layer2"
    assert figure.layout.title.text == "TN coverage by layer, m = 2"
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("Layer", "Share of neurons (%)")


def test_titles_name_the_value_function() -> None:
    measured = covering("sv:nb", (10, 1386, 600))
    title = plot_suite_coverage((measurement(measured), measured)).layout.title.text
    assert title == "SV coverage by layer pair, g: NB"


def test_many_layers_have_no_labels() -> None:
    rows = tuple(MeasuredLayer(None, k, 10, 5, None, "") for k in range(2, 30))
    measured = MeasuredCriterion("n", 280, 140, rows)
    assert len(plot_suite_coverage((measurement(measured), measured)).data) == 2


def test_nothing_by_layer_says_so() -> None:
    figure = plot_suite_coverage((measurement(patterns(4)), patterns(4)))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No test condition"
