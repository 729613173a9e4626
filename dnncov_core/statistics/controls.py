"""Adversarial test pairs beside what baseline searches find from the same seeds with the same budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.baselines import BaselineCounts
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.ratios import Ratio
from dnncov_core.records import LayerCounts
from dnncov_core.statistics.coverage import counts_by_layer
from dnncov_core.statistics.grouping import By, Place, grouped


@dataclass(frozen=True)
class ControlRow:
    """The searches that started from the seeds of one layer pair or decision layer: how many changed the label.

    Only test pairs that have a baseline search count, so that all three shares have the same denominator.

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
    """Baseline searches by layer pair or by decision layer; a row without any has 0 of 0."""

    by: By
    rows: tuple[ControlRow, ...]
    total: ControlRow


def control_table(store: CampaignStore, by: By = By.LAYER_PAIR) -> ControlTable:
    """The baseline searches of a campaign, by layer."""
    return control_of(store, counts_by_layer(store), by)


def control_of(store: CampaignStore, layers: Sequence[LayerCounts], by: By = By.LAYER_PAIR) -> ControlTable:
    """The baseline searches of a campaign, where its layer pairs are counted already."""
    counts = {each.edge: each for each in store.baselines.counts()}
    rows = [
        _row(place, [counts[layer.edge] for layer in some if layer.edge in counts])
        for place, some in grouped(layers, by, store.card())
    ]
    return ControlTable(by, tuple(rows), _row(None, list(counts.values())))


def control_total(store: CampaignStore) -> ControlRow:
    """All baseline searches of a campaign together."""
    return _row(None, store.baselines.counts())


def _row(place: Place | None, counts: Sequence[BaselineCounts]) -> ControlRow:
    pairs = sum(each.pairs for each in counts)
    sums = (sum(getattr(each, name) for each in counts) for name in ("adversarial", "random", "ascent"))
    return ControlRow(place, *(Ratio(n, pairs) for n in sums))
