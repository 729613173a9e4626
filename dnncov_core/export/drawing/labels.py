"""Text beside bars and points, in the largest of a few ways in which none lies on another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Annotation

from dnncov_core.export.drawing.text import LEAST, LINE, Line, lines_of, width_of
from dnncov_core.export.drawing.translation import colour

APART = 2.0
"""Points between two texts, at least."""
ABOVE = 2.5
"""Points between a bar's end and its text."""
HORIZONTAL = {-1: "right", 0: "center", 1: "left"}
VERTICAL = {1: "bottom", 0: "center_baseline", -1: "top"}
"""What Matplotlib aligns with the point, for a text on its left or right, above or below it."""


@dataclass
class _Label:
    x: float
    y: float
    lines: list[Line]
    size: float
    side: tuple[int, int]
    away: float
    colour: str | None


@dataclass
class Labels:
    """Texts of one figure; `draw` them once the width of a place is known."""

    axes: Axes
    labels: list[_Label] = field(default_factory=list)

    def add(
        self,
        ends: Sequence[tuple[float, float]],
        texts: Sequence[str],
        *,
        size: float,
        sides: Sequence[tuple[int, int]] | None = None,
        away: float = ABOVE,
        shade: str | None = None,
    ) -> None:
        """Texts at places; above them unless ``sides`` says (right or left, above or below) for each."""
        for at, ((x, y), text) in enumerate(zip(ends, texts, strict=True)):
            if text and not math.isnan(y):
                side = (0, 1) if sides is None else sides[at]
                self.labels.append(_Label(x, y, lines_of(text), size, side, away, shade))

    def draw(self, per_place: float) -> None:
        """Draws all; ``per_place`` is how many points one place of the x axis has.

        Texts in a row are made smaller, then turned, then put into one line each, until none lies on another.
        """
        rows: dict[object, list[_Label]] = {}
        for label in self.labels:
            rows.setdefault("above" if label.side == (0, 1) else label.side, []).append(label)
        for side, labels in rows.items():
            if side == "above":
                self._row(labels, per_place)
            else:
                self._upright(labels)

    def _row(self, labels: list[_Label], per_place: float) -> None:
        for size in (labels[0].size, LEAST):
            if all(_apart(labels, [_width(each, size) for each in labels], per_place)):
                return self._upright(labels, size)
        columns = [LINE * LEAST * len(each.lines) for each in labels]
        if all(_apart(labels, columns, per_place)):
            return self._turned(labels)
        for label in labels:
            label.lines = [Line(" · ".join(line.text for line in label.lines))]
        return self._turned(labels)

    def _upright(self, labels: Sequence[_Label], size: float | None = None) -> None:
        for label in labels:
            points, n = size or label.size, len(label.lines)
            right, up = label.side
            step = LINE * points
            first = {1: label.away + (n - 1) * step, 0: (n - 1) * step / 2, -1: -label.away}[up]
            for at, line in enumerate(label.lines):
                where = (right * label.away, first - at * step)
                self._put(label, line, where, points, ha=HORIZONTAL[right], va=VERTICAL[up])

    def _turned(self, labels: Sequence[_Label]) -> None:
        for label in labels:
            middle = (len(label.lines) - 1) / 2
            for at, line in enumerate(label.lines):
                where = ((at - middle) * LINE * LEAST, label.away)
                self._put(label, line, where, LEAST, ha="center", va="bottom", rotation=90.0)

    def _put(self, label: _Label, line: Line, where: tuple[float, float], size: float, **looks: Any) -> None:
        self.axes.add_artist(
            Annotation(
                line.text,
                (label.x, label.y),
                where,
                "data",
                "offset points",
                fontsize=size,
                fontweight="bold" if line.bold else "normal",
                color=colour(label.colour) if label.colour else None,
                annotation_clip=False,
                clip_on=False,
                zorder=5,
                **looks,
            )
        )


def _width(label: _Label, size: float) -> float:
    return max(width_of(line.text, size, bold=line.bold) for line in label.lines)


def _apart(labels: Sequence[_Label], widths: Sequence[float], per_place: float) -> list[bool]:
    """Whether each text ends before the next one at its height begins."""
    placed = sorted(zip((label.x * per_place for label in labels), widths, strict=True))
    return [at + half / 2 + APART <= after - other / 2 for (at, half), (after, other) in pairwise(placed)]
