"""Adversarial pairs by layer: their share over two denominators, and beside baseline searches with the same budgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dnncov_core.figures.axes import LAYERS, at_layers, layer_hover, layer_tick, name_layers
from dnncov_core.figures.style import (
    ADVERSARIAL,
    GREY,
    MOST_LABELS,
    PURPLE,
    SKY,
    Look,
    bar_marker,
    ends_of,
    in_per_cent,
    interval_hover,
    new_figure,
    say,
    whiskers,
)
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.adversarial import AdversarialTable, BaselinesByLayer

SEARCH_LOOKS: Mapping[str, Look] = {
    "searched": Look(ADVERSARIAL, name="coverage-guided search (test condition holds)"),
    "random": Look(GREY, symbol="square-open", name="random perturbations"),
    "ascent": Look(PURPLE, symbol="diamond", name="projected gradient ascent (PGD)"),
}
"""How each search is drawn, by the field of a row that has what it found."""


def plot_adversarial(table: AdversarialTable, *, source: str = "") -> go.Figure:
    """Two bars for each row; ``customdata`` holds condition layers, decision layer, adversarial pairs, denominator."""
    figure = new_figure(
        title=f"Adversarial pairs by {table.by.value}",
        x=LAYERS[table.by],
        y="Share (%)",
        source=source,
        empty="" if table.total.of_pairs.total else "No test pair yet",
    )
    if not table.total.of_pairs.total:
        return figure
    own = [row.of_pairs for row in table.rows]
    overall = [row.of_adversarial for row in table.rows]
    figure.add_trace(_bars(table, own, f"of the {table.by.value}'s own test pairs", bar_marker(ADVERSARIAL)))
    figure.add_trace(_bars(table, overall, "of all adversarial pairs (the paper's reading)", bar_marker(SKY, "/")))
    figure.update_layout(barmode="group", bargap=0.2, bargroupgap=0.06)
    highest = max((100 * ratio.n / ratio.total for ratio in (*own, *overall) if ratio.total), default=0.0)
    labelled = len(table.rows) <= MOST_LABELS // 2
    figure.update_yaxes(range=[0, 1.18 * highest or 100], showgrid=not labelled)  # lines would go through the labels
    if not table.total.of_pairs.n:
        say(figure, f"None of {table.total.of_pairs.total:,} test pairs is adversarial")
    name_layers(figure, table.places, table.by)
    return figure


def _bars(table: AdversarialTable, ratios: Sequence[Ratio], name: str, marker: dict[str, object]) -> go.Bar:
    labelled = len(ratios) <= MOST_LABELS // 2
    return go.Bar(
        name=name,
        y=in_per_cent(ratios),
        **at_layers(table.places, table.by, ratios),
        text=[f"{ratio.percent}<br>{ratio.counts}" for ratio in ratios] if labelled else None,
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 12},
        marker=marker,
        hovertemplate="%{hovertext}<br>%{y:.2f} % (%{customdata[2]:,} of %{customdata[3]:,})"
        f"<br>{name}<extra></extra>",
    )


def plot_baseline_searches(table: BaselinesByLayer, *, source: str = "") -> go.Figure:
    """A point for each search and row, with its Clopper-Pearson interval where the test pairs are a sample.

    ``customdata`` holds n, total, the ends of the interval in per cent, and the interval in words.
    """
    n = table.total.searched.total
    figure = new_figure(
        title="Adversarial inputs with the same budget",
        x=LAYERS[table.by],
        y="Test pairs with an adversarial x2 (%)",
        source=source,
        empty="" if n else "No baseline search yet",
    )
    if not n:
        return figure
    for field, look in SEARCH_LOOKS.items():
        figure.add_trace(_points(table, field, look))
    figure.update_layout(scattermode="group", scattergap=0.6)
    figure.update_yaxes(range=[0, 104])
    name_layers(figure, table.places, table.by)
    return figure


def _points(table: BaselinesByLayer, field: str, look: Look) -> go.Scatter:
    ratios: list[Ratio] = [getattr(row, field) for row in table.rows]
    shares, intervals = in_per_cent(ratios), [row.interval(field) for row in table.rows]
    ends = ends_of(shares, intervals)
    return go.Scatter(
        name=look.name,
        mode="markers",
        cliponaxis=False,
        x=[layer_tick(place, table.by) for place in table.places],
        y=shares,
        offsetgroup=look.name,
        marker={"color": look.colour, "symbol": look.symbol, "size": 10, "line": {"color": look.colour, "width": 2}},
        error_y=whiskers(shares, ends, look.colour),
        customdata=[
            [ratio.n, ratio.total, *ends_of_one, interval_hover(interval)]
            for ratio, ends_of_one, interval in zip(ratios, ends, intervals, strict=True)
        ],
        hovertext=[layer_hover(place, table.by) for place in table.places],
        hovertemplate="%{hovertext}<br>%{y:.1f} % (%{customdata[0]:,} of %{customdata[1]:,}), %{customdata[4]}"
        f"<br>{look.name}<extra></extra>",
    )
