"""Several campaigns layer by layer: the paper's figure of SS coverage by layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.adversarial import adversarial_table
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from dnncov_core.statistics.grouping import By, Place, usual_grouping
from dnncov_core.statistics.samples import is_random_sample


@dataclass(frozen=True)
class LayerSeries:
    """One campaign; an entry a row in each of the tuples.

    Attributes:
        name: what legends call it.
        places: its rows.
        covered: test conditions with a witness, of all of the row.
        with_effect: those covered, with effect, of all of the row; nothing of nothing while that is not known.
        of_pairs: adversarial pairs, of the row's test pairs.
        of_adversarial: adversarial pairs, of those of all rows.
        sample: whether each row is a random sample of its feature pairs.
    """

    name: str
    places: tuple[Place, ...]
    covered: tuple[Ratio, ...]
    with_effect: tuple[Ratio, ...]
    of_pairs: tuple[Ratio, ...]
    of_adversarial: tuple[Ratio, ...]
    sample: bool


@dataclass(frozen=True)
class LayerwiseTable:
    """Campaigns by layer pair, or by decision layer if one of their networks has branches."""

    by: By
    series: tuple[LayerSeries, ...]


def layerwise_table(stores: Mapping[str, CampaignStore]) -> LayerwiseTable:
    """Coverage and adversarial pairs by layer, of campaigns by their names in the comparison."""
    usual = [usual_grouping(counts_by_layer(store)) for store in stores.values()]
    by = By.DECISION_LAYER if By.DECISION_LAYER in usual else By.LAYER_PAIR
    series = []
    for name, store in stores.items():
        coverage, adversarial = coverage_table(store, by), adversarial_table(store, by)
        series.append(
            LayerSeries(
                name=name,
                places=tuple(coverage.places),
                covered=tuple(row.covered for row in coverage.rows),
                with_effect=tuple(row.with_effect for row in coverage.rows),
                of_pairs=tuple(row.of_pairs for row in adversarial.rows),
                of_adversarial=tuple(row.of_adversarial for row in adversarial.rows),
                sample=is_random_sample(store.spec(), coverage.total),
            )
        )
    return LayerwiseTable(by, tuple(series))
