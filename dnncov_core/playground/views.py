"""What the playground shows of a setting: both inputs in the network, what they cover, and the plane around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.features import FeaturePair
from dnncov_core.networks.network import Network
from dnncov_core.playground.regions import Plane, Signs, signs_at
from dnncov_core.playground.setting import Point, Setting
from dnncov_core.playground.two_inputs import TwoInputs, two_inputs


@dataclass(frozen=True)
class NetworkView:
    """Two inputs in the network, and which pairs of single neurons they cover by the setting's method."""

    setting: Setting
    inputs: TwoInputs
    covered: tuple[FeaturePair, ...]


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


def network_view(network: Network, setting: Setting) -> NetworkView:
    """Both inputs of a setting, and what they cover."""
    inputs = two_inputs(network, setting.x1, setting.x2)
    return NetworkView(setting, inputs, tuple(p for p in inputs.pairs() if inputs.covers(setting.method, p)))


def plane_view(network: Network, setting: Setting, plane: Plane, grid: Sequence[tuple[Point, Signs]]) -> PlaneView:
    """Both inputs of a setting in a plane that is divided already."""
    signs1, signs2 = signs_at(network, [setting.x1, setting.x2], plane.last)
    return PlaneView(plane, grid, setting.x1, signs1, setting.x2, signs2)
