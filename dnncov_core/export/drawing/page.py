"""The sheet of paper: title above, plot in the middle, legend below, and as much room for each as it needs."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from dnncov_core.export.drawing.axes import fit_ticks, wrap_categories, wrap_names
from dnncov_core.export.drawing.labels import Labels
from dnncov_core.export.drawing.text import LINE, width_of, wrapped

MARGIN = 4.0
"""Points around everything."""
NAMES = 0.38
"""The share of the paper's width that names at the y axis may take."""
BETWEEN = 6.0
"""Points between title, plot and legend."""
INCH = 72.0
HANDLE = 3.2
"""Width of what stands before an entry's name, in font sizes."""
PAD = 0.6
"""The gap between that and the entry's name, in font sizes."""
COLUMN = 1.6
"""The gap between two columns, in font sizes."""
MARKS = 3.5, 7.0
"""Points of a mark, at least and at most, also where those in the plot are smaller or larger."""


class Page:
    """A sheet ``width`` points wide; its height follows from what is on it.

    Args:
        width: in points.
        plot_height: of the plot itself, in points.
        size: of text, in points.
        square: whether a unit is as long along y as along x, so that the plot's height follows from its width.
    """

    def __init__(self, width: float, plot_height: float, size: float, *, square: bool = False) -> None:
        self._square = square
        self._width, self.plot_height, self._size = width, plot_height, size
        self.figure = Figure(figsize=(width / INCH, 10 * plot_height / INCH), dpi=INCH, facecolor="white")
        FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_axes((0.15, 0.4, 0.7, 0.1))
        self._left, self._right = 0.15 * width, 0.15 * width

    @property
    def inner_width(self) -> float:
        """The width between the margins, in points."""
        return self._width - 2 * MARGIN

    @property
    def _plot_width(self) -> float:
        return self._width - self._left - self._right

    def set(self, heading: Sequence[tuple[str, float, bool]], labels: Labels, legend: Legend | None) -> None:
        """Puts heading, plot, labels and legend in their places.

        Args:
            heading: above the plot, each part with its size, and whether it is bold.
            labels: are drawn once places have their widths.
            legend: below.
        """
        lines_a_name = wrap_categories(self.axes, NAMES * self._width, self._size)
        rows, room = len(self.axes.get_yticks()), (lines_a_name + 0.6) * LINE * self._size
        if lines_a_name > 1:
            self.plot_height = max(self.plot_height, rows * room)
        for _ in range(3):
            before = self._left, self._right
            self._fit_width()
            if before == (self._left, self._right):
                break
        low, high = self.axes.get_xlim()
        per_place = self._plot_width / (high - low)
        fit_ticks(self.axes, self._size, per_place)
        labels.draw(per_place)
        self._fit_width()
        if self._square:
            bottom, top = self.axes.get_ylim()
            self.plot_height = self._plot_width * (top - bottom) / (high - low)
        _, below, _, above = self._beyond()
        lines = [(line, *part[1:]) for part in heading for line in wrapped(part[0], part[1], self.inner_width)]
        head = sum(LINE * size for _, size, _ in lines) + (BETWEEN if lines else 0)
        foot = BETWEEN + _height(legend) if legend is not None else 0.0
        height = MARGIN + head + above + self.plot_height + below + foot + MARGIN
        self.figure.set_size_inches(self._width / INCH, height / INCH)
        self._place(bottom=(MARGIN + foot + below) / height, share=self.plot_height / height)
        self._head(lines, height)
        if legend is not None:
            legend.set_bbox_to_anchor((MARGIN / self._width, (MARGIN + _height(legend)) / height))

    def _fit_width(self) -> None:
        left, _, right, _ = self._beyond()
        self._left, self._right = left + MARGIN, right + MARGIN
        self._place(bottom=0.4, share=0.1)
        for axes in self.figure.axes:
            wrap_names(axes, self._plot_width, self.plot_height, self._size)

    def _place(self, *, bottom: float, share: float) -> None:
        left = self._left / self._width
        for axes in self.figure.axes:
            axes.set_position((left, bottom, 1 - left - self._right / self._width, share))

    def _beyond(self) -> tuple[float, float, float, float]:
        """How far what belongs to the plot reaches beyond it: left, below, right, above, in points."""
        boxes = [box for axes in self.figure.axes if (box := axes.get_tightbbox()) is not None]
        plot, all_of_it = self.axes.get_window_extent(), Bbox.union(boxes)
        return (
            max(0.0, plot.x0 - all_of_it.x0),
            max(0.0, plot.y0 - all_of_it.y0),
            max(0.0, all_of_it.x1 - plot.x1),
            max(0.0, all_of_it.y1 - plot.y1),
        )

    def _head(self, lines: Sequence[tuple[str, float, bool]], height: float) -> None:
        top = height - MARGIN
        for text, size, bold in lines:
            looks: dict[str, Any] = {"fontsize": size, "fontweight": "bold" if bold else "normal"}
            self.figure.text(MARGIN / self._width, top / height, text, ha="left", va="top", **looks)
            top -= LINE * size


def _height(legend: Legend | None) -> float:
    return 0.0 if legend is None else float(legend.get_window_extent().height)


@dataclass(frozen=True)
class LegendEntry:
    """A name, and what is drawn before it, one upon another."""

    name: str
    shown: Sequence[Artist]


def legend(figure: Figure, entries: Sequence[LegendEntry], width: float, size: float) -> Legend | None:
    """The legend of these entries, ``width`` points wide at most; not placed yet. None without entries."""
    if not entries:
        return None
    most = width - (HANDLE + PAD) * size
    names = ["\n".join(wrapped(html.unescape(entry.name), size, most)) for entry in entries]
    columns = _columns([max(width_of(line, size) for line in name.split("\n")) for name in names], width, size)
    looks: dict[str, Any] = {
        "handler_map": {tuple: HandlerTuple(ndivide=1, pad=0)},
        "ncols": columns,
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
