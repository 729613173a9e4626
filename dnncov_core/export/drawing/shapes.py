"""Shapes of the layout: lines across the whole plot at one value of an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from dnncov_core.export.drawing.axes import points
from dnncov_core.export.drawing.looks import DASHES, colour
from dnncov_core.export.drawing.properties import NotDrawnError, Properties


def draw_shapes(axes: Axes, found: Sequence[Mapping[str, Any]]) -> None:
    """Draws them below everything else.

    Raises:
        NotDrawnError: anything but a line from one side of the plot to the other.
    """
    for at, each in enumerate(found):
        said = Properties(each, f"shape {at}")
        refs = {letter: said.take(f"{letter}ref", letter) for letter in "xy"}
        ends = {letter: (said.take(f"{letter}0"), said.take(f"{letter}1")) for letter in "xy"}
        along, across = ("x", "y") if refs["y"] == "paper" else ("y", "x")
        whole = refs[along] == along and refs[across] == "paper" and ends[across] == (0, 1)
        if said.take("type") != "line" or not whole or ends[along][0] != ends[along][1]:
            raise NotDrawnError(said.place)
        said.leave("layer")
        line = said.group("line")
        look: dict[str, Any] = {
            "color": colour(line.take("color")),
            "linewidth": points(line.number("width", 2)),
            "linestyle": line.one_of("dash", DASHES, "solid"),
        }
        line.done()
        said.done()
        draw = axes.axvline if along == "x" else axes.axhline
        draw(ends[along][0], zorder=1, **look)
