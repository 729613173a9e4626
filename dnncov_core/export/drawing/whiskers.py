"""Whiskers at bars and points: intervals and deviations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from dnncov_core.export.drawing.looks import colour
from dnncov_core.export.drawing.properties import NotDrawnError, Properties
from dnncov_core.export.drawing.text import POINTS

CAP = 2.0
"""Points from a whisker to the end of its cap."""


def whiskers(axes: Axes, at: Sequence[tuple[float, float]], said: Properties, letter: str, *, cap: float = CAP) -> None:
    """Draws what a trace says of its errors along the axis ``letter``; ``cap`` is that of their ends.

    Raises:
        NotDrawnError: something that is not known.
    """
    lengths = said.take("array")
    if lengths is None:
        return said.done()
    if said.take("type") != "data":
        raise NotDrawnError(f"{said.place}.type")
    shade, width = colour(said.take("color")), POINTS * said.number("thickness", 2)
    below = lengths if said.take("symmetric", True) else said.take("arrayminus")
    visible = said.take("visible", True)
    said.leave("width")
    said.done()
    ends = zip(at, below, lengths, strict=True)
    there = [(x, y, low, high) for (x, y), low, high in ends if high is not None and not math.isnan(x + y)]
    if not visible or not there:
        return None
    xs, ys, *spans = zip(*there, strict=True)
    looks: dict[str, Any] = {"fmt": "none", "ecolor": shade, "elinewidth": width, "capsize": cap, "capthick": width}
    looks[f"{letter}err"] = spans
    axes.errorbar(xs, ys, **looks)
    return None
