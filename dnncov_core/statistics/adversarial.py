"""Adversarial test pairs by layer, and what baseline searches find from the same seeds with the same budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.phrases.adversarial import from_seeds
from dnncov_core.ratios import Ratio
from dnncov_core.records import LayerCounts, NetworkCard
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from dnncov_core.statistics.grouping import By, LayerTable, Place, grouped
from dnncov_core.statistics.samples import Interval, interval_of


@dataclass(frozen=True)
class AdversarialRow:
    """Adversarial pairs of one layer pair or decision layer, over two denominators.

    ``of_pairs`` divides by the test pairs of the same row; ``of_adversarial`` by the adversarial pairs of all rows, as
    the paper does. ``seeds`` counts the different seeds of the row's adversarial pairs. ``place`` is None in the row
    that sums all.
    """

    place: Place | None
    of_pairs: Ratio
    of_adversarial: Ratio
    seeds: int

    @property
    def words(self) -> str:
        """Its share of the row's test pairs, with both counts, and the different seeds behind it."""
        return from_seeds(self.of_pairs, self.seeds)


def adversarial_rate(card: NetworkCard | None, adversarial: int, pairs: int) -> Ratio:
    """Adversarial pairs of the test pairs; 0 of 0 where the network has one output, so that no label can change.

    Campaigns with such a network come from earlier versions.
    """
    return Ratio(0, 0) if card is not None and len(card.classes) == 1 else Ratio(adversarial, pairs)


AdversarialTable = LayerTable[AdversarialRow]
"""Share of adversarial pairs by layer."""


def adversarial_table(store: CampaignStore, by: By = By.LAYER_PAIR) -> AdversarialTable:
    """Adversarial pairs by layer, of the row's test pairs and of all adversarial pairs."""
    layers = counts_by_layer(store)
    total = sum(counts.adversarial for counts in layers)
    card, seeds = store.card(), store.pairs.adversarial_seeds()

    def row(place: Place | None, some: Sequence[LayerCounts]) -> AdversarialRow:
        n = sum(counts.adversarial for counts in some)
        pairs = sum(counts.found for counts in some)
        different = frozenset[int]().union(*(seeds.get(counts.edge, ()) for counts in some))
        return AdversarialRow(place, adversarial_rate(card, n, pairs), Ratio(n, total), len(different))

    return AdversarialTable(by, tuple(row(*each) for each in grouped(layers, by, card)), row(None, layers))


@dataclass(frozen=True)
class BaselineRow:
    """The searches that started from the seeds of one layer pair or decision layer: for how many they found one.

    Only test pairs that have a baseline search count, so that all three shares have the same denominator.

    Attributes:
        place: None in the row that sums all.
        searched: adversarial test pairs.
        random: seeds for which random perturbations found an adversarial x2.
        ascent: likewise, projected gradient ascent.
        sample: whether the seeds are a random sample: of the row's test pairs, or of more as its test conditions are.
    """

    place: Place | None
    searched: Ratio
    random: Ratio
    ascent: Ratio
    sample: bool

    def interval(self, name: str) -> Interval | None:
        """The interval of one of the shares, by the name of its field; None where no sample was drawn."""
        return interval_of(getattr(self, name), sample=self.sample)


BaselinesByLayer = LayerTable[BaselineRow]
"""Baseline searches by layer; a row without any has 0 of 0."""


def baselines_by_layer(store: CampaignStore, by: By = By.LAYER_PAIR) -> BaselinesByLayer:
    """The baseline searches of a campaign, by layer."""
    counts = {each.edge: each for each in store.baseline_searches.counts()}
    card, layers, spec = store.card(), counts_by_layer(store), store.spec()
    of_more = coverage_table(store).total.is_random_sample and not spec.reuse

    def row(place: Place | None, some: Sequence[LayerCounts]) -> BaselineRow:
        made = [counts[layer.edge] for layer in some if layer.edge in counts]
        pairs, found = sum(each.pairs for each in made), sum(layer.found for layer in some)
        sums = (sum(getattr(each, name) for each in made) for name in ("adversarial", "random", "ascent"))
        searched, random, ascent = (adversarial_rate(card, n, pairs) for n in sums)
        return BaselineRow(place, searched, random, ascent, sample=of_more or pairs < found)

    return BaselinesByLayer(by, tuple(row(*each) for each in grouped(layers, by, card)), row(None, layers))
