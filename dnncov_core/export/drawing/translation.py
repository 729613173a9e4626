"""Colours, symbols, dashes and hatching: what Plotly calls them, and what Matplotlib draws."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.colors import to_rgba

from dnncov_core.export.drawing.properties import NotDrawnError

Colour = tuple[float, float, float, float]


def colour(value: str | None) -> Colour:
    """Red, green, blue and opacity from 0 to 1.

    Raises:
        NotDrawnError: none is given, since none is to be chosen by the order of traces; or it is not understood.

    >>> colour("rgba(0, 255, 0, 0.5)"), colour("#0000FF")
    ((0.0, 1.0, 0.0, 0.5), (0.0, 0.0, 1.0, 1.0))
    """
    if value is None:
        raise NotDrawnError("a trace without a colour of its own")
    if found := re.fullmatch(r"rgba\((\d+), *(\d+), *(\d+), *([\d.]+)\)", value):
        red, green, blue = (int(part) / 255 for part in found.groups()[:3])
        return red, green, blue, float(found.group(4))
    try:
        rgba = to_rgba(value)
    except ValueError as error:
        raise NotDrawnError(f"colour {value!r}") from error
    return float(rgba[0]), float(rgba[1]), float(rgba[2]), float(rgba[3])


DASHES: Mapping[str, Any] = {
    "solid": "-",
    "dot": (0, (1, 1.4)),
    "dash": (0, (4, 2)),
    "longdash": (0, (7, 2.5)),
    "dashdot": (0, (4, 1.6, 1, 1.6)),
    "longdashdot": (0, (7, 2, 1, 2)),
}
"""Lengths of dashes and of the gaps between them, in line widths."""

HATCHES: Mapping[str, str] = {
    "": "",
    "/": "//////",
    "x": "xxxxxx",
    ".": ".....",
    "\\": "\\" * 6,
    "-": "------",
}


@dataclass(frozen=True)
class Symbol:
    """A marker: its outline, whether it is filled, and what is drawn over it."""

    marker: str
    filled: bool = True
    over: str = ""
    factor: float = 1.0


SYMBOLS: Mapping[str, Symbol] = {
    "circle": Symbol("o"),
    "circle-open": Symbol("o", filled=False),
    "circle-dot": Symbol("o", over="."),
    "square": Symbol("s", factor=0.9),
    "square-x": Symbol("s", over="x", factor=0.9),
    "square-cross": Symbol("s", over="+", factor=0.9),
    "square-open": Symbol("s", filled=False, factor=0.9),
    "diamond": Symbol("D", factor=0.8),
    "diamond-open": Symbol("D", filled=False, factor=0.8),
    "cross": Symbol("P"),
    "cross-open": Symbol("P", filled=False),
    "triangle-up": Symbol("^"),
    "triangle-up-open": Symbol("^", filled=False),
    "x": Symbol("X"),
    "x-open": Symbol("X", filled=False),
    "line-ns-open": Symbol("|", filled=False),
    "line-ew-open": Symbol("_", filled=False),
}

ALIGNMENTS: Mapping[str, tuple[int, int]] = {
    f"{height} {side}": (x, y)
    for y, height in ((1, "top"), (0, "middle"), (-1, "bottom"))
    for x, side in ((-1, "left"), (0, "center"), (1, "right"))
}
"""Where a point's text stands, by Plotly's name: to the left or right of the point, above or below it."""
