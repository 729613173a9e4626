"""The rows of a table by layer: one for each layer pair, or one for each decision layer.

In a network with branches a decision layer follows several condition layers; the paper's figures are by decision layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, TypeVar

from dnncov_core.records import LayerCounts, NetworkCard


class By(Enum):
    """What one row of a table is about."""

    LAYER_PAIR = "layer pair"
    """One condition layer and one decision layer."""
    DECISION_LAYER = "decision layer"
    """One decision layer, with every condition layer that it follows."""


@dataclass(frozen=True)
class Place:
    """The layers of one row.

    Attributes:
        condition_layers: one, or all of the decision layer, ascending.
        decision_layer: the layer of the decision features.
        condition_names: what the network calls the condition layers.
        decision_name: what it calls the decision layer.
    """

    condition_layers: tuple[int, ...]
    decision_layer: int
    condition_names: tuple[str, ...]
    decision_name: str


class HasPlace(Protocol):
    """A row of a table by layer."""

    @property
    def place(self) -> Place | None:
        """The row's layers; None in the row that sums all."""


Row = TypeVar("Row", bound=HasPlace)


@dataclass(frozen=True)
class LayerTable(Generic[Row]):
    """Rows by layer pair or by decision layer, and the one that sums all."""

    by: By
    rows: tuple[Row, ...]
    total: Row

    @property
    def places(self) -> list[Place]:
        """The layers of each row."""
        return [row.place for row in self.rows if row.place is not None]


def usual_grouping(layers: Sequence[LayerCounts]) -> By:
    """By decision layer where some decision layer has several condition layers, else by layer pair."""
    decisions = [counts.decision_layer for counts in layers]
    return By.DECISION_LAYER if len(set(decisions)) < len(decisions) else By.LAYER_PAIR


def grouped(
    layers: Sequence[LayerCounts], by: By, card: NetworkCard | None
) -> list[tuple[Place, tuple[LayerCounts, ...]]]:
    """The rows of a table, each with the layer pairs that it sums; by decision layer they ascend."""
    if by is By.LAYER_PAIR:
        return [(_place([counts], card), (counts,)) for counts in layers]
    rows: dict[int, list[LayerCounts]] = {layer: [] for layer in sorted({counts.decision_layer for counts in layers})}
    for counts in layers:
        rows[counts.decision_layer].append(counts)
    return [(_place(row, card), tuple(row)) for row in rows.values()]


def _place(layers: Sequence[LayerCounts], card: NetworkCard | None) -> Place:
    conditions, decision = sorted(counts.condition_layer for counts in layers), layers[0].decision_layer
    *before, after = ("" if card is None else card.layer(k).name for k in (*conditions, decision))
    return Place(tuple(conditions), decision, tuple(before), after)
