"""Adversarial test pairs by layer, and what baseline searches find from the same seeds with the same budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.baseline_searches import BaselineSearchCounts
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.ratios import Ratio
from dnncov_core.records import LayerCounts
from dnncov_core.statistics.coverage import counts_by_layer
from dnncov_core.statistics.grouping import By, LayerTable, Place, grouped


@dataclass(frozen=True)
class AdversarialRow:
    """Adversarial pairs of one layer pair or decision layer, over two denominators.

    ``of_pairs`` divides by the test pairs of the same row; ``of_adversarial`` by the adversarial pairs of all rows, as
    the paper does. ``place`` is None in the row that sums all.
    """

    place: Place | None
    of_pairs: Ratio
    of_adversarial: Ratio


AdversarialTable = LayerTable[AdversarialRow]
"""Share of adversarial pairs by layer."""


def adversarial_table(store: CampaignStore, by: By = By.LAYER_PAIR) -> AdversarialTable:
    """Adversarial pairs by layer, of the row's test pairs and of all adversarial pairs."""
    layers = counts_by_layer(store)
    total = sum(counts.adversarial for counts in layers)
    rows = tuple(_adversarial(*row, total) for row in grouped(layers, by, store.card()))
    return AdversarialTable(by, rows, _adversarial(None, layers, total))


def _adversarial(place: Place | None, layers: Sequence[LayerCounts], adversarial: int) -> AdversarialRow:
    n = sum(c.adversarial for c in layers)
    return AdversarialRow(place, Ratio(n, sum(c.found for c in layers)), Ratio(n, adversarial))


@dataclass(frozen=True)
class BaselineRow:
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


BaselinesByLayer = LayerTable[BaselineRow]
"""Baseline searches by layer; a row without any has 0 of 0."""


def baselines_by_layer(store: CampaignStore, by: By = By.LAYER_PAIR) -> BaselinesByLayer:
    """The baseline searches of a campaign, by layer."""
    counts = {each.edge: each for each in store.baseline_searches.counts()}
    rows = [
        _searches(place, [counts[layer.edge] for layer in some if layer.edge in counts])
        for place, some in grouped(counts_by_layer(store), by, store.card())
    ]
    return BaselinesByLayer(by, tuple(rows), _searches(None, list(counts.values())))


def _searches(place: Place | None, counts: Sequence[BaselineSearchCounts]) -> BaselineRow:
    pairs = sum(each.pairs for each in counts)
    sums = (sum(getattr(each, name) for each in counts) for name in ("adversarial", "random", "ascent"))
    return BaselineRow(place, *(Ratio(n, pairs) for n in sums))
