"""Axes that several figures share: layers, and distances with their limits and grey levels as a second reading."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from dnncov_core.figures.style import GREY, HEIGHT, PURPLE, TEMPLATE, as_text, in_grey_levels, modules_in_words
from dnncov_core.phrases.pairs import LEVELS
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.distances import Unit
from dnncov_core.statistics.grouping import By, Place
from dnncov_core.types import Norm

LAYERS: Mapping[By, str] = {
    By.LAYER_PAIR: "Layer pair (condition → decision)",
    By.DECISION_LAYER: "Decision layer",
}
"""Names of axes of layers."""

MOST_TICKS = 50
"""With more layers than this only every second, third, ... has a tick, so that none overlap."""

MOST_UPRIGHT = 12
"""With more layer pairs than this their ticks are turned."""

BELOW_TALL_TICKS = -0.36
"""Where a legend begins under ticks that are turned, or have two lines, as a share of the height of the plot."""

TOP = 126
"""Margin above a plot, in pixels, where an axis is between it and its title."""

REACH = 1.6
"""An axis goes on to a limit that is at most so many times as far as what it shows."""

GREY_LEVEL = 1 / LEVELS
GREY_LEVELS = "Grey levels of 8 bits (1/255 each)"


def layer_tick(place: Place, by: By) -> str:
    """What stands for a row at an axis of layers, and in tables.

    >>> place = Place((2, 3), 4, ("relu", "block.relu"), "block.sum")
    >>> layer_tick(place, By.DECISION_LAYER), layer_tick(place, By.LAYER_PAIR)
    ('4', '2, 3 → 4')
    """
    if by is By.DECISION_LAYER:
        return str(place.decision_layer)
    return f"{condition_layers(place)} → {place.decision_layer}"


def condition_layers(place: Place) -> str:
    """The numbers of a row's condition layers."""
    return ", ".join(map(str, place.condition_layers))


def layer_hover(place: Place, by: By) -> str:
    """A row's layers with their names.

    >>> place = Place((2, 3), 4, ("relu", "block.relu"), "block.sum")
    >>> layer_hover(place, By.DECISION_LAYER)
    '<b>Decision layer 4</b>, module block.sum<br>Condition layers: 2 (relu), 3 (block.relu)'
    >>> layer_hover(place, By.LAYER_PAIR)
    '<b>Layer pair 2, 3 → 4</b>, modules relu, block.relu → block.sum'
    """
    if by is By.LAYER_PAIR:
        return f"<b>Layer pair {layer_tick(place, by)}</b>, modules {as_text(modules(place))}"
    named = zip(place.condition_layers, place.condition_names, strict=True)
    conditions = ", ".join(f"{k} ({as_text(name)})" for k, name in named)
    decision = f"<b>Decision layer {place.decision_layer}</b>, module {as_text(place.decision_name)}"
    return f"{decision}<br>Condition layers: {conditions}"


def modules(place: Place) -> str:
    """What the network calls a row's layers."""
    return modules_in_words(place.condition_names, place.decision_name)


def at_layers(places: Sequence[Place], by: By, ratios: Sequence[Ratio]) -> dict[str, Any]:
    """Places and hover texts of a trace by layer; ``customdata``: condition layers, decision layer, n and total."""
    return {
        "x": [layer_tick(place, by) for place in places],
        "hovertext": [layer_hover(place, by) for place in places],
        "customdata": [
            [condition_layers(place), place.decision_layer, ratio.n, ratio.total]
            for place, ratio in zip(places, ratios, strict=True)
        ],
    }


def name_layers(figure: go.Figure, places: Sequence[Place], by: By) -> None:
    """Ticks of the x axis that never overlap."""
    every = math.ceil(len(places) / MOST_TICKS)
    shown = [layer_tick(place, by) for place in places[::every]]
    turned = by is By.LAYER_PAIR and len(places) > MOST_UPRIGHT
    figure.update_xaxes(type="category", tickvals=shown, ticktext=shown, tickangle=-90 if turned else 0)
    if turned:
        figure.update_layout(legend_y=BELOW_TALL_TICKS)


def distance_scale(low: float, high: float, *, log: bool) -> dict[str, object]:
    """What a Plotly axis of distances needs: from 0 to ``high``, or with ``log`` from ``low``."""
    if not log:
        return {"showgrid": True, "range": [0, high]}
    ticks = log_ticks(low, high)
    return {
        "type": "log",
        "showgrid": True,
        "tickvals": ticks,
        "ticktext": [plain_number(tick) for tick in ticks],
        "range": [math.log10(low), math.log10(high)],
    }


def add_grey_levels(figure: go.Figure, axis: Literal["x", "y"], low: float, high: float, *, log: bool = False) -> None:
    """An axis of grey levels opposite to the one of distances from ``low`` to ``high``, and tied to it."""
    levels = log_ticks(low / GREY_LEVEL, high / GREY_LEVEL) if log else even_ticks(high / GREY_LEVEL)
    figure.add_trace(go.Scatter(x=[None], y=[None], showlegend=False, hoverinfo="skip", **{f"{axis}axis": f"{axis}2"}))
    figure.update_layout(
        {
            f"{axis}axis2": {
                "overlaying": axis,
                "matches": axis,
                "type": "log" if log else "linear",
                "side": "top" if axis == "x" else "right",
                "title": {"text": GREY_LEVELS},
                "tickvals": [level * GREY_LEVEL for level in levels],
                "ticktext": [plain_number(level) for level in levels],
                "showgrid": False,
            },
        }
    )
    if axis == "x":
        figure.update_layout(margin_t=TOP, height=HEIGHT + TOP - TEMPLATE.layout.margin.t)


@dataclass(frozen=True)
class Limit:
    """A distance, its name, and the colour and dash of its line."""

    distance: float
    name: str
    colour: str
    dash: str


def limits(bounds: Iterable[float | None], norm: Norm, unit: Unit) -> list[Limit]:
    """The bounds b, each once, and one grey level where a distance can be read in grey levels.

    >>> [limit.name for limit in limits([0.1, 0.1, None], "inf", "pixels")]
    ['bound b = 0.1 (25.5 grey levels)', 'one grey level of 8 bits (1/255)']
    """
    levels = in_grey_levels(norm, unit)
    found = [
        Limit(b, f"bound b = {b:.4g}" + (f" ({b / GREY_LEVEL:.4g} grey levels)" if levels else ""), PURPLE, "dashdot")
        for b in sorted({b for b in bounds if b is not None})
    ]
    if levels:
        found.append(Limit(GREY_LEVEL, "one grey level of 8 bits (1/255)", GREY, "dot"))
    return found


def reach(high: float, known: Sequence[Limit]) -> float:
    """How far an axis goes that shows ``high`` and every limit that is not much farther."""
    return max([high, *(limit.distance for limit in known if limit.distance <= REACH * high)])


def draw_limits(figure: go.Figure, axis: Literal["x", "y"], known: Sequence[Limit], low: float, high: float) -> None:
    """Lines across the plot at the limits between ``low`` and ``high``; the legend names the others, too."""
    other = "y" if axis == "x" else "x"
    across = {"type": "line", f"{axis}ref": axis, f"{other}ref": "paper", f"{other}0": 0, f"{other}1": 1}
    for limit in known:
        line, within = {"color": limit.colour, "width": 2, "dash": limit.dash}, low <= limit.distance <= high
        if within:
            ends = {f"{axis}0": limit.distance, f"{axis}1": limit.distance}
            figure.add_shape({**across, **ends, "line": line, "layer": "below"})
        name = limit.name if within else f"{limit.name}, outside this axis"
        figure.add_trace(go.Scatter(name=name, mode="lines", x=[None], y=[None], line=line))


def plain_number(value: float) -> str:
    """A number without an exponent.

    >>> plain_number(0.00002), plain_number(20.0)
    ('0.00002', '20')
    """
    return np.format_float_positional(value, trim="-")


def even_ticks(high: float) -> list[float]:
    """Five to eleven multiples of 1, 2 or 5 of a power of ten, from 0 to at most ``high``.

    >>> even_ticks(12.5), even_ticks(0.04)
    ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0], [0.0, 0.01, 0.02, 0.03, 0.04])
    """
    power = 10.0 ** math.floor(math.log10(high / 4))
    step = max(lead * power for lead in (1, 2, 5) if lead * power <= high / 4)
    return [float(f"{n * step:.6g}") for n in range(math.floor(high / step * (1 + 1e-9)) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each power of ten from ``low`` to ``high``; over more than three decades, the powers alone.

    Where not even two of them lie, multiples of a smaller step.

    >>> log_ticks(0.015, 0.3), log_ticks(0.0004, 2.0), log_ticks(0.011, 0.019)
    ([0.02, 0.05, 0.1, 0.2], [0.001, 0.01, 0.1, 1.0], [0.012, 0.014, 0.016, 0.018])
    """
    steps = (1, 2, 5) if high <= 1000 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [float(f"{step}e{power}") for power in powers for step in steps]
    within = [value for value in values if low <= value <= high]
    if len(within) > 1:
        return within
    step = even_ticks(high - low)[1]
    return [float(f"{n * step:.6g}") for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
