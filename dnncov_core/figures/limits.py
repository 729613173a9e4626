"""Distances that say something by themselves: the campaign's bound b and one grey level, as lines across a figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import plotly.graph_objects as go

from dnncov_core.figures.axes import GREY_LEVEL
from dnncov_core.figures.style import GREY, PURPLE, in_grey_levels
from dnncov_core.types import Norm

REACH = 1.6
"""An axis goes on to a limit that is at most so many times as far as what it shows."""


@dataclass(frozen=True)
class Limit:
    """A distance, its name, and the colour and dash of its line."""

    distance: float
    name: str
    colour: str
    dash: str


def limits(bounds: Iterable[float | None], norm: Norm, *, pixels: bool) -> list[Limit]:
    """The bounds b, each once, and one grey level where a distance can be read in grey levels.

    >>> [limit.name for limit in limits([0.1, 0.1, None], "inf", pixels=True)]
    ['bound b = 0.1 (25.5 grey levels)', 'one grey level of 8 bits (1/255)']
    """
    levels = in_grey_levels(norm, pixels=pixels)
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
    for limit, beyond in _placed(known, low, high):
        line = {"color": limit.colour, "width": 2, "dash": limit.dash}
        if not beyond:
            other = "y" if axis == "x" else "x"
            figure.add_shape(
                {
                    "type": "line",
                    f"{axis}ref": axis,
                    f"{other}ref": "paper",
                    f"{axis}0": limit.distance,
                    f"{axis}1": limit.distance,
                    f"{other}0": 0,
                    f"{other}1": 1,
                    "line": line,
                    "layer": "below",
                }
            )
        figure.add_trace(go.Scatter(name=limit.name + beyond, mode="lines", x=[None], y=[None], line=line))


def _placed(known: Sequence[Limit], low: float, high: float) -> Iterator[tuple[Limit, str]]:
    for limit in known:
        yield limit, "" if low <= limit.distance <= high else ", outside this axis"
