"""Two inputs, what is asked of them, and the feature pair that is looked at."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dnncov_core.criteria import CoveringMethod
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePair
from dnncov_core.networks.zoo import embedded_card
from dnncov_core.records import NetworkCard

NETWORK = "toy"
"""The paper's example, the embedded network of this name."""

Point = tuple[float, float]
"""An input of the network."""


@dataclass(frozen=True)
class Setting:
    """What a playground shows: the inputs x1 and x2, a covering method with its value functions, a feature pair.

    Raises:
        SpecificationError: an input that the network does not take, or a feature that it does not have.
    """

    x1: Point
    x2: Point
    method: CoveringMethod
    pair: FeaturePair

    def __post_init__(self) -> None:
        check_point("x1", self.x1)
        check_point("x2", self.x2)
        check_pair(self.pair)


def card() -> NetworkCard:
    """What is known of the network without loading it."""
    return embedded_card(NETWORK)


def check_point(name: str, point: Point) -> None:
    """Refuses an input outside the network's bounds.

    Raises:
        SpecificationError: a coordinate is outside, or no number.
    """
    low, high = card().bounds
    if not all(math.isfinite(value) and low <= value <= high for value in point):
        got = ", ".join(f"{value:g}" for value in point)
        raise SpecificationError(f"coordinates of {name} from {low:g} to {high:g}", got, f"change {name}")


def check_pair(pair: FeaturePair) -> None:
    """Refuses a feature pair that the network does not have.

    Raises:
        SpecificationError: layers that are no neighbours, a neuron that does not exist, or a feature without neurons.
    """
    known = card()
    edge = (pair.condition.layer, pair.decision.layer)
    if edge not in known.edges:
        layers = " or ".join(f"{k} and {decision}" for k, decision in known.edges)
        raise SpecificationError(f"features of layers {layers}", f"{edge[0]} and {edge[1]}", "choose other neurons")
    for feature in (pair.condition, pair.decision):
        n = known.layer(feature.layer).neurons
        if not feature.neurons or not all(0 <= i < n for i in feature.neurons):
            got = ", ".join(str(i + 1) for i in feature.neurons) or "none"
            raise SpecificationError(
                f"neurons of layer {feature.layer}, numbered 1 to {n}", got, "choose other neurons"
            )
