"""What top weights change: the paper's figure of SS against SS^w10."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dnncov_core.figures.style import ADVERSARIAL, COVERED, GREY, as_text, ends_of, new_figure, whiskers
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.samples import Interval
from dnncov_core.statistics.top_weights import WeightsRow


def plot_top_weights(rows: Sequence[WeightsRow], *, source: str = "") -> go.Figure:
    """Two points for each row: coverage, and AE rate, on all pairs minus on those that top weights leave.

    ``customdata`` holds the two campaigns, and the counts of both in words.
    """
    figure = new_figure(
        title="All pairs minus top weights",
        x="",
        y="Difference (percentage points)",
        source=source,
        empty="" if rows else "No two campaigns that differ in top weights",
    )
    if not rows:
        return figure
    kinds = {"M: coverage": ("covered", COVERED, "circle"), "AE: adversarial": ("adversarial", ADVERSARIAL, "diamond")}
    for name, (field, colour, symbol) in kinds.items():
        ratios: list[tuple[Ratio, Ratio]] = [getattr(row, field) for row in rows]
        intervals: list[Interval | None] = [getattr(row, f"{field}_interval") for row in rows]
        figure.add_trace(_points(rows, ratios, intervals, name, colour, symbol))
    figure.update_yaxes(zeroline=True, zerolinecolor=GREY, zerolinewidth=1.5)
    figure.update_layout(scattermode="group", scattergap=0.6, showlegend=True)
    figure.update_xaxes(type="category")
    return figure


def _categories(rows: Sequence[WeightsRow]) -> list[str]:
    """What stands at the axis for each row; ids where two campaigns would share a place."""
    titles = [f"{as_text(row.network)}<br>{row.criterion} − {row.criterion}^w{row.top_weights}" for row in rows]
    return [
        f"{title}<br>{as_text(row.strongest)}" if titles.count(title) > 1 else title
        for title, row in zip(titles, rows, strict=True)
    ]


def _points(
    rows: Sequence[WeightsRow],
    ratios: Sequence[tuple[Ratio, Ratio]],
    intervals: Sequence[Interval | None],
    name: str,
    colour: str,
    symbol: str,
) -> go.Scatter:
    points = [
        None if one.value is None or other.value is None else 100 * (one.value - other.value) for one, other in ratios
    ]
    ends = ends_of(points, intervals)
    return go.Scatter(
        name=f"{name}, with 95 % interval",
        mode="markers",
        x=_categories(rows),
        y=points,
        offsetgroup=name,
        marker={"color": colour, "symbol": symbol, "size": 11},
        error_y=whiskers(points, ends, colour, width=5),
        customdata=[
            [row.everything, row.strongest, one.display(), other.display()]
            for row, (one, other) in zip(rows, ratios, strict=True)
        ],
        hovertemplate=f"<b>{name}</b>: %{{y:+.1f}} points<br>all pairs: %{{customdata[2]}}"
        "<br>top weights: %{customdata[3]}<extra></extra>",
    )
