"""Coverage by layer: a bar for all test conditions of a row, split by how they ended or whether a suite meets them."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dnncov_core.figures.axes import LAYERS, at_layers, layer_hover, layer_tick, name_layers
from dnncov_core.figures.style import (
    COVERED,
    FAINT,
    HEIGHT,
    INK,
    MOST_LABELS,
    OUTCOME_LOOKS,
    SKY,
    YELLOW,
    as_text,
    bar_marker,
    ends_of,
    in_per_cent,
    interval_hover,
    new_figure,
    whiskers,
)
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome
from dnncov_core.statistics.coverage import TARGET_OUTCOMES, CoverageRow, CoverageTable
from dnncov_core.statistics.grouping import By, Place
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer, StoredMeasurement

SIZES = {"diamond": 15, "circle": 11}
"""Of marks in pixels: a circle leaves a diamond at the same place to be seen."""
FEW = 4
"""Bars beside each other that leave room for words in a window of 390 pixels."""
LINE, PIXELS = 12.0, 1.3
"""The height of a line of words in per cent, and of one per cent in pixels."""
ABOVE_MARKS = 107
"""Per cent at which words stand above a bar, and above its marks."""


def plot_coverage(table: CoverageTable, *, source: str = "") -> go.Figure:
    """Stacked bars of shares; ``customdata`` holds condition layers, decision layer, count, total."""
    figure = new_figure(
        title=f"{table.criterion} coverage by {table.by.value}",
        x=LAYERS[table.by],
        y=f"Share of {'sampled ' if table.total.is_sample else ''}test conditions (%)",
        source=source,
        empty="" if table.total.covered.total else "No test condition yet",
    )
    if not table.total.covered.total:
        return figure
    for outcome in TARGET_OUTCOMES:
        if outcome is Outcome.FOUND or table.total.count(outcome):
            figure.add_trace(_outcome_bars(table, outcome))
    if any(row.estimate for row in table.rows):
        figure.add_trace(_estimates(table))
    if table.total.holds_8bit.total:
        survivors = [row.holds_8bit for row in table.rows]
        figure.add_trace(_marks(table, "covered, and holds after rounding to 8 bits", survivors, "diamond", YELLOW))
    if table.total.with_effect.total and table.total.covered.n:
        shown = [row.with_effect for row in table.rows]
        figure.add_trace(_marks(table, f"covered, with effect ({table.effect})", shown, "circle", SKY))
    if len(table.rows) <= MOST_LABELS:
        figure.add_trace(_labels(table))
    figure.update_layout(barmode="stack")
    _make_room(figure, len(table.rows), 3 if table.total.is_sample else 2)
    name_layers(figure, table.places, table.by)
    return figure


def _share(n: int, total: int) -> float:
    return 100 * n / total if total else 0.0


def _outcome_bars(table: CoverageTable, outcome: Outcome) -> go.Bar:
    look = OUTCOME_LOOKS[outcome]
    return go.Bar(
        name=look.name,
        y=[_share(row.count(outcome), row.covered.total) for row in table.rows],
        **at_layers(table.places, table.by, [Ratio(row.count(outcome), row.covered.total) for row in table.rows]),
        marker=bar_marker(look.colour, look.hatching),
        hovertemplate=f"%{{hovertext}}<br>{look.name}: %{{y:.2f}} % (%{{customdata[2]:,}} of %{{customdata[3]:,}})"
        "<extra></extra>",
    )


def _marks(table: CoverageTable, name: str, ratios: Sequence[Ratio], symbol: str, colour: str) -> go.Scatter:
    """A mark in each bar at what some of its covered test conditions are of all; none where nothing was counted."""
    heights = [
        _share(ratio.n, row.covered.total) if ratio.total else None
        for row, ratio in zip(table.rows, ratios, strict=True)
    ]
    return marks_at(heights, name, symbol, colour, **at_layers(table.places, table.by, ratios))


def marks_at(y: Sequence[float | None], name: str, symbol: str, colour: str, **where: object) -> go.Scatter:
    """Marks on bars, at heights in per cent; ``where`` has places, hover texts, and counts with their totals."""
    return go.Scatter(
        name=name,
        mode="markers",
        cliponaxis=False,
        y=y,
        **where,
        marker={"symbol": symbol, "size": SIZES[symbol], "color": colour, "line": {"color": "#000000", "width": 1.5}},
        hovertemplate=f"%{{hovertext}}<br>{name}: %{{customdata[2]:,}} of %{{customdata[3]:,}}<extra></extra>",
    )


def _estimates(table: CoverageTable) -> go.Scatter:
    """What the sample of each row says of all its feature pairs, as a dash with its interval."""
    shares = [None if row.estimate is None else 100 * row.estimate.share for row in table.rows]
    intervals = [None if row.estimate is None else row.estimate.interval for row in table.rows]
    where = at_layers(table.places, table.by, [row.covered for row in table.rows])
    where["hovertext"] = [
        f"{hover}<br>{interval_hover(interval)}" for hover, interval in zip(where["hovertext"], intervals, strict=True)
    ]
    return go.Scatter(
        name="of all feature pairs, with 95 % interval",
        mode="markers",
        cliponaxis=False,
        y=shares,
        **where,
        marker={"symbol": "line-ew-open", "size": 14, "color": INK, "line": {"width": 2.5}},
        error_y=whiskers(shares, ends_of(shares, intervals), INK, thickness=2.5, width=5),
        hovertemplate="%{hovertext}<br>about %{y:.1f} % of all feature pairs<extra></extra>",
    )


def _label(row: CoverageRow) -> str:
    if not row.covered.total:
        return f"not sampled<br>(of {row.available:,})"
    of = f"<br>(of {row.available:,})" if row.is_sample else ""
    return f"<b>{row.covered.percent}</b><br>{row.covered.counts}{of}"


def _labels(table: CoverageTable) -> go.Scatter:
    raised = _raised(len(table.rows), 3 if table.total.is_sample else 2)
    heights = [ABOVE_MARKS + more if row.covered.total else 0 for row, more in zip(table.rows, raised, strict=True)]
    where = at_layers(table.places, table.by, [row.covered for row in table.rows])
    return _words(where["x"], heights, [_label(row) for row in table.rows], customdata=where["customdata"])


def _raised(n: int, lines: int) -> list[float]:
    """By how many per cent words above ``n`` bars are raised: of many, every other one, so that they fit beside it."""
    return [LINE * lines if n > FEW and place % 2 else 0.0 for place in range(n)]


def _make_room(figure: go.Figure, n: int, lines: int) -> None:
    """Gives words of so many lines above ``n`` bars their room, and bars the height that they have without."""
    raised = max(_raised(n, lines)) if n <= MOST_LABELS else 0
    figure.update_yaxes(range=[0, ABOVE_MARKS - 1 + 8 * lines + raised], tickvals=[0, 20, 40, 60, 80, 100])
    figure.update_layout(height=HEIGHT + PIXELS * raised)


def _words(x: Sequence[str], y: Sequence[float], text: Sequence[str], **more: object) -> go.Scatter:
    """Words above bars."""
    look = {"mode": "text", "textposition": "top center", "hoverinfo": "skip", "showlegend": False}
    return go.Scatter(x=x, y=y, text=text, cliponaxis=False, **look, **more)


def plot_suite_coverage(table: tuple[StoredMeasurement, MeasuredCriterion], *, source: str = "") -> go.Figure:
    """Stacked bars of one criterion's shares, met and not met, by layer; ``customdata`` holds count and total."""
    measurement, measured = table
    rows = [row for row in measured.rows if row.total]
    pairs = any(row.condition_layers for row in rows)
    by = By.LAYER_PAIR if pairs and not measured.by_decision_layer else By.DECISION_LAYER
    key = measured.key.upper()
    figure = new_figure(
        title=f"{key} coverage by {by.value if pairs else 'layer'}{as_text(measured.name.removeprefix(key))}",
        x=LAYERS[by] if pairs else "Layer",
        y="Share of test conditions (%)" if pairs else "Share of neurons (%)",
        source=source,
        empty="" if rows else "No test condition",
    )
    if not rows:
        return figure
    places = [_place(row, measurement) for row in rows]
    names, hovers = [layer_tick(place, by) for place in places], [_hover(place, by) for place in places]
    bounds = [f"<br>a lower bound: {as_text(row.bound)}" if row.is_bound else "" for row in rows]
    met = [f"{hover}{bound}" for hover, bound in zip(hovers, bounds, strict=True)]
    figure.add_trace(_met_bars(names, met, "covered", [row.ratio for row in rows], COVERED))
    left = [Ratio(row.total - row.covered, row.total) for row in rows]
    figure.add_trace(_met_bars(names, hovers, "not covered", left, FAINT))
    if measured.shown is not None:
        shown = [row for row in measured.shown.rows if row.total]
        counts = [["", "", row.covered, row.total] for row in shown]
        met = [f"{hover}<br>{row.percent}" for hover, row in zip(hovers, shown, strict=True)]
        heights, name = in_per_cent([row.ratio for row in shown]), f"covered, with effect ({measurement.spec.effect})"
        figure.add_trace(marks_at(heights, name, "circle", SKY, x=names, customdata=counts, hovertext=met))
    if len(rows) <= MOST_LABELS:
        texts = [f"<b>{row.percent}</b><br>{row.ratio.counts}" for row in rows]
        figure.add_trace(_words(names, [ABOVE_MARKS + raised for raised in _raised(len(rows), 2)], texts))
    figure.update_layout(barmode="stack")
    _make_room(figure, len(rows), 2)
    name_layers(figure, places, by)
    return figure


def _place(row: MeasuredLayer, measurement: StoredMeasurement) -> Place:
    names = tuple(measurement.layers.get(k, "") for k in row.condition_layers)
    return Place(row.condition_layers, row.layer, names, measurement.layers.get(row.layer, ""))


def _hover(place: Place, by: By) -> str:
    if place.condition_layers:
        return layer_hover(place, by)
    return f"<b>Layer {place.decision_layer}</b>, module {as_text(place.decision_name)}"


def _met_bars(x: Sequence[str], hovers: Sequence[str], name: str, counts: Sequence[Ratio], colour: str) -> go.Bar:
    return go.Bar(
        name=name,
        x=x,
        y=[100 * (ratio.value or 0.0) for ratio in counts],
        customdata=[[ratio.n, ratio.total] for ratio in counts],
        hovertext=hovers,
        marker=bar_marker(colour),
        hovertemplate=f"%{{hovertext}}<br>{name}: %{{y:.2f}} % (%{{customdata[0]:,}} of %{{customdata[1]:,}})"
        "<extra></extra>",
    )
