"""The picture of an argument: the goal of all at the left, what supports it in columns to the right of it."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, FancyBboxPatch, Patch, Polygon, Rectangle

from dnncov_core.evidence.argument import Element, named
from dnncov_core.export.drawing.draw import DPI, MILLIMETRE, settings
from dnncov_core.export.drawing.text import FAMILY, LEAST, LINE, with_fonts, wrapped

WIDTH = 170 * MILLIMETRE
COLUMNS = {"G": 0, "S": 1, "Sn": 3}
"""The column of an element; goals below the first stand in column 2, contexts below the first goal."""
BOX, GAP, PAD, TURN = 104.0, 10.0, 6.0, 7.0
"""Width of an element, space between two, space within one, and how far before one a line turns; in points."""
ROUND = {"Sn": 1.45, "A": 1.4, "J": 1.4}
"""How much higher an element is than its text where it is round."""
INK = "#10161E"
FILLS = {"G": "#EAF2FB", "S": "#F3F5F8", "Sn": "#EAF6EF", "C": "#FFFFFF", "A": "#FFFFFF", "J": "#FFFFFF"}


@dataclass
class _Place:
    """Where an element is: its middle across, its upper edge, its height, and the lines of its text."""

    x: float
    height: float
    lines: Sequence[str]
    top: float = 0.0

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


def argument_picture(top: Element, form: str) -> bytes:
    """The picture as "svg" or "png", as wide as a page without its margins."""
    elements = named(top)
    places = {element: _sized(name, element, first=element is top) for name, element in elements.items()}
    height = _stack(top, places)
    with settings():
        figure = Figure(figsize=(WIDTH / 72, height / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, WIDTH), ylim=(height, 0))
        axes.set_axis_off()
        for element, place in places.items():
            _draw(axes, element, place)
        for element in elements.values():
            _connect(axes, element, places)
        file = io.BytesIO()
        figure.savefig(file, format=form, dpi=DPI, metadata={"Date": None} if form == "svg" else None)
    return with_fonts(file.getvalue()) if form == "svg" else file.getvalue()


def _sized(name: str, element: Element, *, first: bool) -> _Place:
    column = COLUMNS.get(element.kind, 0) if first or element.kind != "G" else 2
    narrow = BOX - 2 * PAD if element.kind not in ROUND else 0.72 * BOX
    lines = [name, *wrapped(" ".join(element.text.split()), LEAST, narrow)]
    height = (len(lines) * LINE * LEAST + 2 * PAD) * ROUND.get(element.kind, 1.0)
    step = (WIDTH - BOX - 2 * GAP) / 3
    return _Place(GAP + BOX / 2 + column * step, height, lines)


def _stack(top: Element, places: Mapping[Element, _Place]) -> float:
    """Gives each element its upper edge; returns the height of all."""
    at = GAP
    for strategy in top.support:
        begin = at
        for goal in strategy.support:
            places[goal].top = at
            at += places[goal].height + GAP
        at = max(at, begin + places[strategy].height + GAP)
        places[strategy].top = (begin + at - GAP - places[strategy].height) / 2
    below = GAP
    for each in (top, *top.context):
        places[each].top = below
        below += places[each].height + GAP
    return max(at, below, _stack_solutions(top, places))


def _stack_solutions(top: Element, places: Mapping[Element, _Place]) -> float:
    """Solutions beside the goals that they support, below each other."""
    parents: dict[Element, list[float]] = {}
    for goal in (goal for strategy in top.support for goal in strategy.support):
        for solution in goal.support:
            parents.setdefault(solution, []).append(places[goal].middle)
    at = GAP
    for solution, middles in sorted(parents.items(), key=lambda item: sum(item[1]) / len(item[1])):
        place = places[solution]
        place.top = max(at, sum(middles) / len(middles) - place.height / 2)
        at = place.top + place.height + GAP
    return at


def _draw(axes: Axes, element: Element, place: _Place) -> None:
    axes.add_patch(_shape(element, place))
    if element.kind in ("A", "J"):
        axes.text(place.x + 0.42 * BOX, place.top + place.height, element.kind, size=8, weight="bold", va="bottom")
    if element.undeveloped:
        right, y = place.x + BOX / 2, place.middle
        diamond = [(right, y), (right + 6, y - 6), (right + 12, y), (right + 6, y + 6)]
        axes.add_patch(Polygon(diamond, facecolor="white", edgecolor=INK, linewidth=0.8))
    step = LINE * LEAST
    first = place.middle - step * (len(place.lines) - 1) / 2
    for at, line in enumerate(place.lines):
        weight = "bold" if at == 0 else "normal"
        said: dict[str, Any] = {"size": LEAST, "family": FAMILY, "weight": weight, "color": INK}
        axes.text(place.x, first + at * step, line, ha="center", va="center", **said)


def _shape(element: Element, place: _Place) -> Patch:
    left, right, top, bottom = place.x - BOX / 2, place.x + BOX / 2, place.top, place.top + place.height
    look: dict[str, Any] = {"facecolor": FILLS[element.kind], "edgecolor": INK, "linewidth": 0.8}
    if element.kind in ROUND:
        return Ellipse((place.x, place.middle), BOX, place.height, **look)
    if element.kind == "S":
        return Polygon([(left + PAD, top), (right + PAD, top), (right - PAD, bottom), (left - PAD, bottom)], **look)
    if element.kind == "C":
        rounded = "round,pad=0,rounding_size=8"
        return FancyBboxPatch((left, top), BOX, place.height, boxstyle=rounded, **look)
    return Rectangle((left, top), BOX, place.height, **look)


def _connect(axes: Axes, element: Element, places: Mapping[Element, _Place]) -> None:
    place = places[element]
    for each in element.support:
        other = places[each]
        left = other.x - BOX / 2
        _arrow(axes, (place.x + BOX / 2, place.middle), left - TURN, (left, other.middle), filled=True)
    for each in element.context:
        left = place.x - BOX / 2
        _arrow(axes, (left, place.middle), left - TURN, (left, places[each].middle), filled=False)


def _arrow(axes: Axes, start: tuple[float, float], turn: float, end: tuple[float, float], *, filled: bool) -> None:
    """A line that goes up or down at ``turn``, with a filled head for support and an empty one for context."""
    axes.plot([start[0], turn, turn], [start[1], start[1], end[1]], color=INK, linewidth=0.7)
    style = {"arrowstyle": "-|>", "facecolor": INK if filled else "white", "edgecolor": INK, "linewidth": 0.7}
    more = {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 6}
    axes.annotate("", end, (turn, end[1]), arrowprops={**style, **more})
