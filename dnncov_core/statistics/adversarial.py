"""Adversarial pairs by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.ratios import Ratio
from dnncov_core.records import LayerCounts, NetworkCard
from dnncov_core.statistics.coverage import counts_by_layer
from dnncov_core.statistics.grouping import By, Place, grouped


@dataclass(frozen=True)
class AdversarialRow:
    """Adversarial pairs of one layer pair or decision layer, over two denominators.

    ``of_pairs`` divides by the test pairs of the same row; ``of_adversarial`` by the adversarial pairs of all rows, as
    the paper does. ``place`` is None in the row that sums all.
    """

    place: Place | None
    of_pairs: Ratio
    of_adversarial: Ratio


@dataclass(frozen=True)
class AdversarialTable:
    """Share of adversarial pairs by layer pair or by decision layer."""

    by: By
    rows: tuple[AdversarialRow, ...]
    total: AdversarialRow


def adversarial_table(store: CampaignStore, by: By = By.LAYER_PAIR) -> AdversarialTable:
    """Adversarial pairs by layer, of the row's test pairs and of all adversarial pairs."""
    return adversarial_of(counts_by_layer(store), by, store.card())


def adversarial_of(
    layers: Sequence[LayerCounts], by: By = By.LAYER_PAIR, card: NetworkCard | None = None
) -> AdversarialTable:
    """Adversarial pairs of the layer pairs that were counted; ``card`` names the layers."""
    everything = _row(None, layers, sum(c.adversarial for c in layers))
    total = everything.of_adversarial.total
    return AdversarialTable(by, tuple(_row(*row, total) for row in grouped(layers, by, card)), everything)


def _row(place: Place | None, layers: Sequence[LayerCounts], adversarial: int) -> AdversarialRow:
    n = sum(c.adversarial for c in layers)
    return AdversarialRow(place, Ratio(n, sum(c.found for c in layers)), Ratio(n, adversarial))
