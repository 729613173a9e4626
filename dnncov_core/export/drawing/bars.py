"""Bars: stacked, or beside each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from dnncov_core.export.drawing.axes import Places, points
from dnncov_core.export.drawing.labels import Labels
from dnncov_core.export.drawing.lines import CAP, whiskers
from dnncov_core.export.drawing.properties import NotDrawnError, Properties
from dnncov_core.export.drawing.text import points_of_text
from dnncov_core.export.drawing.translation import HATCHES, colour

MANY = 5
"""With so many bars at one place, the ends of their whiskers are short."""


class Bars:
    """Draws the traces of one figure, which may stand on each other.

    Args:
        axes: where.
        places: of the categories.
        layout: says how the bars of one category share its place.
        members: how many traces of bars there are.

    Raises:
        NotDrawnError: another way of sharing it.
    """

    def __init__(self, axes: Axes, places: Places, layout: Properties, members: int) -> None:
        self._axes, self._places, self._members = axes, places, members
        self._stacked = layout.one_of("barmode", {"stack": True, "group": False}, "group")
        self._gap, self._group_gap = layout.number("bargap", 0.2), layout.number("bargroupgap", 0.0)
        self._tops: dict[float, float] = {}
        self._member = 0

    def draw(self, said: Properties, labels: Labels) -> Patch:
        """Draws a trace, and returns what its entry in the legend shows."""
        xs, ys = self._places(said.take("x")), said.take("y")
        look, (shift, width) = _look(said.group("marker")), self._slot()
        there = [at for at, y in enumerate(ys) if y is not None]
        middles, heights = [xs[at] + shift for at in there], [float(ys[at]) for at in there]
        below = self._starts(xs, said.take("base"), there)
        self._axes.bar(middles, heights, width, bottom=below, **look)
        tops = [low + height for low, height in zip(below, heights, strict=True)]
        self._tops.update(zip((xs[at] for at in there), tops, strict=True))
        ends = [(x + shift, math.nan if y is None else y) for x, y in zip(xs, ys, strict=True)]
        whiskers(self._axes, ends, said.group("error_y"), "y", cap=CAP if self._members < MANY else CAP / 2)
        size, position = said.group("textfont").number("size", 14), said.take("textposition", "outside")
        if texts := said.take("text"):
            if position != "outside" or len(texts) != len(ys):
                raise NotDrawnError(f"{said.place}.textposition = {position!r}")
            labels.add(list(zip(middles, tops, strict=True)), [texts[at] for at in there], size=points_of_text(size))
        said.leave("type", "name", "cliponaxis", "showlegend")
        said.done()
        return Patch(**look)

    def _starts(self, xs: Sequence[float], base: Sequence[float] | None, there: Sequence[int]) -> list[float]:
        """Where the bars begin: as the trace says, or on those below them."""
        if base is not None:
            return [float(base[at]) for at in there]
        return [self._tops.get(xs[at], 0.0) if self._stacked else 0.0 for at in there]

    def _slot(self) -> tuple[float, float]:
        """How far the next trace's bar of a category stands from its middle, and how wide it is."""
        n, member = (1, 0) if self._stacked else (self._members, self._member)
        self._member += 1
        width = (1 - self._gap) / n
        return (member - (n - 1) / 2) * width, width * (1 - self._group_gap)


def _look(said: Properties) -> Mapping[str, Any]:
    """Colours and hatching of a marker."""
    fill, line, pattern = said.take("color"), said.group("line"), said.group("pattern")
    edge, width = line.take("color", fill), points(line.number("width", 0))
    hatch = pattern.one_of("shape", HATCHES, "")
    if hatch:
        if pattern.take("fillmode") != "replace":
            raise NotDrawnError(f"{pattern.place}.fillmode")
        fill = pattern.take("bgcolor")
        edge = pattern.take("fgcolor")
        pattern.leave("size", "solidity")
    return {"facecolor": colour(fill), "edgecolor": colour(edge), "linewidth": width, "hatch": hatch or None}
