"""A criterion beside its simplification by top weights: the paper's figure of SS against SS^w10."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.adversarial import adversarial_table
from dnncov_core.statistics.coverage import coverage_table, short_criterion
from dnncov_core.statistics.main_table import by_number
from dnncov_core.statistics.samples import Interval, difference_interval
from dnncov_core.statistics.settings import asked

MAY_DIFFER = ("top_weights", "pairs", "sampling", "random_seed")
"""What two campaigns that are compared need not have in common: which pairs there are, and which were drawn."""


@dataclass(frozen=True)
class WeightsRow:
    """Two campaigns that differ in top weights alone, or in how many pairs were drawn besides.

    Attributes:
        network: the one that both have.
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


def weights_table(stores: Mapping[str, CampaignStore]) -> tuple[WeightsRow, ...]:
    """A row for each campaign with top weights that has a partner without among the others; the first one counts."""
    plain = [store for store in stores.values() if store.spec().top_weights is None]
    rows = [
        _row(partner, store)
        for store in stores.values()
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
    spec, stores = strongest.spec(), (everything, strongest)
    one, other = (coverage_table(store).total for store in stores)
    adversarial = (adversarial_table(everything).total.of_pairs, adversarial_table(strongest).total.of_pairs)
    samples = (one.is_random_sample, other.is_random_sample)
    complete = (not one.is_sample, not other.is_sample)
    known = all(map(operator.or_, samples, complete))
    return WeightsRow(
        network=spec.network,
        criterion=short_criterion(spec.criterion),
        top_weights=spec.top_weights or 0,
        everything=everything.path.stem,
        strongest=strongest.path.stem,
        covered=(one.covered, other.covered),
        adversarial=adversarial,
        available=(one.available, other.available),
        covered_interval=difference_interval(one.covered, other.covered, samples=samples) if known else None,
        adversarial_interval=(difference_interval(*adversarial, samples=samples) if known and not spec.reuse else None),
        counted=all(complete),
    )
