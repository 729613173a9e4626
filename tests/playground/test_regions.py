"""Regions against the signs of a fine grid, and of random networks with biases."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch import nn

from dnncov_core.activations import capture
from dnncov_core.errors import SpecificationError
from dnncov_core.networks.network import Network
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.playground.regions import Plane, Region, plane, signs_at
from dnncov_core.playground.setting import NETWORK, Point


@pytest.fixture(scope="module")
def toy() -> Network:
    return load_embedded(NETWORK)


def with_biases() -> Network:
    layers = [nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)]
    return Network(nn.Sequential(*layers).double(), input_shape=(2,), bounds=(-2.0, 2.0))


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


def patterns(network: Network, points: list[Point], last: int) -> list[tuple[tuple[bool, ...], ...]]:
    """Signs one input after another, without the function that is tested."""
    found = []
    for x in points:
        values = capture(network, torch.tensor([x], dtype=torch.float64))
        found.append(tuple(tuple(u >= 0 for u in values[layer].u[0].tolist()) for layer in range(2, last + 1)))
    return found


def check(network: Network, divided: Plane) -> None:
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
def test_regions_of_the_papers_network(toy: Network, half: float, last: int, n_regions: int) -> None:
    divided = plane(toy, half, last)
    assert len(divided.regions) == n_regions
    check(toy, divided)


@pytest.mark.parametrize("attempt", range(2))
@pytest.mark.parametrize("last", [2, 3, 4])
def test_regions_of_networks_with_biases(last: int, attempt: int) -> None:
    network = with_biases()
    check(network, plane(network, 2.0, last))


def test_boundaries_are_where_u_is_0_and_its_sign_turns(toy: Network) -> None:
    divided = plane(toy, 1.2, 4)
    assert {(each.layer, each.neuron) for each in divided.boundaries} >= {(k, i) for k in (2, 3) for i in range(3)}
    for each in divided.boundaries:
        (x1, y1), (x2, y2) = each.start, each.end
        length = math.hypot(x2 - x1, y2 - y1)
        middle = ((x1 + x2) / 2, (y1 + y2) / 2)
        across = (-(y2 - y1) / length * 1e-3, (x2 - x1) / length * 1e-3)
        sides = [(middle[0] + s * across[0], middle[1] + s * across[1]) for s in (1, -1)]
        at = capture(toy, torch.tensor([each.start, middle, each.end, *sides], dtype=torch.float64))
        u = at[each.layer].u[:, each.neuron].tolist()
        assert u[:3] == pytest.approx([0, 0, 0], abs=1e-9)
        assert u[3] * u[4] < 0


def test_the_first_region_is_right_of_0_and_places_are_found_by_signs(toy: Network) -> None:
    divided = plane(toy, 1.2, 3)
    (signs,) = signs_at(toy, [(1.0, 0.5)], 3)
    assert divided.place(signs) == 0
    (on_all,) = signs_at(toy, [(0.0, 0.0)], 3)
    assert divided.place(on_all) is None  # u = 0 has the sign +1, which no region has for all neurons


def test_other_networks_are_refused() -> None:
    images = Network(nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 2)), input_shape=(3,))
    with pytest.raises(SpecificationError, match="two inputs"):
        plane(images, 1.0, 2)
    smooth = Network(nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 2)), input_shape=(2,))
    with pytest.raises(SpecificationError, match="ReLU layers"):
        plane(smooth, 1.0, 3)
