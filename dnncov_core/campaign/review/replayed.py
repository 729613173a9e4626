"""What became of a campaign's test pairs on another network, and which of its layers stand for the campaign's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.records import LayerInfo
from dnncov_core.types import Count, Edge


@dataclass(frozen=True)
class ReplayedCondition:
    """A test condition that the campaign covers, or that one of its test pairs covers on the other network.

    Attributes:
        ordinal: the test condition's, and that of its test pair.
        edge: its layer pair in the campaign's network.
        own: whether its test pair covers it on the other network; None without one, and where this has no such layers.
        covered: whether some test pair of the campaign covers it there.
        labels: of x1 and x2 in the campaign; empty without a test pair.
        labels_there: of both on the other network; likewise.
        adversarial: whether the test pair is adversarial in the campaign.
        adversarial_there: whether it is on the other network.
        pending: whether the campaign has not tried the test condition, so that it says nothing of its own network.
    """

    ordinal: Count
    edge: Edge
    own: bool | None
    covered: bool
    labels: tuple[Count, ...] = ()
    labels_there: tuple[Count, ...] = ()
    adversarial: bool = False
    adversarial_there: bool = False
    pending: bool = False


@dataclass(frozen=True)
class Replayed:
    """What a replay found.

    Attributes:
        network: the name of the other network.
        fingerprint: of the other network.
        date: when, in UTC.
        layers: 2 to K of the campaign's network, each with the other network's that stands for it; None for none.
        asked: by layer pair of the campaign's network, how many test conditions the campaign asks about, and the layer
            pair that stands for it; None where none does.
        conditions: those that are covered in the campaign or on the other network, by ordinal.
    """

    network: str
    fingerprint: str
    date: str
    layers: tuple[tuple[LayerInfo, LayerInfo | None], ...]
    asked: tuple[tuple[Edge, Count, Edge | None], ...]
    conditions: tuple[ReplayedCondition, ...]


def counterparts(layers: Sequence[LayerInfo], there: Sequence[LayerInfo]) -> dict[int, int]:
    """Which layers of another network stand for layers 2 to K: by number, those of the same shape.

    That is the layer of the same name, and output for output; where no layer of this name and shape is left, it is the
    layer of the same number.
    """
    found: dict[int, int] = {}
    for by_name in (True, False):
        for layer in layers[1:]:
            for other in there[1:]:
                outputs = layer is layers[-1] and other is there[-1]
                same = (layer.name == other.name or outputs) if by_name else layer.index == other.index
                free = layer.index not in found and other.index not in found.values()
                if same and free and layer.shape == other.shape:
                    found[layer.index] = other.index
    return found
