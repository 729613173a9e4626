"""The plane of a network's two inputs: its regions of one sign pattern, where each neuron's u is 0, and x1 and x2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dnncov_core.figures.neurons import NODES_HEIGHT
from dnncov_core.figures.style import (
    BLUE,
    DARK,
    DASHES,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    YELLOW,
    new_figure,
    see_through,
)
from dnncov_core.playground import names

if TYPE_CHECKING:
    from dnncov_core.playground.regions import Plane, PlaneView, Region, Signs
    from dnncov_core.playground.setting import Point

COLOURS = (SKY, ORANGE, GREEN, YELLOW, PURPLE, BLUE, VERMILLION)
"""A colour for each sign pattern of layer 2; within one of them, patterns of later layers differ in shade."""

SHADES = (0.5, 0.22, 0.36)

Clickable = Sequence[tuple["Point", "Signs"]]
"""Points of a grid with their sign patterns."""


def plot_plane(view: PlaneView, *, source: str = "") -> go.Figure:
    """Regions with a letter each, boundaries with their neuron's name, and the two inputs.

    Points of the grid are invisible: hovering says in which region they are, and they can be clicked.
    """
    plane = view.plane
    layers = f"layers 2 to {plane.last}" if plane.last > 2 else "layer 2"
    below = " · ".join(filter(None, [source, f"regions: signs of {layers}"]))
    figure = new_figure(title="The plane of inputs", x="input 1", y="input 2", source=below)
    divided = (*_regions(plane), *_boundaries(plane), _letters(plane), _names(plane))
    figure.add_traces([*divided, *_grid(plane, view.grid), *_inputs(view.x1, view.x2)])
    side = {"range": [-plane.half, plane.half], "fixedrange": True, "showgrid": False, "constrain": "domain"}
    figure.update_xaxes(**side, ticklabelstandoff=14)
    figure.update_yaxes(**side, ticklabelstandoff=30, scaleanchor="x")
    figure.update_layout(height=NODES_HEIGHT, margin={"r": 32}, hovermode="closest", legend_y=-0.2)
    return figure


def plane_in_words(view: PlaneView) -> str:
    """The figure in words, for those who cannot see it: how many regions, and in which the two inputs are."""
    places = " ".join(
        f"{name} = ({', '.join(map(names.number, point))}) is {where(view.plane, signs)}."
        for name, point, signs in (("x1", view.x1, view.signs1), ("x2", view.x2, view.signs2))
    )
    n = len(view.plane.regions)
    return f"The plane of inputs, divided into {n} regions of one sign pattern each. {places}"


def where(plane: Plane, signs: Signs) -> str:
    """The region of a point with these signs, and the signs, in words."""
    return f"{region_of(plane, signs)} ({_pattern(signs)})"


def region_of(plane: Plane, signs: Signs) -> str:
    """The region of a point with these signs; only points on a boundary are in none."""
    place = plane.place(signs)
    return "on boundaries" if place is None else f"in region {names.letter(place)}"


def _pattern(signs: Signs) -> str:
    return "; ".join(f"layer {layer}: {names.signs(pattern)}" for layer, pattern in enumerate(signs, start=2))


def _regions(plane: Plane) -> list[go.Scatter]:
    firsts = list(dict.fromkeys(region.signs[0] for region in plane.regions))
    shades = dict.fromkeys(firsts, 0)
    traces = []
    for region in plane.regions:
        first = region.signs[0]
        colour, shade = COLOURS[firsts.index(first) % len(COLOURS)], SHADES[shades[first] % len(SHADES)]
        shades[first] += 1
        corners = (*region.corners, region.corners[0])
        traces.append(
            go.Scatter(
                x=[x for x, _ in corners],
                y=[y for _, y in corners],
                mode="lines",
                line={"width": 0},
                fill="toself",
                fillcolor=see_through(colour, shade),
                hoverinfo="skip",
                showlegend=False,
            )
        )
    return traces


def _boundaries(plane: Plane) -> list[go.Scatter]:
    traces = []
    for layer in range(2, plane.last + 1):
        x: list[float | None] = []
        y: list[float | None] = []
        for piece in plane.boundaries:
            if piece.layer == layer:
                x += [piece.start[0], piece.end[0], None]
                y += [piece.start[1], piece.end[1], None]
        line = {"color": GREY, "width": 3 if layer == 2 else 2, "dash": DASHES[layer - 2]}
        traces.append(go.Scatter(x=x, y=y, mode="lines", line=line, name=f"u = 0 in layer {layer}", hoverinfo="skip"))
    return traces


def _grid(plane: Plane, grid: Clickable) -> list[go.Scatter]:
    """One trace for each region, so that what hovering says of it is sent once."""
    among: dict[int | None, list[Point]] = {}
    for point, signs in grid:
        among.setdefault(plane.place(signs), []).append(point)
    return [_clickable(plane, place, points) for place, points in among.items()]


def _clickable(plane: Plane, place: int | None, points: Sequence[Point]) -> go.Scatter:
    title = "on boundaries" if place is None else f"region {names.letter(place)}"
    pattern = "" if place is None else "<br>" + _pattern(plane.regions[place].signs).replace("; ", "<br>")
    unseen = {"marker": {"opacity": 0}}
    return go.Scatter(
        x=[x for x, _ in points],
        y=[y for _, y in points],
        mode="markers",
        marker={"size": 9, "opacity": 0},
        selected=unseen,
        unselected=unseen,
        hovertemplate=f"(%{{x}}, %{{y}}), <b>{title}</b>{pattern}<extra></extra>",
        showlegend=False,
        name=f"grid {title}",
    )


def _inputs(x1: Point, x2: Point) -> list[go.Scatter]:
    """The way from x1 to x2, and both, told apart by shape and name."""
    looks = ({"color": "#FFFFFF", "width": 4}, {"color": DARK, "width": 2, "dash": "dot"})
    x, y = zip(x1, x2, strict=True)
    ways = [go.Scatter(x=x, y=y, mode="lines", line=look, hoverinfo="skip", showlegend=False) for look in looks]
    return [*ways, _input("x1", x1, "circle"), _input("x2", x2, "square")]


def _input(name: str, point: Point, symbol: str) -> go.Scatter:
    visible = {"marker": {"opacity": 1}}
    return go.Scatter(
        x=[point[0]],
        y=[point[1]],
        mode="markers+text",
        text=[f"<b>{name}</b>"],
        textposition="middle left" if name == "x1" else "middle right",
        marker={"symbol": symbol, "size": 15, "color": DARK, "opacity": 1, "line": {"color": "#FFFFFF", "width": 2}},
        selected=visible,
        unselected=visible,
        name=name,
        hovertemplate=f"<b>{name}</b> (%{{x}}, %{{y}})<extra></extra>",
        cliponaxis=False,
    )


def _letters(plane: Plane) -> go.Scatter:
    places = [_outward(region) for region in plane.regions]
    texts = [f"<b>{names.letter(place)}</b>" for place in range(len(places))]
    return _texts(places, texts, size=13, position="middle center")


def _outward(region: Region) -> Point:
    """A point within a region, nearer to its corners that are far from 0, where regions are wide."""
    weights = [math.hypot(*corner) ** 2 for corner in region.corners]
    total = sum(weights)
    x, y = (sum(w * corner[at] for w, corner in zip(weights, region.corners, strict=True)) / total for at in (0, 1))
    return 0.86 * x, 0.86 * y


def _names(plane: Plane) -> go.Scatter:
    """The neuron's name where its boundary leaves the square."""
    ends = [
        (point, names.neuron(piece.layer, piece.neuron))
        for piece in plane.boundaries
        for point in (piece.start, piece.end)
        if math.isclose(max(map(abs, point)), plane.half)
    ]
    places = [place for place, _ in ends]
    return _texts(places, [name for _, name in ends], size=13, position=[_outside(at, plane.half) for at in places])


def _outside(place: Point, half: float) -> str:
    """On which side of a point of the square's edge its text stands."""
    x, y = place
    if math.isclose(abs(x), half):
        return "middle right" if x > 0 else "middle left"
    return "top center" if y > 0 else "bottom center"


def _texts(places: Sequence[Point], texts: Sequence[str], *, size: int, position: str | Sequence[str]) -> go.Scatter:
    return go.Scatter(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        mode="text",
        text=texts,
        textfont={"size": size},
        textposition=position,
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
