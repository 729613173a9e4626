"""The axes of a figure: which places categories have, ranges, ticks, grids, and second axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MultipleLocator, NullLocator

from dnncov_core.export.drawing.properties import NotDrawnError, Properties
from dnncov_core.export.drawing.text import LINE, POINTS, lines_of, width_of, wrapped
from dnncov_core.export.drawing.translation import colour
from dnncov_core.figures.style import FAINT

LINE_COLOUR = "rgba(138, 143, 152, 0.6)"
"""The colour of the line that an axis stands on; on paper it needs one."""


class Places:
    """Numbers along an axis; categories have 0, 1, 2, ... in the order in which traces name them."""

    def __init__(self, layout: Mapping[str, Any], traces: Sequence[Mapping[str, Any]], letter: str) -> None:
        self._log = layout.get("type") == "log"
        self.categories: list[str] = []
        if layout.get("type") == "category":
            named = (value for trace in traces for value in trace.get(letter) or () if isinstance(value, str))
            ordered = layout.get("categoryarray") if layout.get("categoryorder") == "array" else None
            self.categories = list(dict.fromkeys([*(ordered or ()), *named]))

    def __call__(self, values: Sequence[Any]) -> list[float]:
        """Where values stand; NaN for those that are not there."""
        return [self._place(value) for value in values]

    def _place(self, value: Any) -> float:
        if value is None:
            return math.nan
        if isinstance(value, str):
            if value not in self.categories:
                raise NotDrawnError(f"category {value!r} on an axis of numbers")
            return float(self.categories.index(value))
        return float(value)

    def limits(self, values: Sequence[float] | None) -> tuple[float, float] | None:
        """A range; of a logarithmic axis Plotly's is one of exponents. None where it follows the data."""
        if values is None:
            return (-0.5, len(self.categories) - 0.5) if self.categories else None
        low, high = values
        return (10.0**low, 10.0**high) if self._log else (float(low), float(high))


def prepare(axes: Axes, letter: str, layout: Mapping[str, Any], places: Places) -> None:
    """Sets the scale and range of an axis, before anything is drawn."""
    if layout.get("type") == "log":
        axes.set(**{f"{letter}scale": "log"})
    limits = places.limits(layout.get("range"))
    if limits is not None:
        axes.set(**{f"{letter}lim": limits})


def finish(axes: Axes, letter: str, said: Properties, places: Places) -> None:
    """Sets ticks, grid and title of the first x or y axis."""
    axis: Axis = axes.xaxis if letter == "x" else axes.yaxis
    said.leave("type", "range", "automargin", "tickfont", "categoryorder", "categoryarray", "rangemode")
    said.leave("fixedrange", "constrain", "scaleanchor", "ticks")
    _ticks(axis, said, places)
    _grid(axis, said)
    spine = axes.spines["bottom" if letter == "x" else "left"]
    spine.set_color(colour(said.take("linecolor", LINE_COLOUR)))
    spine.set_linewidth(0.6)
    spine.set_visible(letter == "x")
    _name(axis, said.group("title"))
    _zero(axes, letter, said)
    if not said.take("visible", True):
        axis.set_visible(False)
        spine.set_visible(False)


def _zero(axes: Axes, letter: str, said: Properties) -> None:
    """Draws the line at 0."""
    shade, width = said.take("zerolinecolor"), points(said.number("zerolinewidth", 1))
    if said.take("zeroline", False):
        (axes.axvline if letter == "x" else axes.axhline)(0, color=colour(shade), linewidth=width, zorder=2)


def _name(axis: Axis, said: Properties) -> None:
    said.leave("font")
    axis.set_label_text(said.take("text", ""))


def fit_ticks(axes: Axes, size: float, per_place: float) -> None:
    """Breaks the lines of the x axis's texts, or turns these, where one would lie on the next."""
    axis = axes.xaxis
    texts, at = [label.get_text() for label in axis.get_ticklabels()], axis.get_majorticklocs()
    if len(texts) < 2 or not isinstance(axis.get_major_locator(), FixedLocator) or axes.get_xscale() == "log":
        return
    room = per_place * min(abs(after - before) for before, after in pairwise(at)) - size / 2
    if max(width_of(line, size) for text in texts for line in text.split("\n")) <= room:
        return
    if any("\n" in text for text in texts):
        axis.set_ticklabels(
            ["\n".join(line for part in text.split("\n") for line in wrapped(part, size, room)) for text in texts]
        )
    else:
        axis.set_tick_params(rotation=90)


def wrap_categories(axes: Axes, most: float, size: float) -> int:
    """Breaks the y axis's categories into lines of at most ``most`` points; returns how many the longest one has."""
    axis = axes.yaxis
    texts = [label.get_text() for label in axis.get_ticklabels()]
    if not isinstance(axis.get_major_locator(), FixedLocator) or axes.get_yscale() == "log" or not texts:
        return 1
    broken = ["\n".join(wrapped(text.replace("\n", " "), size, most)) for text in texts]
    axis.set_ticklabels(broken, linespacing=LINE, multialignment="right")
    return max(text.count("\n") + 1 for text in broken)


def wrap_names(axes: Axes, width: float, height: float, size: float) -> None:
    """Breaks axis titles that are longer than their axes."""
    for axis, most in ((axes.xaxis, width), (axes.yaxis, height)):
        text = axis.get_label_text().replace("\n", " ")
        if text:
            axis.set_label_text("\n".join(wrapped(text, size, most)))


def _ticks(axis: Axis, said: Properties, places: Places) -> None:
    values, texts = said.take("tickvals"), said.take("ticktext")
    step, form, angle = said.take("dtick"), said.take("tickformat", ""), said.take("tickangle", 0)
    if angle not in (0, -90) or form not in ("", ",d"):
        raise NotDrawnError(f"{said.place}: tickangle {angle}, tickformat {form}")
    axis.set_minor_locator(NullLocator())
    if values is not None:
        axis.set_major_locator(FixedLocator(places(values)))
        axis.set_ticklabels(["\n".join(line.text for line in lines_of(str(each))) for each in texts or values])
    elif places.categories:
        names = ["\n".join(line.text for line in lines_of(each)) for each in places.categories]
        axis.set_ticks(range(len(names)), names)
    elif step is not None:
        axis.set_major_locator(MultipleLocator(step))
    if form:
        axis.get_major_locator().set_params(**({} if step is not None else {"integer": True}))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if not said.take("showticklabels", True):
        axis.set_major_locator(NullLocator())
    away = 3 + points(said.number("ticklabelstandoff", 0))
    axis.set_tick_params(length=0, pad=away, rotation=-float(angle))


def _grid(axis: Axis, said: Properties) -> None:
    shown, shade = said.take("showgrid", True), said.take("gridcolor", FAINT)
    if shown:
        axis.grid(True, color=colour(shade), linewidth=0.5)


def second(axes: Axes, letter: str, said: Properties, places: Places) -> None:
    """An axis on the opposite side, tied to the first one."""
    if said.take("overlaying") != letter or said.take("matches") != letter:
        raise NotDrawnError(f"{said.place} is not tied to the first axis")
    if said.take("side") != {"x": "top", "y": "right"}[letter]:
        raise NotDrawnError(f"{said.place}.side")
    said.leave("type", "automargin", "linecolor", "zeroline", "gridcolor", "tickfont")
    other = axes.twiny() if letter == "x" else axes.twinx()
    axis = other.xaxis if letter == "x" else other.yaxis
    other.set(**{name: getattr(axes, f"get_{name}")() for name in (f"{letter}scale", f"{letter}lim")})
    if said.take("showgrid", False):
        raise NotDrawnError(f"{said.place}.showgrid")
    _ticks(axis, said, places)
    _name(axis, said.group("title"))


def points(pixels: float) -> float:
    """Points of paper for pixels of a screen."""
    return POINTS * pixels
