"""What each further input adds: a line for each order of a pool's inputs, and the band of random ones."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dnncov_core.figures.axes import Limit, distance_scale, draw_limits
from dnncov_core.figures.style import GREY, as_text, campaign_look, new_figure, see_through
from dnncov_core.selection.curves import Curve, Series
from dnncov_core.selection.orders import RANDOM, title_of
from dnncov_core.selection.selection import Selection

TITLES = {
    "covered": "Coverage by number of inputs",
    "killed": "Mutants killed by number of inputs",
    "misclassified": "Misclassified inputs found",
}


def plot_further_inputs(table: tuple[Selection, Curve], *, source: str = "") -> go.Figure:
    """A line for each order from 1 input to all of the pool, on a logarithmic axis; dotted, the budget."""
    selection, curve = table
    share = bool(curve.total)
    figure = new_figure(
        title=TITLES[curve.measure],
        x="First inputs of the order (logarithmic)",
        y=f"{curve.title[0].upper()}{curve.title[1:]} ({'%' if share else 'number'})",
        source=source,
        empty="" if curve.reached else f"No {curve.title} in this pool",
    )
    if not curve.reached:
        return figure
    for place, each in enumerate(curve.series):
        figure.add_traces(_lines(curve, each, place))
    most, budget = max(2, selection.inputs), min(selection.spec.budget, selection.inputs)
    figure.update_xaxes(**distance_scale(1, most, log=True))
    figure.update_yaxes(rangemode="tozero")
    draw_limits(figure, "x", [Limit(budget, f"{budget:,} inputs, as many as are selected", GREY, "dot")], 1, most)
    figure.update_layout(showlegend=True)
    return figure


def _lines(curve: Curve, series: Series, place: int) -> list[go.Scatter]:
    """The line of an order; of random ones the mean, and the band of 95 % of them."""
    look, name = campaign_look(place), as_text(title_of(series.order))
    random, x = series.order == RANDOM, list(curve.points)
    colour = GREY if random else look.colour
    of = curve.total or curve.reached
    hover = f"{name}, the first %{{x:,}}: %{{customdata:,.6~g}} of {of:,}<extra></extra>"
    line = go.Scatter(
        name=f"{name}: mean, and 95 % of the orders" if random else name,
        mode="lines",
        x=x,
        y=_shown(curve, series.counts),
        customdata=list(series.counts),
        line={"color": colour, "dash": "solid" if random else look.dash, "width": 2},
        hovertemplate=hover,
    )
    if series.low is None or series.high is None:
        return [line]
    hidden = {"mode": "lines", "x": x, "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    upper = go.Scatter(name=f"{name}, upper end", y=_shown(curve, series.high), **hidden)
    fill = {"fill": "tonexty", "fillcolor": see_through(GREY, 0.2)}
    lower = go.Scatter(name=f"{name}, lower end", y=_shown(curve, series.low), **fill, **hidden)
    return [upper, lower, line]


def _shown(curve: Curve, counts: Sequence[float]) -> list[float]:
    return [100 * count / curve.total for count in counts] if curve.total else list(counts)
