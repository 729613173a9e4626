"""What training further changes: each arm's difference from the training data alone, with its interval."""

from __future__ import annotations

import plotly.graph_objects as go

from dnncov_core.figures.style import GREY, campaign_look, ends_of, new_figure, whiskers
from dnncov_core.retraining.outcome import ARMS, NONE, Outcome
from dnncov_core.retraining.words import difference, heading


def plot_retrained(table: Outcome, *, source: str = "") -> go.Figure:
    """A point for each arm and measure; ``customdata`` holds the difference with its interval in words."""
    figure = new_figure(
        title="Training further, against the training data alone",
        x="",
        y="Difference (percentage points)",
        source=source,
    )
    for place, arm in enumerate(arm for arm in ARMS if arm != NONE):
        look, name = campaign_look(place), f"{ARMS[arm].title}, with 95 % interval"
        found = [table.difference(arm, measure) for measure in table.before]
        points = [100 * each.mean for each in found]
        figure.add_scatter(
            name=name,
            mode="markers",
            x=[heading(measure) for measure in table.before],
            y=points,
            offsetgroup=name,
            marker={"color": look.colour, "symbol": look.symbol, "size": 11},
            error_y=whiskers(points, ends_of(points, [(each.low, each.high) for each in found]), look.colour, width=5),
            customdata=[[difference(each)] for each in found],
            hovertemplate=f"<b>{ARMS[arm].title}</b>: %{{customdata[0]}}<extra></extra>",
        )
    figure.update_yaxes(zeroline=True, zerolinecolor=GREY, zerolinewidth=1.5)
    figure.update_layout(scattermode="group", scattergap=0.6, showlegend=True)
    figure.update_xaxes(type="category")
    return figure
