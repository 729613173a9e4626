"""A small network with two inputs in it: each neuron's u for both, weights, sign changes, and covered pairs."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dnncov_core.features import FeaturePair
from dnncov_core.figures.style import CLEAR, COVERED, DARK, GREY, ORANGE, PURPLE, new_figure
from dnncov_core.networks.zoo import TOY_WEIGHTS
from dnncov_core.playground import names

if TYPE_CHECKING:
    from dnncov_core.playground.network_view import NetworkView
    from dnncov_core.playground.setting import Point
    from dnncov_core.playground.two_inputs import TwoInputs

NODE, RING, NODES_HEIGHT = 62, 76, 560
"""Diameters of a neuron and of what surrounds it, and the height of the figure, in pixels."""

KEPT = "#5E646D"
"""The colour of neurons that keep their sign, dark enough for white text."""

WEIGHT_AT, GAP = 0.4, 0.085
"""Where on a connection its weight stands, and half the gap that is left for it: no two weights meet there."""


def plot_neurons(view: NetworkView, *, source: str = "") -> go.Figure:
    """Layers from left to right; in each neuron its name, u[x1] and u[x2]; covered pairs of neurons are thick.

    Weights stand at the connections, and the neurons of the feature pair that is looked at have a ring.
    """
    inputs, last = view.inputs, len(TOY_WEIGHTS) + 1
    below = " · ".join(filter(None, [source, "in each neuron: name, u[x1], u[x2]"]))
    figure = new_figure(title="Every neuron for both inputs", x="", y="", source=below)
    singles = {_ends(each) for each in view.covered}
    figure.add_traces([*_connections(singles), _ring(inputs, view.setting.pair), _inputs(inputs), *_neurons(inputs)])
    ticks = ["Input", *(f"Layer {k}" for k in range(2, last)), f"Layer {last}: output"]
    most = max(len(layer) for layer in (*TOY_WEIGHTS, TOY_WEIGHTS[-1][0]))
    figure.update_xaxes(tickvals=[*range(1, last + 1)], ticktext=ticks, range=[0.55, last + 0.45], linecolor=CLEAR)
    figure.update_xaxes(fixedrange=True)
    figure.update_yaxes(visible=False, range=[most - 0.5, -0.5], fixedrange=True)
    figure.update_layout(height=NODES_HEIGHT, margin={"l": 8, "r": 8}, legend_y=-0.1, hovermode="closest")
    return figure


def neurons_in_words(view: NetworkView) -> str:
    """The figure in words, for those who cannot see it: u of every neuron, sign changes, and covered pairs."""
    values = "; ".join(
        f"{names.neuron(layer.index, place)}: {names.number(each.u1)} to {names.number(each.u2)}"
        f"{', sign changed' * each.changed}"
        for layer in view.inputs.layers[1:]
        for place, each in enumerate(view.inputs.neurons(layer.index))
    )
    found = "; ".join(names.pair(each) for each in view.covered) or "none"
    return f"The network. u for x1 and for x2 of {values}. Covered pairs of neurons: {found}."


def _ends(pair: FeaturePair) -> tuple[int, int, int]:
    return pair.condition.layer, pair.condition.neurons[0], pair.decision.neurons[0]


def _y(place: int, n: int, most: int = 3) -> float:
    """Neurons of a layer stand around its middle."""
    return place + (most - n) / 2


def _connections(covered: Collection[tuple[int, int, int]]) -> list[go.Scatter]:
    """Lines with a gap at their weight, and the weights."""
    traces = [_texts(covered)]
    for name, colour, width, wanted in (("", GREY, 1.0, False), ("covered pair", COVERED, 5.0, True)):
        x: list[float | None] = []
        y: list[float | None] = []
        for layer, i, j, _, (x1, y1), (x2, y2) in _weights():
            if ((layer, i, j) in covered) is wanted:
                gap = GAP / math.hypot(x2 - x1, y2 - y1)
                for start, end in ((0.0, WEIGHT_AT - gap), (WEIGHT_AT + gap, 1.0)):
                    x += [x1 + start * (x2 - x1), x1 + end * (x2 - x1), None]
                    y += [y1 + start * (y2 - y1), y1 + end * (y2 - y1), None]
        line = {"color": colour, "width": width}
        traces.append(
            go.Scatter(x=x, y=y, mode="lines", line=line, name=name, showlegend=bool(name and x), hoverinfo="skip")
        )
    return traces


def _weights() -> list[tuple[int, int, int, float, Point, Point]]:
    """Layer, neuron, neuron of the next layer, weight, and where the line between these two begins and ends."""
    return [
        (layer, i, j, weight, (layer, _y(i, len(matrix))), (layer + 1, _y(j, len(row))))
        for layer, matrix in enumerate(TOY_WEIGHTS, start=1)
        for i, row in enumerate(matrix)
        for j, weight in enumerate(row)
    ]


def _texts(covered: Collection[tuple[int, int, int]]) -> go.Scatter:
    x, y, text, hover = [], [], [], []
    for layer, i, j, weight, (x1, y1), (x2, y2) in _weights():
        x.append(x1 + WEIGHT_AT * (x2 - x1))
        y.append(y1 + WEIGHT_AT * (y2 - y1))
        found = (layer, i, j) in covered
        text.append(f"<b>{names.number(weight)}</b>" if found else names.number(weight))
        ends = f"{_source(layer, i)} → {names.neuron(layer + 1, j)}"
        hover.append(f"{ends}<br>weight {names.number(weight)}{'<br>covered' * found}")
    return go.Scatter(
        x=x,
        y=y,
        mode="text",
        text=text,
        textfont={"size": 13},
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
    )


def _source(layer: int, place: int) -> str:
    return f"input {place + 1}" if layer == 1 else names.neuron(layer, place)


def _ring(inputs: TwoInputs, pair: FeaturePair) -> go.Scatter:
    sizes = {layer.index: layer.neurons for layer in inputs.layers}
    places = [(of.layer, _y(i, sizes[of.layer])) for of in (pair.condition, pair.decision) for i in of.neurons]
    return go.Scatter(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        mode="markers",
        marker={"symbol": "circle-open", "size": RING, "color": PURPLE, "line": {"width": 3}, "opacity": 1},
        name="looked at",
        hoverinfo="skip",
    )


def _inputs(inputs: TwoInputs) -> go.Scatter:
    values = [tuple(map(names.number, both)) for both in zip(inputs.x1, inputs.x2, strict=True)]
    named = [(f"<b>input {place}</b>", one, two) for place, (one, two) in enumerate(values, start=1)]
    return _nodes(
        [(1, _y(place, len(values))) for place in range(len(values))],
        [f"{name}<br>{one}<br>{two}" for name, one, two in named],
        [f"{name}, no sign<br>x1: {one}<br>x2: {two}" for name, one, two in named],
        colour=KEPT,
        symbol="square",
        name="",
    )


def _neurons(inputs: TwoInputs) -> list[go.Scatter]:
    traces = []
    for changed, name in ((False, "sign kept"), (True, "sign changed: sc")):
        places, texts, hovers = [], [], []
        for layer in inputs.layers[1:]:
            for place, each in enumerate(inputs.neurons(layer.index)):
                if each.changed is changed:
                    title = names.neuron(layer.index, place)
                    u1, u2, v1, v2 = map(names.number, (each.u1, each.u2, each.v1, each.v2))
                    places.append((layer.index, _y(place, layer.neurons)))
                    texts.append(f"<b>{title}</b><br>{u1}<br>{u2}")
                    hovers.append(f"<b>{title}</b>, {name}<br>x1: u = {u1}, v = {v1}<br>x2: u = {u2}, v = {v2}")
        traces.append(_nodes(places, texts, hovers, colour=ORANGE if changed else KEPT, symbol="circle", name=name))
    traces.append(_marks(traces[-1]))
    return traces


def _nodes(
    places: Sequence[tuple[float, float]],
    texts: Sequence[str],
    hovers: Sequence[str],
    *,
    colour: str,
    symbol: str,
    name: str,
) -> go.Scatter:
    return go.Scatter(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        mode="markers+text",
        text=texts,
        textfont={"color": DARK if colour == ORANGE else "#FFFFFF", "size": 13},
        marker={"symbol": symbol, "size": NODE, "color": colour, "opacity": 1, "line": {"width": 0}},
        hovertext=hovers,
        hovertemplate="%{hovertext}<extra></extra>",
        name=name,
        showlegend=bool(name),
        cliponaxis=False,
    )


def _marks(changed: go.Scatter) -> go.Scatter:
    """What tells a changed sign apart without colour: sc beside the neuron, as in the paper's table."""
    return go.Scatter(
        x=changed.x,
        y=changed.y,
        mode="markers+text",
        text=["<b>sc</b>"] * len(changed.x),
        textposition="bottom center",
        marker={"size": RING, "color": CLEAR},
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
