"""How far the generated inputs are from their seeds: the accumulated curve, and mean and deviation by layer pair."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from dnncov_core.figures.style import (
    ADVERSARIAL,
    COVERED,
    DASHES,
    GREY,
    LAYER_PAIR_AXIS,
    SEQUENCE,
    distance_axis,
    layer_pair,
    new_figure,
)
from dnncov_core.statistics import DistanceCurve, LayerDistanceTable, Spread

GREY_LEVEL = 1 / 255
END = 1.06
"""Curves go on beyond the largest distance by this factor, so that their last step is in sight."""


def plot_distance_curve(curves: Sequence[DistanceCurve], *, log: bool = False, source: str = "") -> go.Figure:
    """A step curve a campaign: the share of its adversarial pairs within each distance.

    Args:
        curves: the campaigns' tables, in one norm.
        log: whether the distance axis is logarithmic.
        source: what the title says of them, as its second line.
    """
    drawn = [curve for curve in curves if curve.total]
    pixels = all(curve.pixels for curve in curves)
    figure = new_figure(
        title="Accumulated adversarial distance",
        x=distance_axis(curves[0].norm if curves else "inf", pixels=pixels),
        y="Share of adversarial pairs (%)",
        source=source,
        empty="" if drawn else "No adversarial pair",
    )
    if drawn:
        figure.update_yaxes(range=[0, 104], tickvals=[0, 20, 40, 60, 80, 100])
        farthest = END * max(curve.distances[-1] for curve in drawn)
        for place, curve in enumerate(drawn):
            figure.add_trace(_steps(curve, place, farthest, log=log))
        figure.update_xaxes(**(_log_axis(drawn, farthest) if log else {"showgrid": True, "range": [0, farthest]}))
        figure.update_layout(showlegend=True)
    if drawn and _on_grey_levels(drawn):
        figure.add_trace(_grey_level())
    return figure


def _on_grey_levels(curves: Sequence[DistanceCurve]) -> bool:
    return all(curve.pixels and curve.norm == "inf" for curve in curves)


def _log_axis(curves: Sequence[DistanceCurve], farthest: float) -> dict[str, object]:
    nearest = min(curve.distances[0] for curve in curves) or farthest / 1000
    if _on_grey_levels(curves):
        nearest = min(nearest, GREY_LEVEL)
    ticks = log_ticks(nearest / END, farthest)
    return {
        "type": "log",
        "showgrid": True,
        "tickvals": ticks,
        "ticktext": [f"{tick:g}" for tick in ticks],
        "range": [math.log10(nearest / END), math.log10(farthest)],
    }


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each power of ten from ``low`` to ``high``; over more than three decades, the powers alone.

    >>> log_ticks(0.015, 0.3), log_ticks(0.0004, 2.0)
    ([0.02, 0.05, 0.1, 0.2], [0.001, 0.01, 0.1, 1.0])
    """
    steps = (1, 2, 5) if high <= 1000 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [float(f"{step}e{power}") for power in powers for step in steps]
    return [value for value in values if low <= value <= high]


def _steps(curve: DistanceCurve, place: int, farthest: float, *, log: bool) -> go.Scatter:
    start = curve.distances[0] if log else 0.0
    return go.Scatter(
        name=f"{curve.name}: {curve.total:,} of {curve.pairs:,} test pairs adversarial",
        mode="lines",
        x=[start, *curve.distances, farthest],
        y=[0.0, *(100 * share for share in curve.shares), 100.0],
        customdata=[0, *curve.counts, curve.total],
        line={
            "shape": "hv",
            "width": 2.5,
            "color": SEQUENCE[place % len(SEQUENCE)],
            "dash": DASHES[place % len(DASHES)],
        },
        hovertemplate="distance at most %{x:.4g}<br>"
        f"%{{y:.2f}} % (%{{customdata:,}} of {curve.total:,} adversarial pairs)<extra></extra>",
    )


def _grey_level() -> go.Scatter:
    return go.Scatter(
        name="one grey level of 8 bits (1/255)",
        mode="lines",
        x=[GREY_LEVEL, GREY_LEVEL],
        y=[0, 100],
        line={"color": GREY, "width": 1.5, "dash": "dot"},
        hovertemplate="one grey level, 1/255<extra></extra>",
    )


def plot_layer_distances(table: LayerDistanceTable, *, source: str = "") -> go.Figure:
    """Mean distance with one standard deviation by layer pair, of all test pairs and of the adversarial ones.

    Args:
        table: what is drawn.
        source: network, criterion and campaign, as a second line of the title.
    """
    drawn = [row for row in table.rows if row.pairs.n]
    figure = new_figure(
        title="Distance by layer pair",
        x=LAYER_PAIR_AXIS,
        y=distance_axis(table.norm, pixels=table.pixels),
        source=source,
        empty="" if drawn else "No test pair yet",
    )
    if not drawn:
        return figure
    edges = [row.edge for row in drawn]
    figure.add_trace(_spreads(edges, [row.pairs for row in drawn], "all test pairs", COVERED, "circle"))
    if any(row.adversarial.n for row in drawn):
        adversarial = [row.adversarial for row in drawn]
        figure.add_trace(_spreads(edges, adversarial, "adversarial pairs", ADVERSARIAL, "diamond"))
    figure.update_layout(scattermode="group", scattergap=0.6, showlegend=True)
    highest = max((s.mean or 0.0) + (s.std or 0.0) for row in drawn for s in (row.pairs, row.adversarial))
    figure.update_yaxes(range=[0, 1.08 * highest or 1])
    figure.update_xaxes(type="category")
    return figure


def _spreads(
    edges: Sequence[tuple[int, int]], spreads: Sequence[Spread], name: str, colour: str, symbol: str
) -> go.Scatter:
    return go.Scatter(
        name=f"{name}: mean ± one standard deviation",
        mode="markers",
        x=[layer_pair(edge) for edge in edges],
        y=[spread.mean for spread in spreads],
        error_y={"type": "data", "array": [spread.std for spread in spreads], "color": colour, "thickness": 1.5},
        customdata=[[*edge, spread.n, spread.std] for edge, spread in zip(edges, spreads, strict=True)],
        marker={"color": colour, "symbol": symbol, "size": 11},
        offsetgroup=name,
        hovertemplate=f"%{{x}}<br>{name}: %{{y:.4g}} ± %{{customdata[3]:.4g}} (n = %{{customdata[2]:,}})"
        "<extra></extra>",
    )
