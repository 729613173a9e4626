"""The paper's main table as figures: coverage M and AE rate of several campaigns, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap
from typing import NamedTuple

import plotly.graph_objects as go

from dnncov_core.figures.style import (
    FAINT,
    GREY,
    INK,
    Look,
    as_text,
    ends_of,
    interval_hover,
    look_of,
    new_figure,
    whiskers,
)
from dnncov_core.ratios import Estimate, Ratio
from dnncov_core.statistics.main_table import MainCell, MainTable
from dnncov_core.statistics.samples import Interval

ROW, LINE = 34, 17
"""Height of a campaign's row, and of each line of a name that has more than two, in pixels."""
LETTERS = 24
"""Of a line of a campaign's name at most, so that half of a page leaves room for the points."""
PAPERS = "the paper's (its own networks and seeds)"
ABOVE, BELOW = 84, 150
"""Height of title and of axis and legend, in pixels: the same in both figures, so that their rows are in line."""
AXIS = 60
"""Height of ticks and title of the axis, in pixels, below which the legend begins."""


def plot_main_coverage(
    table: MainTable, *, paper: bool = False, order: Sequence[str] = (), source: str = ""
) -> go.Figure:
    """A point for each campaign: the share of its test conditions that have a witness; a second one, with effect.

    Of a stratified sample it is what that says of all feature pairs. ``customdata`` holds campaign, n, total, and the
    ends of the interval in per cent.
    """
    figure = _figure(table, "Coverage M", "Covered test conditions (%)", source)
    looks = _looks(table.cells, order)
    covered = [_of_all(cell.covered, cell.estimate) for cell in table.cells]
    figure.add_traces(_points(table.cells, covered, "coverage M", looks))
    if any(cell.with_effect.total for cell in table.cells):
        shown = [_of_all(cell.with_effect, cell.with_effect_estimate) for cell in table.cells]
        figure.add_traces(_points(table.cells, shown, "covered, with effect", _hollow(looks)))
    if paper:
        figure.add_trace(_papers(table, [cell.paper.coverage if cell.paper else None for cell in table.cells]))
    return figure


def plot_main_adversarial(
    table: MainTable, *, paper: bool = False, order: Sequence[str] = (), source: str = ""
) -> go.Figure:
    """A point for each campaign: the share of its test pairs that are adversarial, beside what baseline searches find.

    ``customdata`` holds campaign, n, total, and the ends of the interval in per cent. Baseline searches have one where
    they started at a sample of the test pairs, too.
    """
    figure = _figure(table, "AE rate", "Adversarial test pairs (%)", source)
    cells = table.cells
    for name, title, symbol in (
        ("random", "baseline search: random perturbations", "square-open"),
        ("ascent", "baseline search: gradient ascent (PGD)", "circle-open"),
    ):
        searches = [(getattr(cell.baselines, name), cell.baselines.interval(name)) for cell in cells]
        if any(found.total for found, _ in searches):
            points = [_Point(found, found.value, interval) for found, interval in searches]
            figure.add_traces(_points(cells, points, title, [Look(GREY, symbol=symbol)] * len(cells)))
    own = [_Point(cell.adversarial, cell.adversarial.value, cell.adversarial_interval) for cell in cells]
    figure.add_traces(_points(cells, own, "AE rate of the campaign", _looks(cells, order)))
    if paper:
        figure.add_trace(_papers(table, [cell.paper.adversarial if cell.paper else None for cell in cells]))
    return figure


def _figure(table: MainTable, title: str, x: str, source: str) -> go.Figure:
    figure = new_figure(title=title, x=x, y="", source=source, empty="" if table.cells else "No campaign")
    names = _names(table.cells)
    plot = max([ROW, *(LINE * (name.count("<br>") + 1) for name in names)]) * max(len(names), 2)
    figure.update_layout(
        height=ABOVE + BELOW + plot,
        margin={"b": BELOW, "l": 16},
        legend={"y": -AXIS / plot},
        scattermode="group",
        scattergap=0.35,
        showlegend=True,
    )
    figure.update_xaxes(range=[-2, 106], tickvals=[0, 20, 40, 60, 80, 100], showgrid=True, gridcolor=FAINT)
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=names[::-1])
    return figure


def _looks(cells: Sequence[MainCell], order: Sequence[str]) -> list[Look]:
    """The look of each campaign, which is its own in all figures of a comparison."""
    return [look_of(cell.name, order, place) for place, cell in enumerate(cells)]


def _hollow(looks: Sequence[Look]) -> list[Look]:
    return [replace(look, symbol=f"{look.symbol}-open") for look in looks]


def _names(cells: Sequence[MainCell]) -> list[str]:
    return ["<br>".join(map(as_text, wrap(cell.name, LETTERS))) for cell in cells]


class _Point(NamedTuple):
    """What was counted, and the share that is drawn, a fraction, with its interval."""

    counted: Ratio
    share: float | None
    interval: Interval | None
    weighted: bool = False

    @property
    def hover(self) -> str:
        """What stands below the name, with the share that is drawn."""
        if self.share is None:
            return ""
        counts = f"{self.counted.n:,} of {self.counted.total:,}"
        of = f" of all feature pairs, by the sizes of the layer pairs<br>{counts} asked" if self.weighted else ""
        shown = f"{'about ' * self.weighted}{100 * self.share:.1f} %{of or f' ({counts})'}"
        return f"{shown}<br>{interval_hover(self.interval)}"


def _of_all(counted: Ratio, estimate: Estimate | None) -> _Point:
    """The share that was counted, or what a sample says of all if that is another one."""
    if estimate is None:
        return _Point(counted, counted.value, None)
    return _Point(counted, estimate.share, estimate.interval, estimate.weighted)


def _points(cells: Sequence[MainCell], points: Sequence[_Point], name: str, looks: Sequence[Look]) -> list[go.Scatter]:
    """A mark for each campaign, and where they look different, an entry of the legend that stands for all of them."""
    shares = [None if point.share is None else 100 * point.share for point in points]
    ends = ends_of(shares, [point.interval for point in points])
    line = {"color": [look.colour for look in looks], "width": 2}
    neutral = [] if len(set(looks)) < 2 else [_entry(name, looks[0])]
    marks = _row_marks(
        cells,
        name,
        shares,
        showlegend=not neutral,
        marker={"color": line["color"], "symbol": [look.symbol for look in looks], "size": 10, "line": line},
        error_x={**whiskers(shares, ends, INK), "visible": any(point.interval for point in points)},
        customdata=[
            [cell.campaign, point.counted.n, point.counted.total, *interval]
            for cell, point, interval in zip(cells, points, ends, strict=True)
        ],
        hovertext=[point.hover for point in points],
        hovertemplate=f"<b>%{{y}}</b><br>{name}: %{{hovertext}}<extra></extra>",
    )
    return [marks, *neutral]


def _entry(name: str, look: Look) -> go.Scatter:
    """Nothing but an entry of the legend, in no campaign's colour."""
    hollow = look.symbol.endswith("-open")
    marker = {"color": GREY, "symbol": f"circle{'-open' * hollow}", "size": 10, "line": {"color": GREY, "width": 2}}
    words = f"{name} ({'hollow' if hollow else 'filled'} marks)"
    return go.Scatter(name=words, mode="markers", x=[None], y=[None], marker=marker)


def _papers(table: MainTable, figures: Sequence[float | None]) -> go.Scatter:
    marker = {"color": GREY, "symbol": "line-ns-open", "size": 18, "line": {"color": GREY, "width": 3}}
    hover = "<b>%{y}</b><br>the paper reports %{x:.1f} %<extra></extra>"
    return _row_marks(table.cells, PAPERS, figures, marker=marker, hovertemplate=hover)


def _row_marks(cells: Sequence[MainCell], name: str, x: Sequence[float | None], **more: object) -> go.Scatter:
    """A mark in the row of each campaign, beside those of other names."""
    group = {"mode": "markers", "orientation": "h", "offsetgroup": name, "cliponaxis": False}
    return go.Scatter(name=name, x=x, y=_names(cells), **group, **more)
