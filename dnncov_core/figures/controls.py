"""Adversarial test pairs beside baseline searches with the same budgets, with confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dnncov_core.figures.axes import LAYERS, layer_hover, layer_tick, name_layers
from dnncov_core.figures.style import ADVERSARIAL, GREY, PURPLE, in_per_cent, new_figure, whiskers
from dnncov_core.ratios import Ratio
from dnncov_core.statistics import ControlTable, Place

CONFIDENCE = 0.95
SEARCH_LOOKS = (
    ("searched", "coverage-guided search (test condition holds)", ADVERSARIAL, "circle"),
    ("random", "random perturbations", GREY, "square-open"),
    ("ascent", "projected gradient ascent (PGD)", PURPLE, "diamond"),
)
"""Of each search: the row's field, name, colour and symbol."""


def plot_controls(table: ControlTable, *, source: str = "") -> go.Figure:
    """A point for each search and row, with its Clopper-Pearson interval; ``customdata`` holds n and total.

    Args:
        table: what is drawn.
        source: network, criterion and campaign, as a second line of the title.
    """
    n = table.total.searched.total
    figure = new_figure(
        title="Another label with the same budget",
        x=LAYERS[table.by],
        y="Seeds whose label changes (%)",
        source=source,
        empty="" if n else "No baseline search yet",
    )
    if not n:
        return figure
    places = [row.place for row in table.rows if row.place]
    for name, title, colour, symbol in SEARCH_LOOKS:
        ratios = [getattr(row, name) for row in table.rows]
        figure.add_trace(_points(table, places, ratios, title, colour, symbol))
    figure.update_layout(scattermode="group", scattergap=0.6)
    figure.update_yaxes(range=[0, 104])
    name_layers(figure, places, table.by)
    return figure


def _points(
    table: ControlTable, places: Sequence[Place], ratios: Sequence[Ratio], name: str, colour: str, symbol: str
) -> go.Scatter:
    shares = in_per_cent(ratios)
    ends = [(100 * low, 100 * high) for low, high in (ratio.interval(CONFIDENCE) for ratio in ratios)]
    return go.Scatter(
        name=name,
        mode="markers",
        cliponaxis=False,
        x=[layer_tick(place, table.by) for place in places],
        y=shares,
        offsetgroup=name,
        marker={"color": colour, "symbol": symbol, "size": 10, "line": {"color": colour, "width": 2}},
        error_y=whiskers(shares, ends, colour),
        customdata=[[ratio.n, ratio.total, *interval] for ratio, interval in zip(ratios, ends, strict=True)],
        hovertext=[layer_hover(place, table.by) for place in places],
        hovertemplate="%{hovertext}<br>%{y:.1f} % (%{customdata[0]:,} of %{customdata[1]:,}), 95 % interval"
        f" %{{customdata[2]:.1f}} to %{{customdata[3]:.1f}} %<br>{name}<extra></extra>",
    )
