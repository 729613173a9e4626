"""Suites as points: what each covers, and how many mutants it kills."""

from __future__ import annotations

import plotly.graph_objects as go

from dnncov_core.figures.style import SEQUENCE, SYMBOLS, new_figure
from dnncov_core.worth.draws import WAYS
from dnncov_core.worth.tables import WorthPlot


def plot_worth(table: WorthPlot, *, source: str = "") -> go.Figure:
    """A point a suite, coloured by the way it was drawn; ``customdata`` holds size, covered, total, killed, mutants."""
    figure = new_figure(
        title=f"Coverage by {table.name} and mutants killed",
        x=f"Coverage by {table.name} ({'% of test conditions' if table.is_share else 'count'})",
        y="Mutants killed (%)",
        source=source,
        empty="" if table.points else "No suite yet",
    )
    for place, (key, way) in enumerate(WAYS.items()):
        points = [point for point in table.points if point.way == key]
        if points:
            of = " of %{customdata[2]:,}" if table.is_share else ""
            figure.add_scatter(
                name=way.title,
                mode="markers",
                x=[100 * p.covered / p.total if table.is_share and p.total else p.covered for p in points],
                y=[100 * (point.killed.value or 0) for point in points],
                marker={"color": SEQUENCE[place], "symbol": SYMBOLS[place], "size": 8},
                customdata=[(p.size, p.covered, p.total, p.killed.n, p.killed.total) for p in points],
                hovertemplate=f"{way.title}, %{{customdata[0]:,}} inputs<br>covered: %{{customdata[1]:,}}{of}<br>"
                "killed: %{customdata[3]:,} of %{customdata[4]:,}<extra></extra>",
            )
    figure.update_yaxes(range=[-4, 104])
    return figure
