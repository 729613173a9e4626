"""Distances between seeds and generated inputs: accumulated over a campaign, and where they lie by layer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dnncov_core.campaign.file.pairs import Distances
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.distances import NORM_NAMES, written
from dnncov_core.phrases.inputs import share_words
from dnncov_core.phrases.pairs import grey_levels
from dnncov_core.ratios import NOTHING
from dnncov_core.records import LayerCounts, NetworkCard
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table, has_pixels
from dnncov_core.statistics.grouping import By, LayerTable, Place, grouped
from dnncov_core.statistics.samples import curve_band
from dnncov_core.types import FloatArray, Norm

MOST_STEPS = 2_000
"""Steps that a distance curve keeps; more could not be told apart on a screen or on paper."""

Unit = Literal["pixels", "shares", "input"]
"""What distances are measured in: `unit_of` says which it is."""
UNITS: Mapping[Unit, str] = {
    "pixels": "share of the pixel range",
    "shares": "share of each feature's range",
    "input": "input units",
}
"""Units of distances in words."""


def unit_of(card: NetworkCard | None) -> Unit:
    """Of images from 0 to 1 pixels; of others shares where each feature has its own range, else their own units."""
    if has_pixels(card) and card is not None and card.box.share_bounds == (0.0, 1.0):
        return "pixels"
    return "input" if card is None or card.ranges is None else "shares"


def farthest(card: NetworkCard, distance: float) -> str:
    """An L∞ distance, also in grey levels or as a percentage of a feature's range."""
    also = f" = {share_words(distance)} of a feature's range" if unit_of(card) == "shares" else ""
    if has_pixels(card):
        also = f" = {grey_levels(distance, card.box.share_bounds)} grey levels"
    return f"{NORM_NAMES['inf']} {written(distance)}{also}"


@dataclass(frozen=True)
class DistanceCurve:
    """Accumulated share of a campaign's adversarial pairs: ``counts[i]`` of ``total`` have a distance of at most
    ``distances[i]``, which ascend. At most `MOST_STEPS` steps are kept, the first and the last among them.

    Attributes:
        name: what a legend calls the campaign.
        norm: p of the L^p distance.
        unit: of the distances.
        pairs: the campaign's test pairs, adversarial or not.
        band: half the width of a 95 % band around the whole curve, a share (`curve_band`); None where the test
            conditions are no random sample, or reuse makes one pair count several times.
        bound: the campaign's bound b; None without one.
    """

    name: str
    norm: Norm
    unit: Unit
    distances: tuple[float, ...]
    counts: tuple[int, ...]
    total: int
    pairs: int
    band: float | None = None
    bound: float | None = None

    @property
    def shares(self) -> tuple[float, ...]:
        """counts / total, fractions."""
        return tuple(count / self.total for count in self.counts)


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (of a population) over ``n`` distances; None without any.

    The sum of two spreads is that of all their distances together, from their counts, means and variances: the means
    weighted by n, and n * variance as n1 * variance1 + n2 * variance2 + (mean2 - mean1)^2 * n1 * n2 / n (Chan, Golub
    and LeVeque 1979, "Updating formulae and a pairwise algorithm for computing sample variances"). It has no quartiles.

    ``quartiles`` are the lower one, the median and the upper one; a table has them for all its spreads where one of
    them has a mean minus deviation below 0, and then shows them instead of means and deviations.

    >>> (Spread(1, 2.0, 0.0) + Spread(1, 4.0, 0.0)).words
    '3.00 ± 1.00'
    """

    n: int
    mean: float | None
    std: float | None
    quartiles: tuple[float, float, float] | None = None

    @property
    def below_zero(self) -> bool:
        """Whether the deviation reaches below 0, where no distance is."""
        return self.mean is not None and self.std is not None and self.std > self.mean

    @property
    def band(self) -> tuple[float, float, float] | None:
        """What is shown: the lower end, the middle and the upper end; None without distances."""
        if self.mean is None or self.std is None:
            return None
        return self.quartiles or (self.mean - self.std, self.mean, self.mean + self.std)

    @property
    def words(self) -> str:
        """The middle and its band.

        >>> Spread(2, 0.25, 0.0123).words, Spread(9, 0.2, 0.3, (0.01, 0.1, 0.2)).words, Spread(0, None, None).words
        ('0.250 ± 0.0123', '0.100 (0.0100 to 0.200)', 'n/a')
        """
        if self.mean is None or self.std is None:
            return NOTHING
        if self.quartiles is None:
            return f"{written(self.mean)} ± {written(self.std)}"
        low, middle, high = map(written, self.quartiles)
        return f"{middle} ({low} to {high})"

    def __add__(self, other: Spread) -> Spread:
        if self.mean is None or self.std is None:
            return other
        if other.mean is None or other.std is None:
            return self
        n, apart = self.n + other.n, other.mean - self.mean
        squares = self.n * self.std**2 + other.n * other.std**2 + apart**2 * self.n * other.n / n
        return Spread(n, self.mean + apart * other.n / n, math.sqrt(squares / n))


@dataclass(frozen=True)
class Shown:
    """How a table's middles and bands are called: in sentences, in a legend, and in the head of a column."""

    middle: str
    legend: str
    head: str


MEANS = Shown("mean", "mean ± one standard deviation", "mean ± deviation")
MEDIANS = Shown("median", "median and quartiles", "median (quartiles)")


def shown(spreads: Iterable[Spread]) -> Shown:
    """What is shown of the spreads of one table."""
    return MEDIANS if any(each.quartiles is not None for each in spreads) else MEANS


@dataclass(frozen=True)
class DistanceRow:
    """Distances of one layer pair or decision layer, or of all of them where ``place`` is None."""

    place: Place | None
    pairs: Spread
    adversarial: Spread


@dataclass(frozen=True)
class LayerDistanceTable(LayerTable[DistanceRow]):
    """Distances by layer, over the test pairs; ``bound`` is the campaign's b, None without one."""

    norm: Norm
    unit: Unit
    bound: float | None = None

    @property
    def spreads(self) -> list[Spread]:
        """Those of all rows and of the total."""
        return [each for row in (*self.rows, self.total) for each in (row.pairs, row.adversarial)]


def distance_curve(store: CampaignStore, name: str) -> DistanceCurve:
    """The adversarial distance curve of one campaign, called ``name`` in legends."""
    spec, adversarial, total = store.spec(), store.pairs.adversarial_distances(), coverage_table(store).total
    sample = total.is_random_sample and not spec.reuse
    distances, first = np.unique(adversarial, return_index=True)
    counts = np.append(first[1:], adversarial.size)[: distances.size]
    if distances.size > MOST_STEPS:
        kept = np.linspace(0, distances.size - 1, MOST_STEPS).round().astype(int)
        distances, counts = distances[kept], counts[kept]
    return DistanceCurve(
        name=name,
        norm=spec.norm,
        unit=unit_of(store.card()),
        distances=tuple(distances.tolist()),
        counts=tuple(counts.tolist()),
        total=int(adversarial.size),
        pairs=total.covered.n,
        band=curve_band(adversarial.size) if sample and adversarial.size else None,
        bound=spec.bound,
    )


def curves_by_unit(curves: Iterable[DistanceCurve]) -> dict[str, list[DistanceCurve]]:
    """The curves that can stand in one figure, which have one norm and one unit, by a name for both."""
    groups: dict[str, list[DistanceCurve]] = {}
    for curve in curves:
        words = UNITS[curve.unit].replace("'", "").replace(" ", "-")
        unit = "" if curve.unit == "pixels" else f"-{words}"
        groups.setdefault(f"{NORM_NAMES[curve.norm].replace('∞', 'inf')}{unit}", []).append(curve)
    return groups


def distance_table(
    store: CampaignStore, by: By = By.LAYER_PAIR, *, quartiles: bool | None = None
) -> LayerDistanceTable:
    """Distances by layer, over all test pairs and over the adversarial ones.

    Without ``quartiles``, these are there where a mean minus deviation is below 0.
    """
    layers, card = counts_by_layer(store), store.card()
    known = store.pairs.distances() if quartiles else None
    table = LayerDistanceTable(
        norm=store.spec().norm,
        unit=unit_of(card),
        by=by,
        rows=tuple(_row(*row, known) for row in grouped(layers, by, card)),
        total=_row(None, layers, known),
        bound=store.spec().bound,
    )
    if quartiles is None and any(each.below_zero for each in table.spreads):
        return distance_table(store, by, quartiles=True)
    return table


def _row(place: Place | None, layers: Sequence[LayerCounts], known: Distances | None) -> DistanceRow:
    nothing = Spread(0, None, None)
    pairs = sum((Spread(c.found, c.mean_distance, c.std_distance) for c in layers), nothing)
    adversarial = sum(
        (Spread(c.adversarial, c.mean_adversarial_distance, c.std_adversarial_distance) for c in layers), nothing
    )
    if known is None:
        return DistanceRow(place, pairs, adversarial)
    found = [known[c.edge] for c in layers if c.edge in known]
    return DistanceRow(
        place,
        _with_quartiles(pairs, [distances for distances, _ in found]),
        _with_quartiles(adversarial, [distances[chosen] for distances, chosen in found]),
    )


def _with_quartiles(spread: Spread, parts: Sequence[FloatArray]) -> Spread:
    if not spread.n:
        return spread
    low, middle, high = np.percentile(np.concatenate(parts), (25, 50, 75)).tolist()
    return replace(spread, quartiles=(low, middle, high))
