"""Mean and deviation of the distances between seeds and generated inputs: by layer, and by the size of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dnncov_core.figures.axes import (
    BELOW_TALL_TICKS,
    LAYERS,
    add_grey_levels,
    condition_layers,
    distance_scale,
    layer_hover,
    layer_tick,
    name_layers,
)
from dnncov_core.figures.limits import draw_limits, limits, reach
from dnncov_core.figures.style import ADVERSARIAL, COVERED, distance_axis, in_grey_levels, new_figure
from dnncov_core.statistics import LayerDistanceTable, OmegaTable, Spread

EVERY, ADVERSE = "all test pairs", "adversarial pairs"
"""What points are of, as their custom data say it at their end."""
OMEGA_AXIS = "ω: largest share of a layer's neurons in one feature (%)"


@dataclass(frozen=True)
class _Points:
    """What stands at each place of the x axis: its category, what hover says of it, and what identifies it."""

    categories: Sequence[str]
    hovers: Sequence[str]
    data: Sequence[Sequence[object]]


def plot_layer_distances(table: LayerDistanceTable, *, log: bool = False, source: str = "") -> go.Figure:
    """Mean distance with one standard deviation by layer, of all test pairs and of the adversarial ones.

    ``customdata`` holds condition layers, decision layer, number of pairs, deviation, and of which pairs.

    Args:
        table: what is drawn.
        log: whether the distance axis is logarithmic.
        source: network, criterion and campaign, as a second line of the title.
    """
    drawn = [(place, row) for row in table.rows if row.pairs.n and (place := row.place)]
    figure = new_figure(
        title=f"Distance by {table.by.value}",
        x=LAYERS[table.by],
        y=distance_axis(table.norm, pixels=table.pixels),
        source=source,
        empty="" if drawn else "No test pair yet",
    )
    if not drawn:
        return figure
    places = [place for place, _ in drawn]
    points = _Points(
        [layer_tick(place, table.by) for place in places],
        [layer_hover(place, table.by) for place in places],
        [[condition_layers(place), place.decision_layer] for place in places],
    )
    _draw(figure, points, [row.pairs for _, row in drawn], [row.adversarial for _, row in drawn])
    _scale(figure, table, log=log)
    name_layers(figure, places, table.by)
    return figure


def plot_distance_by_omega(table: OmegaTable, *, log: bool = False, source: str = "") -> go.Figure:
    """Mean distance with one standard deviation by omega, a point for each campaign, as in the paper.

    ``customdata`` holds the campaign, omega, number of pairs, deviation, and of which pairs.

    Args:
        table: what is drawn.
        log: whether the distance axis is logarithmic.
        source: what the title says of the campaigns, as its second line.
    """
    drawn = [row for row in table.rows if row.pairs.n]
    figure = new_figure(
        title="Distance by feature size",
        x=OMEGA_AXIS,
        y=distance_axis(table.norm, pixels=table.pixels),
        source=source,
        empty="" if drawn else "No test pair yet",
    )
    if not drawn:
        return figure
    points = _Points(
        [row.campaign for row in drawn],
        [f"<b>ω = {_percent(row.omega)} %</b>, campaign {row.campaign}" for row in drawn],
        [[row.campaign, row.omega] for row in drawn],
    )
    _draw(figure, points, [row.pairs for row in drawn], [row.adversarial for row in drawn])
    _scale(figure, table, log=log)
    ticks = [f"{_percent(row.omega)}<br>adversarial: {row.of_pairs.counts}" for row in drawn]
    figure.update_xaxes(type="category", tickvals=list(points.categories), ticktext=ticks)
    figure.update_layout(legend_y=BELOW_TALL_TICKS)
    return figure


def _percent(omega: float) -> str:
    return f"{100 * omega:.6g}"


def _draw(figure: go.Figure, points: _Points, pairs: Sequence[Spread], adversarial: Sequence[Spread]) -> None:
    figure.add_trace(_trace(points, pairs, EVERY, COVERED, "circle"))
    if any(spread.n for spread in adversarial):
        figure.add_trace(_trace(points, adversarial, ADVERSE, ADVERSARIAL, "diamond"))
    figure.update_layout(scattermode="group", scattergap=0.6, showlegend=True)


def _trace(points: _Points, spreads: Sequence[Spread], name: str, colour: str, symbol: str) -> go.Scatter:
    return go.Scatter(
        name=f"{name}: mean ± one standard deviation",
        mode="markers",
        x=list(points.categories),
        y=[spread.mean for spread in spreads],
        error_y={"type": "data", "array": [spread.std for spread in spreads], "color": colour, "thickness": 1.5},
        customdata=[[*data, s.n, s.std, name] for data, s in zip(points.data, spreads, strict=True)],
        hovertext=list(points.hovers),
        marker={"color": colour, "symbol": symbol, "size": 11},
        offsetgroup=name,
        hovertemplate=f"%{{hovertext}}<br>{name}: %{{y:.4g}} ± %{{customdata[3]:.4g}} (n = %{{customdata[2]:,}})"
        "<extra></extra>",
    )


def _scale(figure: go.Figure, table: LayerDistanceTable | OmegaTable, *, log: bool) -> None:
    """An axis that shows every mean and deviation, in both units where the distance has two.

    It begins at 0; a logarithmic one at the lowest whisker that ends above 0, or a decade below its mean.
    """
    spreads = [spread for row in table.rows for spread in (row.pairs, row.adversarial)]
    shown = [(s.mean, s.std) for s in spreads if s.mean and s.std is not None]
    known = limits([table.bound], table.norm, pixels=table.pixels)
    highest = 1.08 * reach(max((mean + std for mean, std in shown), default=1.0), known)
    lowest = min((max(mean - std, mean / 10) for mean, std in shown), default=highest / 1000) / 1.08
    figure.update_yaxes(**distance_scale(lowest, highest, log=log))
    draw_limits(figure, "y", known, lowest if log else 0.0, highest)
    if in_grey_levels(table.norm, pixels=table.pixels):
        add_grey_levels(figure, "y", lowest, highest, log=log)
