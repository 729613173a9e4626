from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dnncov_core.figures import plot_coverage
from dnncov_core.records import Outcome
from dnncov_core.statistics import By, CoverageTable, coverage_table
from tests.builders import campaign, card
from tests.statistics.branches import branched


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
