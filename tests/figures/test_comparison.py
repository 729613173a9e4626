"""Figures of several campaigns: they draw their tables, and tell campaigns apart without colour."""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.export import comparison_captions
from dnncov_core.figures.distances import plot_distance_curve
from dnncov_core.figures.layerwise import SHARES, plot_layerwise
from dnncov_core.figures.main_table import plot_main_adversarial, plot_main_coverage
from dnncov_core.figures.methods import CHANGED, plot_method
from dnncov_core.figures.programmes import plot_programmes
from dnncov_core.figures.style import GREY, campaign_look
from dnncov_core.figures.top_weights import plot_top_weights
from dnncov_core.programme_costs import ProgrammeSeries, programme_series, programme_table
from dnncov_core.ratios import percentage
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.distances import distance_curve
from dnncov_core.statistics.layerwise import layerwise_table
from dnncov_core.statistics.main_table import MainTable, main_table
from dnncov_core.statistics.samples import stratified_estimate
from dnncov_core.statistics.top_weights import weights_table
from tests.builders import campaign, card, costly, named


def made(folder: Path, name: str, network: str = "mnist-n8", *, found: int = 6, **changes: object) -> CampaignStore:
    spec = CampaignSpec(network, "mnist", **{"effect": "none"} | changes)
    return campaign(folder / f"{name}.dnncov", spec=spec, found=found, adversarial=found // 2)


def test_the_main_table_is_drawn_with_its_intervals(tmp_path: Path) -> None:
    table = main_table(named([made(tmp_path, "a"), made(tmp_path, "b", "cifar10-cnn", found=5)]))
    for plot, field, place in (
        (plot_main_coverage, "covered", 0),
        (plot_main_coverage, "with_effect", 1),
        (plot_main_adversarial, "adversarial", 0),
    ):
        figure = plot(table, paper=True)
        *drawn, paper = [trace for trace in figure.data if trace.x != (None,)]
        own = drawn[place]
        for at, cell in enumerate(table.cells):
            ratio, (low, high) = getattr(cell, field), getattr(cell, field).interval()
            assert (own.x[at], own.y[at]) == (pytest.approx(100 * ratio.n / ratio.total), cell.name)
            assert own.x[at] + own.error_x.array[at] == pytest.approx(100 * high)
            assert own.x[at] - own.error_x.arrayminus[at] == pytest.approx(100 * low)
            assert list(own.customdata[at][:3]) == [cell.campaign, ratio.n, ratio.total]
        assert list(paper.x) == [None, 8.4 if field == "adversarial" else 99.8]
        assert len(drawn) == (1 if field == "adversarial" else 2)
        assert len(plot(table).data) == len(figure.data) - 1


def test_of_a_stratified_sample_it_is_drawn_what_that_says_of_all(tmp_path: Path) -> None:
    store = made(tmp_path, "a", pairs=8, sampling="even")
    table = main_table(named([store]))
    (cell,) = table.cells
    rows = coverage_table(store).rows
    for trace, field, strata in zip(
        plot_main_coverage(table).data,
        ("covered", "with_effect"),
        ([(row.available, getattr(row, name)) for row in rows] for name in ("covered", "with_effect")),
        strict=True,
    ):
        ratio, estimate = getattr(cell, field), stratified_estimate(strata)
        assert estimate is not None
        assert estimate.share != pytest.approx(ratio.n / ratio.total)
        assert trace.x[0] == pytest.approx(100 * estimate.share)
        assert trace.x[0] - trace.error_x.arrayminus[0] == pytest.approx(100 * estimate.interval[0])
        assert trace.x[0] + trace.error_x.array[0] == pytest.approx(100 * estimate.interval[1])
        assert list(trace.customdata[0][1:3]) == [ratio.n, ratio.total]
        assert "by the sizes of the layer pairs" in trace.hovertext[0]
    assert cell.estimate is not None
    caption, share = comparison_captions.main_coverage(table), percentage(cell.estimate.share)
    counted = f"{cell.covered.counts} test conditions, by the sizes of the layer pairs"
    assert caption.summary == f"Coverage M is about {share} in “{cell.name}” ({counted})."
    assert f"{cell.covered.display()}, about {share} of all feature pairs, " in str(caption)
    layers = layerwise_table(named([store]))
    bars = plot_layerwise((layers, "covered")).data[0]
    own = [row.covered.interval()[1] - row.covered.n / row.covered.total for row in rows]
    assert list(bars.error_y.array) == pytest.approx([100 * each for each in own])
    assert bars.error_y.visible


def test_an_entry_of_the_legend_that_stands_for_several_campaigns_has_the_colour_of_none(tmp_path: Path) -> None:
    stores = [made(tmp_path, "a"), made(tmp_path, "b", "cifar10-cnn")]
    both, one = main_table(named(stores)), main_table(named(stores[:1]))
    for plot, names in (
        (plot_main_coverage, ["coverage M (filled marks)", "covered, with effect (hollow marks)"]),
        (plot_main_adversarial, ["AE rate of the campaign (filled marks)"]),
    ):
        entries = [trace for trace in plot(both).data if trace.showlegend is not False]
        assert [(trace.name, trace.marker.color) for trace in entries] == [(name, GREY) for name in names]
        own = plot(one).data[0]
        assert (own.showlegend, own.marker.color) == (True, (campaign_look(0).colour,))


def test_controls_stand_beside_ae(campaign: Path) -> None:
    with CampaignStore(campaign) as store:
        table = main_table(named([store]))
    figure = plot_main_adversarial(table)
    assert [trace.name for trace in figure.data][:2] == [
        "baseline search: random perturbations",
        "baseline search: gradient ascent (PGD)",
    ]
    control = table.cells[0].baselines
    assert [trace.x[0] for trace in figure.data[:2]] == [
        pytest.approx(100 * ratio.n / ratio.total) for ratio in (control.random, control.ascent)
    ]
    assert list(figure.data[2].error_x.array) == [0.0]  # all pairs, no sample


def test_without_campaigns_it_says_so() -> None:
    assert plot_main_coverage(MainTable((), ())).layout.annotations[0].text == "No campaign"


def test_long_names_of_campaigns_have_several_lines_and_taller_rows(tmp_path: Path) -> None:
    store, long = made(tmp_path, "a"), " ".join(["mnist-n1 <b>"] * 9)
    figure = plot_main_coverage(main_table({long: store}))
    lines = figure.data[0].y[0].split("<br>")
    assert max(map(len, map(html.unescape, lines))) <= 30
    assert html.unescape(" ".join(lines)) == long
    assert "<b>" not in "".join(lines)
    assert figure.layout.height > plot_main_coverage(main_table({"short": store})).layout.height


@pytest.mark.parametrize("share", SHARES)
def test_bars_are_the_table(tmp_path: Path, share: str) -> None:
    table = layerwise_table({"one": made(tmp_path, "a"), "two": made(tmp_path, "b", found=8)})
    figure = plot_layerwise((table, share))
    assert [trace.name for trace in figure.data] == ["one", "two"]
    for trace, series in zip(figure.data, table.series, strict=True):
        ratios = getattr(series, share)
        assert list(trace.y) == [pytest.approx(100 * ratio.n / ratio.total) for ratio in ratios]
        assert [list(each[2:]) for each in trace.customdata] == [[ratio.n, ratio.total] for ratio in ratios]
        assert trace.error_y.visible == (share != "of_adversarial")
        if share != "of_adversarial":
            ends = [ratio.interval()[1] for ratio in ratios]
            assert [y + up for y, up in zip(trace.y, trace.error_y.array, strict=True)] == pytest.approx(
                [100 * end for end in ends]
            )
    assert figure.data[0].marker.pattern.shape != figure.data[1].marker.pattern.shape


def test_networks_of_other_depths_share_the_axis_in_order(tmp_path: Path) -> None:
    deep = campaign(tmp_path / "deep.dnncov", network=card(hidden=(5, 4, 3, 3)))
    figure = plot_layerwise((layerwise_table({"short": made(tmp_path, "a"), "deep": deep}), "covered"))
    assert list(figure.layout.xaxis.categoryarray) == ["2 → 3", "3 → 4", "4 → 5", "5 → 6"]


def test_the_first_36_campaigns_look_all_different_in_black_and_white_and_colour() -> None:
    looks = [campaign_look(place) for place in range(36)]
    for second in ("dash", "hatching", "symbol"):
        assert len({(look.colour, getattr(look, second)) for look in looks}) == 36
        assert len({getattr(look, second) for look in looks[:6]}) == 6


def test_a_campaign_has_one_look_in_all_figures_also_where_others_are_not_drawn(tmp_path: Path) -> None:
    """The first has no adversarial pair, and so no curve."""
    stores = {"one": made(tmp_path, "a", found=1), "two": made(tmp_path, "b", found=8)}
    look, order = campaign_look(1), tuple(stores)
    curves = plot_distance_curve([distance_curve(store, name) for name, store in stores.items()], order=order)
    assert (curves.data[0].name[:4], curves.data[0].line.color) == ("two:", look.colour)
    bars = plot_layerwise((layerwise_table(stores), "of_adversarial"), order=order)
    assert [(bar.name, bar.marker.line.color) for bar in bars.data] == [("two", look.colour)]
    for plot in (plot_main_coverage, plot_main_adversarial):
        own = next(trace for trace in plot(main_table(stores), order=order).data if "baseline" not in trace.name)
        assert (own.marker.color[1], own.marker.symbol[1]) == (look.colour, look.symbol)


@pytest.mark.parametrize("log", [False, True])
def test_bands_hold_their_curve(tmp_path: Path, log: bool) -> None:
    curves = [distance_curve(made(tmp_path, "a"), "one"), distance_curve(made(tmp_path, "b", found=8), "two")]
    figure = plot_distance_curve(curves, bands=True, log=log)
    upper, lower = figure.data[:2]
    steps = next(trace for trace in figure.data if trace.name.startswith("one:"))
    share = dict(zip(steps.x, steps.y, strict=True))
    assert curves[0].band is not None
    for x, high, low in zip(upper.x, upper.y, lower.y, strict=True):
        y = share.get(x, 0.0)
        assert high == pytest.approx(min(100.0, y + 100 * curves[0].band))
        assert low == pytest.approx(max(0.0, y - 100 * curves[0].band))
    assert lower.fill == "tonexty"
    assert len(plot_distance_curve(curves, log=log).data) == len(figure.data) - 5
    assert "95 % band for the whole curve" in [trace.name for trace in figure.data if trace.showlegend is None]
    alone = [
        trace.name for trace in plot_distance_curve(curves[:1], bands=True, log=log).data if trace.showlegend is None
    ]
    assert "95 % band for the whole curve" in alone


def test_differences_by_top_weights_are_drawn_with_their_intervals(tmp_path: Path) -> None:
    rows = weights_table(named([made(tmp_path, "a", found=4), made(tmp_path, "b", found=7, top_weights=10)]))
    figure = plot_top_weights(rows)
    assert [trace.y[0] for trace in figure.data] == pytest.approx([100 * (4 / 6 - 7 / 9), 100 * (2 / 4 - 3 / 7)])
    for trace, interval in zip(figure.data, (rows[0].covered_interval, rows[0].adversarial_interval), strict=True):
        assert interval is not None
        assert trace.y[0] + trace.error_y.array[0] == pytest.approx(100 * interval[1])
        assert trace.y[0] - trace.error_y.arrayminus[0] == pytest.approx(100 * interval[0])
    assert plot_top_weights(()).layout.annotations[0].text.startswith("No two campaigns")


def test_programmes_are_drawn_beside_the_papers(tmp_path: Path) -> None:
    with campaign(tmp_path / "a.dnncov", network=card(hidden=(78, 62, 73, 47)), solved=costly) as store:
        rows = programme_table(store)
        assert [(each.name, each.rows) for each in programme_series({"one": store})] == [("one", rows)]
    series = ProgrammeSeries("one", "a", "mnist-n8", rows)
    figure = plot_programmes([series, ProgrammeSeries("none", "b", "toy", ())], paper=True)
    own, paper = figure.data
    assert list(own.y) == [row.seconds_mean for row in rows]
    assert list(paper.y) == [0.58, 0.84, 0.87, 0.91][: len(paper.y)]
    assert paper.marker.color == own.marker.color
    two = plot_programmes([series, replace(series, name="two")], paper=True)
    assert two.data[-1].marker.color == GREY
    assert len(plot_programmes([series]).data) == 1
    assert plot_programmes([]).layout.annotations[0].text == "No linear programme"


@pytest.mark.parametrize("key", CRITERIA)
def test_a_method_shows_its_two_changes(key: str) -> None:
    traces = {trace.name: trace for trace in plot_method(CRITERIA[key]).data}
    for role in ("condition", "decision"):
        change = getattr(CRITERIA[key], role)
        assert (traces[role].marker.color, traces[role].marker.symbol) == CHANGED[change]
