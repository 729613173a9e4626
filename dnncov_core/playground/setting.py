"""Two inputs, what is asked of them, and the feature pair that is looked at; and the paper's four examples of that."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.criteria.value_functions import ANY, SymmetricRatioChange
from dnncov_core.errors import ParameterError, SpecificationError
from dnncov_core.features import FeaturePair
from dnncov_core.networks.zoo import embedded_card
from dnncov_core.partitions import Feature
from dnncov_core.records import NetworkCard

NETWORK = "toy"
"""The paper's example, the embedded network of this name."""

Point = tuple[float, float]
"""An input of the network."""


@dataclass(frozen=True)
class Setting:
    """What a playground shows: the inputs x1 and x2, a covering method with its value functions, a feature pair.

    Raises:
        SpecificationError: an input that is no number or outside the network's bounds, layers that are no neighbours, a
            neuron that does not exist, or a feature without neurons.
    """

    x1: Point
    x2: Point
    method: CoveringMethod
    pair: FeaturePair

    def __post_init__(self) -> None:
        _check_point("x1", self.x1)
        _check_point("x2", self.x2)
        _check_pair(self.pair)


def card() -> NetworkCard:
    """What is known of the network without loading it."""
    return embedded_card(NETWORK)


def _check_point(name: str, point: Point) -> None:
    low, high = card().bounds
    if not all(math.isfinite(value) and low <= value <= high for value in point):
        got = ", ".join(f"{value:g}" for value in point)
        raise ParameterError(name, f"two numbers from {low:g} to {high:g}", got)


def _check_pair(pair: FeaturePair) -> None:
    known = card()
    edge = (pair.condition.layer, pair.decision.layer)
    if edge not in known.edges:
        layers = " or ".join(f"{k} and {decision}" for k, decision in known.edges)
        raise SpecificationError(f"features of layers {layers}", f"{edge[0]} and {edge[1]}", "choose other neurons")
    for feature in (pair.condition, pair.decision):
        n = known.layer(feature.layer).neurons
        if not feature.neurons or not all(0 <= i < n for i in feature.neurons):
            got = ", ".join(str(i + 1) for i in feature.neurons) or "none"
            raise ParameterError(f"The feature of layer {feature.layer}", f"one or more of its neurons 1 to {n}", got)


@dataclass(frozen=True)
class Example:
    """An example: its setting, what the paper says of it, its effect, and what it leaves open and is chosen here."""

    setting: Setting
    words: str
    effect: str
    chosen: str = ""


def _pair(condition: tuple[int, ...], decision: tuple[int, ...]) -> FeaturePair:
    return FeaturePair(Feature(2, condition), Feature(3, decision))


EXAMPLES: dict[str, Example] = {
    "ss": Example(
        Setting((0.1, 0.0), (0.0, -1.0), CRITERIA["ss"], _pair((0,), (0,))),
        "n2,1 alone changes its sign in layer 2, and n3,1 changes its sign too: ({n2,1}, {n3,1}) is SS-covered.",
        "n2,1 is not needed: with it put back, n3,1 still changes its sign, to u = −13.2. n2,2 carries the change.",
    ),
    "vs": Example(
        Setting((0.0, 1.0), (0.1, 0.1), CRITERIA["vs"], _pair((0, 1), (2,))),
        "No neuron of layer 2 changes its sign, yet n3,3 does: ({n2,1, n2,2}, {n3,3}) is VS-covered, subject to a value"
        " function g.",
        "n2,1 and n2,2 are not needed: with both put back, n3,3 still changes its sign, to u = −1. n2,3 carries the"
        " change: ({n2,3}, {n3,3}) is covered with effect.",
        "The paper leaves g open; here it is any.",
    ),
    "sv": Example(
        Setting(
            (0.0, -1.0),
            (0.1, -0.1),
            CRITERIA["sv"].with_functions(SymmetricRatioChange(sigma=5.0), ANY),
            _pair((0,), (1,)),
        ),
        "n2,1 alone changes its sign in layer 2, and n3,2 keeps its sign while u[x1] / u[x2] ≈ 5.71: ({n2,1}, {n3,2})"
        " is SV-covered if g takes that for a significant change.",
        "n2,1 is not needed: with it put back, u of n3,2 still falls, from 12 to 1.2. n2,2 carries the change.",
        "Here it does, from a factor of 5 in either direction. The paper's table also marks n3,3 as sc for these two"
        " inputs; by its own values, 8 and 0.5, the sign is kept.",
    ),
    "vv": Example(
        Setting(
            (0.0, 1.0),
            (0.1, 0.5),
            CRITERIA["vv"].with_functions(SymmetricRatioChange(sigma=2.0), ANY),
            _pair((0,), (2,)),
        ),
        "No neuron of layer 2 changes its sign, and n3,3 keeps its sign while u[x1] / u[x2] ≈ 2.96: ({n2,i}, {n3,3}) is"
        " VV-covered for i = 1, 2 and 3, subject to g1 and g2.",
        "n2,1 is not needed: with it put back, u of n3,3 still falls, from 8 to 2.6. n2,3 carries the change:"
        " ({n2,3}, {n3,3}) is covered with effect.",
        "The paper leaves both open; here g1 is any, and g2 a factor of 2 in either direction.",
    ),
}
"""By the key of the covering method, in the paper's order."""
