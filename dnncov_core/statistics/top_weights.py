"""A criterion beside its simplification by top weights: the paper's figure of SS against SS^w10."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.adversarial import adversarial_of
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table, short_criterion
from dnncov_core.statistics.main_table import by_number
from dnncov_core.statistics.samples import Interval, difference_interval, is_random_sample
from dnncov_core.statistics.settings import asked

MAY_DIFFER = ("top_weights", "pairs", "sampling", "random_seed")
"""What two campaigns that are compared need not have in common: which pairs there are, and which were drawn."""


@dataclass(frozen=True)
class WeightsRow:
    """Two campaigns that differ in top weights alone, or in how many pairs were drawn besides.

    Attributes:
        network: of both.
        criterion: its short name.
        top_weights: kappa.
        everything: id of the campaign on all pairs.
        strongest: id of the one on the pairs that top weights leave.
        covered: M of both, in this order.
        adversarial: AE of both.
        available: feature pairs of both.
        covered_interval: 95 % for the first M minus the second, as fractions; None where something was not counted.
        adversarial_interval: likewise, of AE.
        counted: whether both campaigns ask about all of their feature pairs, so that differences are exact.
    """

    network: str
    criterion: str
    top_weights: int
    everything: str
    strongest: str
    covered: tuple[Ratio, Ratio]
    adversarial: tuple[Ratio, Ratio]
    available: tuple[int, int]
    covered_interval: Interval | None
    adversarial_interval: Interval | None
    counted: bool


def weights_table(stores: Sequence[CampaignStore]) -> tuple[WeightsRow, ...]:
    """A row for each campaign with top weights that has a partner without among the others; the first one counts."""
    plain = [store for store in stores if store.spec().top_weights is None]
    rows = [
        _row(partner, store)
        for store in stores
        if store.spec().top_weights is not None
        and (partner := next((each for each in plain if _question(each) == _question(store)), None)) is not None
    ]
    return tuple(sorted(rows, key=lambda row: (by_number(row.network), row.criterion, row.top_weights)))


def _question(store: CampaignStore) -> tuple[object, ...]:
    """What two campaigns have in common that are compared: all but the weights and the size of the sample."""
    spec = store.spec()
    rest = {name: value for name, value in asked(spec).items() if name not in MAY_DIFFER}
    return spec.network, spec.criterion, spec.covering_method(), *rest.items()


def _row(everything: CampaignStore, strongest: CampaignStore) -> WeightsRow:
    totals, adversarial, samples = [], [], []
    for store in (everything, strongest):
        layers = counts_by_layer(store)
        totals.append(coverage_table(store, layers=layers).total)
        adversarial.append(adversarial_of(layers).total.of_pairs)
        samples.append(is_random_sample(store.spec(), totals[-1]))
    spec: CampaignSpec = strongest.spec()
    covered, both = (totals[0].covered, totals[1].covered), (samples[0], samples[1])
    complete = [total.covered.total == total.available for total in totals]
    known = all(sample or all_of_them for sample, all_of_them in zip(samples, complete, strict=True))
    return WeightsRow(
        network=spec.network,
        criterion=short_criterion(spec.criterion),
        top_weights=spec.top_weights or 0,
        everything=everything.path.stem,
        strongest=strongest.path.stem,
        covered=covered,
        adversarial=(adversarial[0], adversarial[1]),
        available=(totals[0].available, totals[1].available),
        covered_interval=difference_interval(*covered, samples=both) if known else None,
        adversarial_interval=(
            difference_interval(adversarial[0], adversarial[1], samples=both) if known and not spec.reuse else None
        ),
        counted=all(complete),
    )
