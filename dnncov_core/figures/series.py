"""Two inputs that are series, channel by channel, as lines over each other."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from dnncov_core.figures.style import BLUE, ORANGE, as_text, new_figure
from dnncov_core.records import NetworkCard, TestPair

MOST_CHANNELS = 6
"""Channels that are drawn, those that moved most."""
LOOKS = {"x1": {"color": BLUE, "dash": "solid"}, "x2": {"color": ORANGE, "dash": "dot"}}
"""Lines by what they stand for."""
HEIGHT, EDGE = 90, 90
"""Pixels for each channel, and for the axis and the legend."""
GAP = 0.12
"""Between two channels, as a share of the height of one."""


def plot_series(pair: TestPair, card: NetworkCard) -> go.Figure:
    """x1 and x2 of inputs ``(channels, time)``, a plot for each channel, in its unit."""
    shown = channels(pair, card)
    figure = new_figure(title="", x="Time step", y="")
    time = card.input_shape[1]
    for row, channel in enumerate(shown):
        axis = "" if row == 0 else str(row + 1)
        top, unit = 1 - row / len(shown), card.box.unit_name(channel * time)
        named = as_text(f"{card.box.name(channel * time)}{unit and f' ({unit[1:]})'}")
        domain = [top - (1 - GAP) / len(shown), top]
        figure.update_layout({f"yaxis{axis}": {"domain": domain, "title": {"text": named}, "nticks": 4}})
        for name, x in (("x1", pair.x1), ("x2", pair.x2)):
            line = go.Scatter(
                x=np.arange(time), y=x[channel], name=name, line=LOOKS[name], yaxis=f"y{axis}", showlegend=row == 0
            )
            figure.add_trace(line)
    figure.update_layout(height=EDGE + HEIGHT * len(shown), margin={"t": 30}, showlegend=True)
    figure.update_xaxes(anchor=f"y{len(shown)}" if len(shown) > 1 else "y")
    return figure


def channels(pair: TestPair, card: NetworkCard) -> list[int]:
    """The channels that are drawn: those that moved most, in their order."""
    moved = np.abs(card.box.moved(pair.x1, pair.x2)).max(axis=1)
    return sorted(np.argsort(-moved, kind="stable")[:MOST_CHANNELS].tolist())
