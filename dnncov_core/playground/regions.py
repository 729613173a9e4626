"""The plane of inputs of a network with two of them, divided where a neuron's u is 0.

Within a region of one sign pattern of layers 2..k, the u of layer k + 1 is affine, so that its values at the corners of
the region say where it is 0. Regions are therefore exact up to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.playground.plain_network import PlainNetwork
from dnncov_core.playground.setting import Point, Setting
from dnncov_core.relations import sign

Signs = tuple[tuple[bool, ...], ...]
"""A sign pattern: for each layer from 2 on, whether each neuron's sign is +1."""

Corners = list[Point]
"""The corners of a convex polygon, in order around it."""

NEGLIGIBLE = 1e-9
"""A u at a corner that is less than this share of the largest is 0, but for rounding."""


@dataclass(frozen=True)
class Region:
    """A convex polygon within which no neuron's sign changes."""

    corners: tuple[Point, ...]
    signs: Signs


@dataclass(frozen=True)
class Boundary:
    """A piece of the line on which a neuron's u is 0."""

    layer: int
    neuron: int
    start: Point
    end: Point


@dataclass(frozen=True)
class Plane:
    """Regions and boundaries of the square from -half to half, by the signs of layers 2..last."""

    half: float
    last: int
    regions: tuple[Region, ...]
    boundaries: tuple[Boundary, ...]

    def place(self, signs: Signs) -> int | None:
        """The number of the region of a sign pattern; None if only points of a boundary have it."""
        return next((n for n, region in enumerate(self.regions) if region.signs == signs), None)


def plane(network: PlainNetwork, half: float, last: int) -> Plane:
    """The plane of inputs around 0.

    Args:
        network: a network of two inputs.
        half: half the side of the square.
        last: the last layer whose signs count, one of 2..K.
    """
    polygons: list[Corners] = [[(-half, -half), (half, -half), (half, half), (-half, half)]]
    boundaries = []
    for layer in range(2, last + 1):
        for neuron in range(network.weights[layer - 2].shape[1]):
            parts: list[Corners] = []
            for polygon in polygons:
                halves, cut = _split(polygon, _u(network, polygon, layer, neuron))
                parts += halves
                boundaries += [Boundary(layer, neuron, *cut)] if cut else []
            polygons = parts
    patterns = signs_at(network, [_middle(polygon) for polygon in polygons], last)
    regions = [Region(tuple(corners), signs) for corners, signs in zip(polygons, patterns, strict=True)]
    return Plane(half, last, tuple(sorted(regions, key=_turn)), tuple(boundaries))


def signs_at(network: PlainNetwork, points: Sequence[Point], last: int) -> list[Signs]:
    """The sign pattern of layers 2..last at each point."""
    values = network.values(points, last)
    rows = [sign(values[layer]).tolist() for layer in range(2, last + 1)]
    return [tuple(map(tuple, pattern)) for pattern in zip(*rows, strict=True)]


def _u(network: PlainNetwork, points: Sequence[Point], layer: int, neuron: int) -> list[float]:
    u: list[float] = network.values(points, layer)[layer].u[:, neuron].tolist()
    return u


def _split(polygon: Corners, u: list[float]) -> tuple[list[Corners], tuple[Point, Point] | None]:
    """The parts of a polygon with u > 0 and u < 0, and the cut between them; the polygon itself where there is none."""
    least = NEGLIGIBLE * max(map(abs, u))
    sides = [0 if abs(value) <= least else 1 if value > 0 else -1 for value in u]
    if not {1, -1} <= set(sides):
        return [polygon], None
    above: Corners = []
    below: Corners = []
    cut: Corners = []
    for at, corner in enumerate(polygon):
        before = polygon[at - 1]
        if sides[at] * sides[at - 1] < 0:
            crossing = _between(before, corner, u[at - 1] / (u[at - 1] - u[at]))
            for some in (above, below, cut):
                some.append(crossing)
        if sides[at] >= 0:
            above.append(corner)
        if sides[at] <= 0:
            below.append(corner)
        if sides[at] == 0:
            cut.append(corner)
    start, end = cut
    return [above, below], (start, end)


def _between(start: Point, end: Point, share: float) -> Point:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def _middle(polygon: Sequence[Point]) -> Point:
    n = len(polygon)
    return sum(x for x, _ in polygon) / n, sum(y for _, y in polygon) / n


def _turn(region: Region) -> tuple[float, float]:
    """Regions in order around 0, from the right, against the clock."""
    x, y = _middle(region.corners)
    return math.atan2(y, x) % math.tau, math.hypot(x, y)


@dataclass(frozen=True)
class PlaneView:
    """The plane of inputs with x1 and x2, and the signs at both.

    Attributes:
        plane: regions and boundaries.
        grid: points that can be clicked, with their signs.
        x1: the first input, with ``signs1``.
        x2: the second, with ``signs2``.
    """

    plane: Plane
    grid: Sequence[tuple[Point, Signs]]
    x1: Point
    signs1: Signs
    x2: Point
    signs2: Signs


def plane_view(network: PlainNetwork, setting: Setting, plane: Plane, grid: Sequence[tuple[Point, Signs]]) -> PlaneView:
    """Both inputs of a setting in a plane that is divided already."""
    signs1, signs2 = signs_at(network, [setting.x1, setting.x2], plane.last)
    return PlaneView(plane, grid, setting.x1, signs1, setting.x2, signs2)
