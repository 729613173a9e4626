"""Bars: stacked, or beside each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from dnncov_core.export.drawing.axes import Places, points
from dnncov_core.export.drawing.labels import Labels
from dnncov_core.export.drawing.lines import CAP, whiskers
from dnncov_core.export.drawing.looks import HATCHES, colour
from dnncov_core.export.drawing.properties import NotDrawnError, Properties
from dnncov_core.export.drawing.text import points_of_text

MANY = 5
"""With so many bars at one place, the ends of their whiskers are short."""


@dataclass(frozen=True)
class Grouping:
    """How the bars, or grouped points, of one category share its place."""

    stacked: bool
    gap: float
    group_gap: float
    members: int

    @classmethod
    def of(cls, layout: Properties, members: int) -> Grouping:
        """The grouping that a layout asks for.

        Raises:
            NotDrawnError: another way of grouping them.
        """
        mode = layout.one_of("barmode", {"stack": True, "group": False}, "group")
        return cls(mode, layout.number("bargap", 0.2), layout.number("bargroupgap", 0.0), members)

    def place(self, member: int) -> tuple[float, float]:
        """How far one bar of a category stands from its middle, and how wide it is."""
        n = 1 if self.stacked else self.members
        slot = (1 - self.gap) / n
        return (0.0 if self.stacked else (member - (n - 1) / 2) * slot), slot * (1 - self.group_gap)


class Bars:
    """Draws the traces of one figure, which may stand on each other."""

    def __init__(self, axes: Axes, places: Places, grouping: Grouping) -> None:
        self._axes, self._places, self._grouping = axes, places, grouping
        self._height: dict[float, float] = {}
        self._member = 0

    def draw(self, said: Properties, labels: Labels) -> Patch:
        """Draws a trace, and returns what its entry in the legend shows."""
        name, xs, ys = said.take("name", ""), self._places(said.take("x")), self._numbers(said.take("y"))
        look = _look(said.group("marker"))
        shift, width = self._grouping.place(self._member)
        self._member += 1
        below = [self._height.get(x, 0.0) if self._grouping.stacked else 0.0 for x in xs]
        there = [at for at, y in enumerate(ys) if not math.isnan(y)]
        self._axes.bar(
            [xs[at] + shift for at in there],
            [ys[at] for at in there],
            width,
            bottom=[below[at] for at in there],
            label=name,
            **look,
        )
        for at in there:
            self._height[xs[at]] = below[at] + ys[at]
        ends = [(x + shift, y) for x, y in zip(xs, ys, strict=True)]
        whiskers(self._axes, ends, said.group("error_y"), "y", cap=CAP if self._grouping.members < MANY else CAP / 2)
        self._label(said, labels, [(xs[at] + shift, below[at] + ys[at]) for at in there], there, len(ys))
        said.leave("type", "cliponaxis", "showlegend")
        said.done()
        return Patch(**look)

    @staticmethod
    def _numbers(values: Sequence[Any]) -> list[float]:
        return [math.nan if value is None else float(value) for value in values]

    @staticmethod
    def _label(
        said: Properties, labels: Labels, ends: Sequence[tuple[float, float]], there: Sequence[int], n: int
    ) -> None:
        texts, position = said.take("text"), said.take("textposition", "outside")
        size = said.group("textfont")
        of_text = points_of_text(size.number("size", 14))
        if texts is None:
            return
        if position != "outside" or len(texts) != n:
            raise NotDrawnError(f"{said.place}.textposition = {position!r}")
        labels.add(ends, [texts[at] for at in there], size=of_text)


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
