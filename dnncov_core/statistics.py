"""From a campaign's records to tables: plain numbers that figures, pages and exports share, so they cannot disagree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dnncov_core.campaign.store import CampaignStore
from dnncov_core.criteria import CRITERIA
from dnncov_core.generators import GRIDS
from dnncov_core.ratios import Ratio
from dnncov_core.records import LayerCounts, NetworkCard, Outcome
from dnncov_core.types import Edge, Norm

MOST_STEPS = 2_000
"""Steps that a distance curve keeps; more could not be told apart on a screen or on paper."""

TARGET_OUTCOMES = (
    Outcome.FOUND,
    Outcome.EXHAUSTED,
    Outcome.PROVED_INFEASIBLE,
    Outcome.ERROR,
    Outcome.PENDING,
)
"""How a test condition can end, or that it has not ended yet."""


@dataclass(frozen=True)
class CoverageRow:
    """Coverage of the test conditions between one condition layer and one decision layer, or of all of them.

    Attributes:
        edge: (condition layer, decision layer); None in the row that sums all layer pairs.
        available: feature pairs that exist there, or that top weights leave, of which the campaign asks about all or a
            random sample.
        covered: test conditions with a replayable witness, of all that the campaign asks about.
        feasible: the same, of those not proved infeasible.
        holds_8bit: witnesses that still hold when x2 is rounded to 8 bits, of all witnesses; nothing of nothing for
            inputs without such a grid.
        outcomes: how many test conditions ended in each of `TARGET_OUTCOMES`.
    """

    edge: Edge | None
    available: int
    covered: Ratio
    feasible: Ratio
    holds_8bit: Ratio
    outcomes: tuple[tuple[Outcome, int], ...]

    def count(self, outcome: Outcome) -> int:
        """How many test conditions ended in this outcome."""
        return dict(self.outcomes)[outcome]


@dataclass(frozen=True)
class CoverageTable:
    """Coverage by layer pair, with the criterion's short name, as in "SS"."""

    criterion: str
    rows: tuple[CoverageRow, ...]
    total: CoverageRow


@dataclass(frozen=True)
class AdversarialRow:
    """Adversarial pairs of one layer pair, over two denominators.

    ``of_pairs`` divides by the test pairs of the same layer pair; ``of_adversarial`` by the adversarial pairs of all
    layer pairs, as the paper does.
    """

    edge: Edge | None
    of_pairs: Ratio
    of_adversarial: Ratio


@dataclass(frozen=True)
class AdversarialTable:
    """Share of adversarial pairs by layer pair."""

    rows: tuple[AdversarialRow, ...]
    total: AdversarialRow


@dataclass(frozen=True)
class DistanceCurve:
    """Accumulated share of a campaign's adversarial pairs: ``counts[i]`` of ``total`` have a distance of at most
    ``distances[i]``, which ascend. At most `MOST_STEPS` steps are kept, the first and the last among them.

    Attributes:
        name: what a legend calls the campaign.
        norm: p of the L^p distance.
        pixels: whether the inputs are images of pixel values in [0, 1].
        pairs: the campaign's test pairs, adversarial or not.
    """

    name: str
    norm: Norm
    pixels: bool
    distances: tuple[float, ...]
    counts: tuple[int, ...]
    total: int
    pairs: int

    @property
    def shares(self) -> tuple[float, ...]:
        """counts / total, fractions."""
        return tuple(count / self.total for count in self.counts)


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (of a population) over ``n`` distances; None without any."""

    n: int
    mean: float | None
    std: float | None


@dataclass(frozen=True)
class DistanceRow:
    """Distances between one condition layer and one decision layer."""

    edge: Edge
    pairs: Spread
    adversarial: Spread


@dataclass(frozen=True)
class LayerDistanceTable:
    """Mean distance and deviation by layer pair."""

    norm: Norm
    pixels: bool
    rows: tuple[DistanceRow, ...]


def coverage_table(store: CampaignStore) -> CoverageTable:
    """Covered of all test conditions, by layer pair."""
    return coverage_of(store, counts_by_layer(store))


def counts_by_layer(store: CampaignStore) -> list[LayerCounts]:
    """Counts of every layer pair that the campaign may ask about, also of those that its sample missed."""
    counted = {counts.edge: counts for counts in store.layer_counts()}
    return [counted.pop(edge, _nothing(edge)) for edge in _available(store)] + list(counted.values())


def _nothing(edge: Edge) -> LayerCounts:
    return LayerCounts(
        condition_layer=edge[0],
        decision_layer=edge[1],
        pairs=0,
        found=0,
        exhausted=0,
        proved_infeasible=0,
        error=0,
        adversarial=0,
        holds_8bit=0,
        mean_distance=None,
        std_distance=None,
    )


def _available(store: CampaignStore) -> dict[Edge, int]:
    """How many feature pairs exist in each layer pair that the campaign may ask about; empty before it is prepared."""
    card, spec, available = store.card(), store.spec(), store.available()
    if available is not None:
        return available
    if card is None:
        return {}
    pairs = spec.feature_pairs(card)
    return dict(zip(pairs.edges, pairs.counts, strict=True))


def coverage_of(store: CampaignStore, layers: Sequence[LayerCounts]) -> CoverageTable:
    """Coverage of these layer pairs, all that `counts_by_layer` gave at one moment."""
    grid, available = has_grid(store.card()), _available(store)
    rows = tuple(_coverage_row(c.edge, [c], available.get(c.edge, c.pairs), grid=grid) for c in layers)
    total = _coverage_row(None, layers, sum(row.available for row in rows), grid=grid)
    return CoverageTable(short_criterion(store.spec().criterion), rows, total)


def _coverage_row(edge: Edge | None, layers: Iterable[LayerCounts], available: int, *, grid: bool) -> CoverageRow:
    outcomes = dict.fromkeys(TARGET_OUTCOMES, 0)
    holds_8bit = 0
    for counts in layers:
        holds_8bit += counts.holds_8bit
        for outcome in TARGET_OUTCOMES:
            outcomes[outcome] += getattr(counts, outcome.value)
    total, found = sum(outcomes.values()), outcomes[Outcome.FOUND]
    return CoverageRow(
        edge=edge,
        available=available,
        covered=Ratio(found, total),
        feasible=Ratio(found, total - outcomes[Outcome.PROVED_INFEASIBLE]),
        holds_8bit=Ratio(holds_8bit, found) if grid else Ratio(0, 0),
        outcomes=tuple(outcomes.items()),
    )


def short_criterion(key: str) -> str:
    """A criterion's name without its explanation.

    >>> short_criterion("ss")
    'SS'
    """
    return CRITERIA[key].title.partition(" ")[0]


def adversarial_table(store: CampaignStore) -> AdversarialTable:
    """Adversarial pairs by layer pair, of the layer pair's test pairs and of all adversarial pairs."""
    return adversarial_of(counts_by_layer(store))


def adversarial_of(layers: Sequence[LayerCounts]) -> AdversarialTable:
    """The same of these layer pairs."""
    adversarial, found = sum(c.adversarial for c in layers), sum(c.found for c in layers)
    rows = tuple(
        AdversarialRow(c.edge, Ratio(c.adversarial, c.found), Ratio(c.adversarial, adversarial)) for c in layers
    )
    total = AdversarialRow(None, Ratio(adversarial, found), Ratio(adversarial, adversarial))
    return AdversarialTable(rows, total)


def distance_curve(store: CampaignStore, name: str) -> DistanceCurve:
    """The adversarial distance curve of one campaign, called ``name`` in legends."""
    measured = store.distances()
    adversarial = np.sort(measured.distance[measured.adversarial])
    distances, first = np.unique(adversarial, return_index=True)
    counts = np.append(first[1:], adversarial.size)[: distances.size]
    if distances.size > MOST_STEPS:
        kept = np.linspace(0, distances.size - 1, MOST_STEPS).round().astype(int)
        distances, counts = distances[kept], counts[kept]
    return DistanceCurve(
        name=name,
        norm=store.spec().norm,
        pixels=has_pixels(store.card()),
        distances=tuple(distances.tolist()),
        counts=tuple(counts.tolist()),
        total=int(adversarial.size),
        pairs=int(measured.distance.size),
    )


def distance_table(store: CampaignStore) -> LayerDistanceTable:
    """Mean and deviation of the distances by layer pair, over all test pairs and over the adversarial ones."""
    rows = tuple(
        DistanceRow(
            c.edge,
            Spread(c.found, c.mean_distance, c.std_distance),
            Spread(c.adversarial, c.mean_adversarial_distance, c.std_adversarial_distance),
        )
        for c in counts_by_layer(store)
    )
    return LayerDistanceTable(store.spec().norm, has_pixels(store.card()), rows)


def has_pixels(card: NetworkCard | None) -> bool:
    """Whether a network's inputs are images in pixel space: (channels, height, width) within [0, 1]."""
    return has_grid(card) and card is not None and len(card.input_shape) == 3


def has_grid(card: NetworkCard | None) -> bool:
    """Whether the 256 grey levels of 8 bits mean anything for a network's inputs."""
    return card is not None and GRIDS["8bit"].fits(card.bounds)
