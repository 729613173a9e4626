"""Scatter traces (lines, markers, arrows, text), whiskers at points and bars, and lines across the whole plot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Polygon

from dnncov_core.export.drawing.axes import Places, points
from dnncov_core.export.drawing.labels import Labels
from dnncov_core.export.drawing.properties import NotDrawnError, Properties, looked_up
from dnncov_core.export.drawing.text import points_of_text
from dnncov_core.export.drawing.translation import ALIGNMENTS, DASHES, SYMBOLS, Symbol, colour

MODES = {"lines", "markers", "text", "lines+markers", "markers+text"}
CAP = 2.0
"""Points from a whisker to the end of its cap."""
SHAPES = {"linear": "default", "hv": "steps-post"}


@dataclass
class Scatter:
    """Draws scatter traces on axes; ``shift`` moves those of a group from the middle of their places."""

    axes: Axes
    places: tuple[Places, Places]
    labels: Labels
    most_size: float
    group: Sequence[float] = ()
    member: int = 0
    last: Sequence[tuple[float, float]] = ()
    thinned: int = 0

    def draw(self, said: Properties) -> list[Artist]:
        """Draws a trace, and returns what its entry in the legend shows, one upon another."""
        mode = said.take("mode")
        if mode not in MODES:
            raise NotDrawnError(f"{said.place}.mode = {mode!r}")
        said.leave("type", "cliponaxis", "showlegend", "name", "xaxis", "yaxis")
        xs, ys = self.places[0](said.take("x")), self.places[1](said.take("y"))
        shift, along = self._shift(said), said.one_of("orientation", {"v": (1, 0), "h": (0, 1)}, "v")
        at = [(x + shift * along[0], y + shift * along[1]) for x, y in zip(xs, ys, strict=True)]
        marker, line = said.group("marker"), said.group("line")
        shown: list[Artist] = []
        if marker.take("angleref") == "previous":
            shown = [_arrow(self.axes, at, line, marker)]
        else:
            shown += self._lines(at, said, line) if "lines" in mode else []
            radius, marks = self._marks(at, marker) if "markers" in mode else (0.0, [])
            for letter in "xy":
                whiskers(self.axes, at, said.group(f"error_{letter}"), letter)
            self._text(at, said, radius) if "text" in mode else None
            shown += marks
        said.done()
        return shown

    def _shift(self, said: Properties) -> float:
        if said.take("offsetgroup") is None:
            return 0.0
        self.member += 1
        return self.group[self.member - 1]

    def _lines(self, at: Sequence[tuple[float, float]], said: Properties, line: Properties) -> list[Artist]:
        """A line, or the space that it encloses, or that between it and the line before."""
        fill, before, self.last = said.take("fill"), self.last, at
        if fill is None:
            return _line(self.axes, at, line)
        shade = colour(said.take("fillcolor"))
        if line.number("width", 2) or fill not in ("toself", "tonexty"):
            raise NotDrawnError(f"{said.place}.fill = {fill!r}")
        line.leave("shape")
        if fill == "toself":
            self.axes.add_patch(Polygon(at, closed=True, facecolor=shade, linewidth=0, zorder=1))
        else:
            xs, upper, lower = [x for x, _ in at], [y for _, y in before], [y for _, y in at]
            self.axes.fill_between(xs, lower, upper, step="post", facecolor=shade, linewidth=0, zorder=1)
        return []

    def _marks(self, at: Sequence[tuple[float, float]], said: Properties) -> tuple[float, list[Artist]]:
        """Markers; the largest one's radius in points."""
        symbol, opacity = said.take("symbol", "circle"), said.number("opacity", 1)
        size, fill, edge = said.take("size", 6), said.take("color"), said.group("line")
        said.leave("angleref")
        at = self._thinned(at, said.take("maxdisplayed"))
        border, width = edge.take("color", "rgba(0, 0, 0, 0)"), points(edge.number("width", 0))
        if opacity != 1 or isinstance(size, list):
            raise NotDrawnError(f"{said.place}: opacity {opacity}, size {size}")
        diameter = min(points(size), self.most_size)
        each_of = [each if isinstance(each, list) else [each] * len(at) for each in (symbol, fill, border)]
        kinds = list(zip(*each_of, strict=True))
        shown: list[Artist] = []
        for kind in dict.fromkeys(kinds):
            some = [place for place, each in zip(at, kinds, strict=True) if each == kind]
            form = looked_up(SYMBOLS, kind[0], f"{said.place}.symbol")
            looks = _marker_looks(form, diameter, kind[1], kind[2], width)
            shown = shown or [Line2D([], [], **look) for look in looks]
            for look in looks:
                self._add([x for x, _ in some], [y for _, y in some], look)
        return diameter / 2, shown

    def _thinned(self, at: Sequence[tuple[float, float]], most: int | None) -> Sequence[tuple[float, float]]:
        """At most so many of the points, as Plotly chooses them: those of several traces are not at the same places."""
        if not most:
            return at
        step, n = math.ceil(len(at) / most), self.thinned
        self.thinned += 1
        first = round(n * step / 3 + n // 3 * step / 7.1)
        return [place for number, place in enumerate(at) if not (number + first) % step]

    def _add(self, xs: Sequence[float], ys: Sequence[float], look: dict[str, Any]) -> None:
        there = [(x, y) for x, y in zip(xs, ys, strict=True) if not (math.isnan(x) or math.isnan(y))]
        if there:
            self.axes.plot(*zip(*there, strict=True), clip_on=False, zorder=4, **look)

    def _text(self, at: Sequence[tuple[float, float]], said: Properties, radius: float) -> None:
        texts, position, fonts = said.take("text"), said.take("textposition", "middle center"), said.group("textfont")
        shade, size = fonts.take("color"), points_of_text(fonts.number("size", 14))
        positions = position if isinstance(position, list) else [position] * len(at)
        sides = [looked_up(ALIGNMENTS, each, f"{said.place}.textposition") for each in positions]
        self.labels.add(at, texts, size=size, sides=sides, away=radius + 1.5, shade=shade)


def _line(axes: Axes, at: Sequence[tuple[float, float]], said: Properties) -> list[Artist]:
    if not said.number("width", 2):
        said.leave("shape", "color", "dash")
        return []
    look = {
        "color": colour(said.take("color")),
        "linewidth": points(said.number("width", 2)),
        "linestyle": said.one_of("dash", DASHES, "solid"),
    }
    steps = said.one_of("shape", SHAPES, "linear")
    if not all(math.isnan(x) or math.isnan(y) for x, y in at):  # a line without points is an entry of the legend alone
        axes.plot(*zip(*at, strict=True), drawstyle=steps, zorder=3, solid_joinstyle="miter", **look)
    return [Line2D([], [], **look)]


def _marker_looks(symbol: Symbol, size: float, fill: str, border: str, width: float) -> list[dict[str, Any]]:
    """What is drawn for a symbol: its outline, and what lies over it."""
    clear = (0.0, 0.0, 0.0, 0.0)
    outline = {
        "marker": symbol.marker,
        "markersize": size * symbol.factor,
        "markerfacecolor": colour(fill) if symbol.filled else clear,
        "markeredgecolor": colour(border if symbol.filled else fill),
        "markeredgewidth": width if symbol.filled else max(width, 0.7),
        "linestyle": "none",
    }
    if not symbol.over:
        return [outline]
    over = {
        "marker": symbol.over,
        "markersize": size * symbol.factor * (0.8 if symbol.over != "." else 0.7),
        "markerfacecolor": colour(border),
        "markeredgecolor": colour(border),
        "markeredgewidth": max(0.8 * width, 0.4),
        "linestyle": "none",
    }
    return [outline, over]


def _arrow(axes: Axes, at: Sequence[tuple[float, float]], line: Properties, marker: Properties) -> Artist:
    """A line whose end, at some distance from the last point, is an arrow's head."""
    sizes, away = marker.take("size"), marker.take("standoff")
    shade = line.take("color")
    if marker.take("symbol") != "arrow" or marker.take("color") != shade or len(at) != 2 or sizes[0] or away[0]:
        raise NotDrawnError(f"{marker.place}: only an arrow from one point to another, of its line's colour")
    marker.leave("opacity")
    border = marker.group("line")
    border.leave("width")
    width, dash = points(line.number("width", 2)), line.one_of("dash", DASHES, "solid")
    looks: dict[str, Any] = {
        "shrinkA": 0.0,
        "shrinkB": points(away[1]),
        "mutation_scale": points(sizes[1]),
        "linewidth": width,
    }
    head = FancyArrowPatch(*at, arrowstyle="-|>", linestyle="solid", color=colour(shade), zorder=2, **looks)
    if dash != DASHES["solid"]:
        head.set_linestyle(dash)
        head.set_capstyle("butt")
    axes.add_patch(head)
    return head


def whiskers(axes: Axes, at: Sequence[tuple[float, float]], said: Properties, letter: str, *, cap: float = CAP) -> None:
    """Draws what a trace says of its errors along the axis ``letter``; ``cap`` is that of their ends."""
    lengths = said.take("array")
    if lengths is None:
        return
    if said.take("type") != "data":
        raise NotDrawnError(f"{said.place}.type")
    shade, width = colour(said.take("color")), points(said.number("thickness", 2))
    below = lengths if said.take("symmetric", True) else said.take("arrayminus")
    visible = said.take("visible", True)
    said.leave("width")
    ends = zip(at, below, lengths, strict=True)
    there = [(x, y, low, high) for (x, y), low, high in ends if high is not None and not math.isnan(x + y)]
    if not visible or not there:
        return
    xs, ys, *spans = zip(*there, strict=True)
    looks: dict[str, Any] = {"fmt": "none", "ecolor": shade, "elinewidth": width, "capsize": cap, "capthick": width}
    looks[f"{letter}err"] = spans
    axes.errorbar(xs, ys, **looks)


def draw_shapes(axes: Axes, found: Sequence[Mapping[str, Any]]) -> None:
    """Draws the shapes of a layout, which are lines across the plot at one value of an axis, below everything else.

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
        said.done()
        draw = axes.axvline if along == "x" else axes.axhline
        draw(ends[along][0], zorder=1, **look)
