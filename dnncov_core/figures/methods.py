"""A covering method as a small picture: which neurons of two neighbouring layers change, and how."""

from __future__ import annotations

import plotly.graph_objects as go

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.figures.style import BLUE, CLEAR, DARK, FAINT, GREY, ORANGE, new_figure

CHANGED = {Change.SIGN: (BLUE, "circle"), Change.VALUE: (ORANGE, "diamond")}
"""Colour and symbol of a neuron by the change that is asked of it."""
CONDITION = [(0.0, y) for y in (1.0, 0.5, 0.0)]
DECISION = [(1.0, y) for y in (0.85, 0.15)]
GAP = 0.09
"""Between the middle of a neuron and its connections, so that these do not cross it."""
HEIGHT = 236


def plot_method(method: CoveringMethod, *, source: str = "") -> go.Figure:
    """Layer k to the left and layer k+1 to the right; the condition neuron and the decision neuron are filled."""
    figure = new_figure(title=method.title, x="", y="", source=source)
    figure.update_layout(height=HEIGHT, showlegend=False, margin={"l": 8, "r": 8, "t": 76, "b": 4})
    figure.update_xaxes(visible=False, range=[-0.35, 1.35], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-0.2, 1.6], fixedrange=True)
    for start in CONDITION:
        for end in DECISION:
            asked = start == CONDITION[0] and end == DECISION[0]
            line = {"color": GREY if asked else FAINT, "width": 2.5 if asked else 1}
            slope = end[1] - start[1]
            ends = {"x": [GAP, 1 - GAP], "y": [start[1] + GAP * slope, end[1] - GAP * slope]}
            figure.add_trace(go.Scatter(**ends, mode="lines", line=line, hoverinfo="skip"))
    figure.add_trace(_neuron(*CONDITION[0], method.condition, "condition"))
    figure.add_trace(_neuron(*DECISION[0], method.decision, "decision"))
    others = [*CONDITION[1:], *DECISION[1:]]
    figure.add_trace(_others(others, ["keeps its sign"] * 2 + ["may do anything"]))
    heads = {"x": [0.0, 1.0], "y": [1.42, 1.42], "text": ["layer k", "layer k+1"], "textfont": {"size": 13}}
    figure.add_trace(go.Scatter(**heads, mode="text", hoverinfo="skip"))
    return figure


def _neuron(x: float, y: float, change: Change, role: str) -> go.Scatter:
    colour, symbol = CHANGED[change]
    return go.Scatter(
        name=role,
        x=[x],
        y=[y],
        mode="markers+text",
        text=["±" if change is Change.SIGN else "Δ"],
        textfont={"color": "#FFFFFF" if change is Change.SIGN else DARK, "size": 15},
        marker={"size": 27, "color": colour, "symbol": symbol, "line": {"width": 0}},
        hovertemplate=f"The {role} neuron's {change.value} changes<extra></extra>",
    )


def _others(places: list[tuple[float, float]], words: list[str]) -> go.Scatter:
    return go.Scatter(
        name="others",
        x=[x for x, _ in places],
        y=[y for _, y in places],
        mode="markers",
        hovertext=words,
        marker={"size": 19, "color": CLEAR, "line": {"color": GREY, "width": 1.5}},
        hovertemplate="%{hovertext}<extra></extra>",
    )
