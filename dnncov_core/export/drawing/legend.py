"""The legend below a plot: as many entries in a row as the paper's width holds."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D

from dnncov_core.export.drawing.looks import colour
from dnncov_core.export.drawing.text import LINE, font, width_of, wrapped

HANDLE = 3.2
"""Width of what stands before an entry's name, in font sizes."""
PAD = 0.6
"""Between it and the name."""
COLUMN = 1.6
"""Between two columns."""
MARKS = 3.5, 7.0
"""Points of a mark, at least and at most, also where those in the plot are smaller or larger."""


@dataclass(frozen=True)
class Entry:
    """A name, and what is drawn before it, one upon another."""

    name: str
    shown: Sequence[Artist]


def legend(figure: Figure, entries: Sequence[Entry], width: float, size: float, text_colour: str) -> Legend | None:
    """The legend of these entries, ``width`` points wide at most; not placed yet. None without entries."""
    if not entries:
        return None
    most = width - (HANDLE + PAD) * size
    names = ["\n".join(wrapped(html.unescape(entry.name), size, most)) for entry in entries]
    columns = _columns([max(width_of(line, size) for line in name.split("\n")) for name in names], width, size)
    looks: dict[str, Any] = {
        "handler_map": {tuple: HandlerTuple(ndivide=1, pad=0)},
        "ncols": columns,
        "prop": font(size),
        "labelcolor": colour(text_colour),
        "frameon": False,
        "borderpad": 0,
        "borderaxespad": 0,
        "handlelength": HANDLE,
        "handletextpad": PAD,
        "columnspacing": COLUMN,
        "labelspacing": 0.5,
        "alignment": "left",
        "loc": "upper left",
    }
    handles: list[Any] = [tuple(entry.shown) for entry in entries]
    made = figure.legend(handles, names, **looks)
    for text in made.get_texts():
        text.set_linespacing(LINE)
    for mark in made.findobj(Line2D):
        mark.set_markersize(min(max(mark.get_markersize(), MARKS[0]), MARKS[1]))
    return made


def _columns(widths: Sequence[float], most: float, size: float) -> int:
    """The greatest number of columns that fit; Matplotlib fills them one after another, as evenly as it can."""
    for columns in range(len(widths), 1, -1):
        rows, more = divmod(len(widths), columns)
        sizes = [rows + (at < more) for at in range(columns)]
        starts = [sum(sizes[:at]) for at in range(columns)]
        needed = sum(max(widths[start : start + n]) for start, n in zip(starts, sizes, strict=True))
        needed += columns * (HANDLE + PAD) * size + (columns - 1) * COLUMN * size
        if needed <= most:
            return columns
    return 1
