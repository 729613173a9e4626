"""Several campaigns layer by layer: the paper's figure of SS coverage by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.ratios import Estimate, Ratio
from dnncov_core.statistics.adversarial import adversarial_table
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from dnncov_core.statistics.grouping import By, Place, usual_grouping
from dnncov_core.statistics.samples import simple_estimate


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
        estimates: what is covered of all feature pairs of a row, as a sample says; None where nothing more is known.
        estimates_with_effect: likewise, covered with effect.
        sample: whether test pairs are those of a random sample of all feature pairs.
    """

    name: str
    places: tuple[Place, ...]
    covered: tuple[Ratio, ...]
    with_effect: tuple[Ratio, ...]
    of_pairs: tuple[Ratio, ...]
    of_adversarial: tuple[Ratio, ...]
    estimates: tuple[Estimate | None, ...]
    estimates_with_effect: tuple[Estimate | None, ...]
    sample: bool

    def of_all(self, share: str) -> Sequence[Estimate | None]:
        """What each row says of all feature pairs that it stands for, by the name of a share's field; None if nothing.

        Of test pairs, which are no condition's own, only a simple sample of all does.
        """
        by_strata = {"covered": self.estimates, "with_effect": self.estimates_with_effect}
        if share in by_strata:
            return by_strata[share]
        return [simple_estimate(ratio) if self.sample and ratio.total else None for ratio in getattr(self, share)]


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
                estimates=tuple(row.estimate for row in coverage.rows),
                estimates_with_effect=tuple(row.with_effect_estimate for row in coverage.rows),
                sample=coverage.total.is_random_sample,
            )
        )
    return LayerwiseTable(by, tuple(series))
