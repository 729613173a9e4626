"""What one linear programme costs by layer pair, of several campaigns: the paper's table of LP calls as a figure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import plotly.graph_objects as go

from dnncov_core.figures.axes import LAYERS, log_ticks, plain_number
from dnncov_core.figures.style import (
    GREY,
    HEIGHT,
    Look,
    as_text,
    layer_pair,
    look_of,
    new_figure,
    overlaid,
    with_left_out,
)
from dnncov_core.paper import papers_seconds
from dnncov_core.programme_costs import ProgrammeSeries
from dnncov_core.statistics.grouping import By


def plot_programmes(
    table: Sequence[ProgrammeSeries],
    *,
    paper: bool = False,
    chosen: Sequence[str] = (),
    order: Sequence[str] = (),
    source: str = "",
) -> go.Figure:
    """A line for each campaign: seconds of one call by layer pair, on a logarithmic axis.

    ``customdata`` holds calls, variables, mean constraints.
    """
    known = [series for series in table if any(row.seconds_mean for row in series.rows)]
    drawn = overlaid(known, chosen)
    figure = new_figure(
        title="Seconds of one LP call by layer pair",
        x=LAYERS[By.LAYER_PAIR],
        y="Seconds a call, mean (logarithmic)",
        source=with_left_out(source, len(drawn), len(known)),
        empty="" if drawn else "No linear programme",
    )
    if not drawn:
        return figure
    for place, series in enumerate(drawn):
        figure.add_trace(_line(series, look_of(series.name, order, place)))
    edges = {row.edge for series in drawn for row in series.rows if row.seconds_mean}
    ticks = sorted(edges, key=lambda edge: (edge[1], edge[0]))
    networks = [series.network for series in drawn]
    for network in dict.fromkeys(networks if paper else ()):
        papers = {edge: seconds for edge in ticks if (seconds := papers_seconds(network, edge[0])) is not None}
        if papers:
            first = networks.index(network)
            look = look_of(drawn[first].name, order, first)
            alone = networks.count(network) == 1
            figure.add_trace(_papers(network, papers, look if alone else replace(look, colour=GREY)))
    values = [y for trace in figure.data for y in trace.y]
    shown = log_ticks(min(values) / 1.5, max(values) * 1.5)
    ends = [math.log10(min(values) / 1.5), math.log10(max(values) * 1.5)]
    figure.update_yaxes(type="log", range=ends, tickvals=shown, ticktext=[plain_number(tick) for tick in shown])
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=[layer_pair(edge) for edge in ticks])
    figure.update_layout(showlegend=True, height=HEIGHT + 14 * len(figure.data))
    return figure


def _line(series: ProgrammeSeries, look: Look) -> go.Scatter:
    rows = [row for row in series.rows if row.seconds_mean]
    name = as_text(series.name)
    return go.Scatter(
        name=name,
        mode="lines+markers",
        x=[layer_pair(row.edge) for row in rows],
        y=[row.seconds_mean for row in rows],
        customdata=[[row.calls, row.variables, row.constraints_mean] for row in rows],
        line={"color": look.colour, "dash": look.dash, "width": 2},
        marker={"symbol": look.symbol, "size": 9, "color": look.colour},
        hovertemplate=f"<b>{name}</b>, %{{x}}<br>%{{y:.4f}} s a call, %{{customdata[0]:,}} calls"
        "<br>%{customdata[1]:,} variables, %{customdata[2]:,.1f} constraints on average<extra></extra>",
    )


def _papers(network: str, seconds: Mapping[tuple[int, int], float], look: Look) -> go.Scatter:
    """What the paper reports, by hollow marks of the network's only campaign; grey ones stand for several."""
    return go.Scatter(
        name=f"{network} in the paper (its machine)",
        mode="markers",
        x=[layer_pair(edge) for edge in seconds],
        y=list(seconds.values()),
        cliponaxis=False,
        marker={"symbol": f"{look.symbol}-open", "size": 12, "color": look.colour, "line": {"width": 2}},
        hovertemplate=f"<b>{network} in the paper</b>, %{{x}}<br>%{{y:.2f}} s a call<extra></extra>",
    )
