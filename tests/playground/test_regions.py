"""Regions against the signs of a fine grid, and of random networks with biases."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dnncov_core.playground.plain_network import EXAMPLE, PlainNetwork
from dnncov_core.playground.regions import Plane, Region, plane, signs_at
from dnncov_core.playground.setting import Point
from tests import reference


def with_biases(attempt: int) -> PlainNetwork:
    random, sizes = np.random.default_rng(attempt), ((2, 4), (4, 3), (3, 2))
    weights = tuple(random.uniform(-1, 1, size) / np.sqrt(size[0]) for size in sizes)
    return PlainNetwork(weights, tuple(random.uniform(-1, 1, m) / np.sqrt(n) for n, m in sizes))


def area(region: Region) -> float:
    edges = zip(region.corners, (*region.corners[1:], region.corners[0]), strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges)) / 2


def inside(region: Region, point: Point) -> bool:
    """Strictly within a convex polygon: on the same side of each of its edges."""
    (x, y), sides = point, set()
    for (x1, y1), (x2, y2) in zip(region.corners, (*region.corners[1:], region.corners[0]), strict=True):
        cross = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        length = math.hypot(x2 - x1, y2 - y1)
        sides.add(0 if abs(cross) <= 1e-7 * max(length, 1e-12) else math.copysign(1, cross))
    return len(sides) == 1 and 0 not in sides


def patterns(network: PlainNetwork, points: list[Point], last: int) -> list[tuple[tuple[bool, ...], ...]]:
    """Signs one input after another, without the function that is tested."""
    layers = [reference.forward(x, network.weights, network.biases)[: last - 1] for x in points]
    return [tuple(tuple(reference.sign(u) == 1 for u in layer) for layer in each) for each in layers]


def check(network: PlainNetwork, divided: Plane) -> None:
    """Each point of a grid lies in the region of its signs, and in no other; together they fill the square."""
    ticks = [divided.half * (at / 20 + 0.0137) for at in range(-20, 20)]
    points = list(itertools.product(ticks, ticks))
    found = patterns(network, points, divided.last)
    assert found == signs_at(network, points, divided.last)
    n_inside = 0
    for point, signs in zip(points, found, strict=True):
        around = [region for region in divided.regions if inside(region, point)]
        if around:  # not on a boundary
            n_inside += 1
            assert [region.signs for region in around] == [signs]
    assert n_inside > 0.95 * len(points)
    assert sum(map(area, divided.regions)) == pytest.approx((2 * divided.half) ** 2)
    assert len({region.signs for region in divided.regions}) == len(divided.regions)


@pytest.mark.parametrize("half", [1.2, 10.0])
@pytest.mark.parametrize(("last", "n_regions"), [(2, 6), (3, 12), (4, 14)])
def test_regions_of_the_papers_network(half: float, last: int, n_regions: int) -> None:
    divided = plane(EXAMPLE, half, last)
    assert len(divided.regions) == n_regions
    check(EXAMPLE, divided)


@pytest.mark.parametrize("attempt", range(2))
@pytest.mark.parametrize("last", [2, 3, 4])
def test_regions_of_networks_with_biases(last: int, attempt: int) -> None:
    network = with_biases(attempt)
    check(network, plane(network, 2.0, last))


def test_boundaries_are_where_u_is_0_and_its_sign_turns() -> None:
    divided = plane(EXAMPLE, 1.2, 4)
    assert {(each.layer, each.neuron) for each in divided.boundaries} >= {(k, i) for k in (2, 3) for i in range(3)}
    for each in divided.boundaries:
        (x1, y1), (x2, y2) = each.start, each.end
        length = math.hypot(x2 - x1, y2 - y1)
        middle = ((x1 + x2) / 2, (y1 + y2) / 2)
        across = (-(y2 - y1) / length * 1e-3, (x2 - x1) / length * 1e-3)
        sides = [(middle[0] + s * across[0], middle[1] + s * across[1]) for s in (1, -1)]
        at = EXAMPLE.values([each.start, middle, each.end, *sides])
        u = at[each.layer].u[:, each.neuron].tolist()
        assert u[:3] == pytest.approx([0, 0, 0], abs=1e-9)
        assert u[3] * u[4] < 0


def test_the_first_region_is_right_of_0_and_places_are_found_by_signs() -> None:
    divided = plane(EXAMPLE, 1.2, 3)
    (signs,) = signs_at(EXAMPLE, [(1.0, 0.5)], 3)
    assert divided.place(signs) == 0
    (on_all,) = signs_at(EXAMPLE, [(0.0, 0.0)], 3)
    assert divided.place(on_all) is None  # u = 0 has the sign +1, which no region has for all neurons
