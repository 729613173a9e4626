"""Two inputs that are series, channel by channel as lines over each other, and their difference in shares of ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dnncov_core.figures.style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, as_text, new_figure
from dnncov_core.records import NetworkCard, TestPair

MOST_CHANNELS = 4
"""Channels that are drawn, those that moved most."""
LOOKS = {"x1": {"color": BLUE, "dash": "solid"}, "x2": {"color": ORANGE, "dash": "dot"}}
"""Lines by what they stand for."""
DIFFERENCES = (VERMILLION, GREEN, PURPLE, SKY)
"""Colours of the differences, channel by channel."""
HEIGHT, EDGE = 110, 90
"""Pixels for each plot, and for the axis and the legend."""
GAP = 0.3
"""Between two plots, as a share of the height of one, with the name of the lower one."""


def lines_of_series(pair: TestPair, card: NetworkCard) -> go.Figure:
    """x1 and x2 of inputs ``(channels, time)``, a plot for each channel, in its unit; below them all differences."""
    shown, time = channels(pair, card), card.input_shape[1]
    figure = new_figure(title="", x="Time step", y="")
    for row, channel in enumerate(shown):
        lines = [{"name": of, "y": x[channel], "line": LOOKS[of]} for of, x in (("x1", pair.x1), ("x2", pair.x2))]
        _add(figure, row, len(shown) + 1, as_text(card.box.heading(channel * time)), lines, legend=row == 0)
    moved = 100 * card.box.moved(pair.x1, pair.x2)
    lines = [
        {"name": f"{as_text(card.box.name(channel * time))}, x2 − x1", "y": moved[channel], "line": {"color": colour}}
        for colour, channel in zip(DIFFERENCES, shown, strict=False)
    ]
    _add(figure, len(shown), len(shown) + 1, "x2 − x1 (% of the range)", lines)
    figure.update_layout(height=EDGE + HEIGHT * (len(shown) + 1), margin={"t": 10}, showlegend=True)
    figure.update_xaxes(anchor=f"y{len(shown) + 1}")
    return figure


def channels(pair: TestPair, card: NetworkCard) -> list[int]:
    """The channels that are drawn: those that moved most, in their order."""
    moved = np.abs(card.box.moved(pair.x1, pair.x2)).max(axis=1)
    return sorted(np.argsort(-moved, kind="stable")[:MOST_CHANNELS].tolist())


def _add(
    figure: go.Figure, row: int, rows: int, name: str, lines: Sequence[dict[str, Any]], *, legend: bool = True
) -> None:
    """One of several plots below each other, with its name above it."""
    axis, top = "" if row == 0 else str(row + 1), 1 - (row + GAP) / rows
    figure.update_layout({f"yaxis{axis}": {"domain": [1 - (row + 1) / rows, top], "nticks": 4}})
    figure.add_annotation(
        text=name, showarrow=False, x=0, xref="paper", xanchor="left", y=top, yref="paper", yanchor="bottom"
    )
    for line in lines:
        figure.add_trace(go.Scatter(x=np.arange(len(line["y"])), yaxis=f"y{axis}", showlegend=legend, **line))
