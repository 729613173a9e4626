"""Adversarial test pairs beside what plain searches find from the same seeds with the same budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.campaign.controls import ControlCounts
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.coverage import counts_by_layer
from dnncov_core.statistics.grouping import By, Place, grouped


@dataclass(frozen=True)
class ControlRow:
    """Of the test pairs of one layer pair or decision layer that have a control; all three have the same denominator.

    Attributes:
        place: None in the row that sums all.
        searched: adversarial test pairs.
        random: seeds whose label random perturbations changed.
        ascent: likewise, projected gradient ascent.
    """

    place: Place | None
    searched: Ratio
    random: Ratio
    ascent: Ratio


@dataclass(frozen=True)
class ControlTable:
    """Controls by layer pair or by decision layer; rows without a control have 0 of 0."""

    by: By
    rows: tuple[ControlRow, ...]
    total: ControlRow


def control_table(store: CampaignStore, by: By = By.LAYER_PAIR) -> ControlTable:
    """The controls of a campaign."""
    counts = {each.edge: each for each in store.control_counts()}
    rows = [
        _row(place, [counts[layer.edge] for layer in layers if layer.edge in counts])
        for place, layers in grouped(counts_by_layer(store), by, store.card())
    ]
    return ControlTable(by, tuple(rows), _row(None, list(counts.values())))


def _row(place: Place | None, counts: Sequence[ControlCounts]) -> ControlRow:
    pairs = sum(each.pairs for each in counts)
    sums = (sum(getattr(each, name) for each in counts) for name in ("adversarial", "random", "ascent"))
    return ControlRow(place, *(Ratio(n, pairs) for n in sums))
