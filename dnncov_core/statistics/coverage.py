"""Coverage by layer: how many test conditions have a replayable witness, and how the others ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.effects import shown_effect
from dnncov_core.generators import GRIDS
from dnncov_core.phrases.coverage import is_sample
from dnncov_core.ratios import Estimate, Ratio
from dnncov_core.records import EffectCounts, LayerCounts, NetworkCard, Outcome
from dnncov_core.statistics.grouping import By, LayerTable, Place, grouped
from dnncov_core.statistics.samples import Stratum, simple_estimate, stratified_estimate
from dnncov_core.types import Edge

TARGET_OUTCOMES = (Outcome.FOUND, Outcome.EXHAUSTED, Outcome.PROVED_INFEASIBLE, Outcome.ERROR, Outcome.PENDING)
"""How a test condition can end, or that it has not ended yet."""


@dataclass(frozen=True)
class CoverageRow:
    """Coverage of the test conditions of one layer pair or decision layer, or of all of them.

    Attributes:
        place: the row's layers; None in the row that sums all.
        available: feature pairs that exist there, or that top weights leave, of which the campaign asks about all or a
            sample.
        covered: test conditions with a replayable witness, of all that the campaign asks about.
        feasible: the same, of those not proved infeasible.
        holds_8bit: witnesses that still hold when x2 is rounded to 8 bits, of all witnesses; nothing of nothing for
            inputs without such a grid.
        outcomes: how many test conditions ended in each of `TARGET_OUTCOMES`.
        with_effect: test conditions whose witness shows the table's effect, of all that the campaign asks about;
            nothing of nothing while it is not known of some witness.
        with_effect_8bit: witnesses that hold, and show it, when x2 is rounded to 8 bits, of all witnesses; nothing of
            nothing where that is not known, and for inputs without such a grid.
        effects: how many witnesses show which effect.
        strata: how many feature pairs each of its layer pairs has, with what is covered of those asked about.
        strata_with_effect: likewise, with what is covered with effect; nothing of nothing while that is not known.
        sampling: how these were drawn, a key of `SAMPLINGS`.
    """

    place: Place | None
    available: int
    covered: Ratio
    feasible: Ratio
    holds_8bit: Ratio
    outcomes: tuple[tuple[Outcome, int], ...]
    with_effect: Ratio
    with_effect_8bit: Ratio
    effects: EffectCounts
    strata: tuple[Stratum, ...]
    strata_with_effect: tuple[Stratum, ...]
    sampling: str

    @cached_property
    def estimate(self) -> Estimate | None:
        """What is covered of all feature pairs that exist there; computed where somebody asks, as intervals take time.

        None where the campaign asks about all of them, or none, and while some test condition has no outcome.
        """
        return self._estimate(self.covered, self.strata)

    @cached_property
    def with_effect_estimate(self) -> Estimate | None:
        """What is covered with effect of all of them; None also while that is not known."""
        return self._estimate(self.with_effect, self.strata_with_effect)

    @property
    def is_sample(self) -> bool:
        """Whether the campaign asks about some of the feature pairs only."""
        return is_sample(self.covered.total, self.available)

    @property
    def is_random_sample(self) -> bool:
        """Whether the outcomes are those of a simple random sample of the feature pairs.

        They are not where all pairs were asked for, where as many were drawn from each of several layer pairs, and as
        long as some test condition has no outcome yet.
        """
        return self.is_finished_sample and (self.sampling == CampaignSpec.sampling or len(self.strata) == 1)

    @property
    def is_finished_sample(self) -> bool:
        """Whether the campaign asks about some of the feature pairs only, and all of these have an outcome."""
        return self.is_sample and not self.count(Outcome.PENDING)

    def _estimate(self, counted: Ratio, strata: Sequence[Stratum]) -> Estimate | None:
        if not counted.total or not self.is_finished_sample:
            return None
        return simple_estimate(counted) if self.is_random_sample else stratified_estimate(strata)

    def count(self, outcome: Outcome) -> int:
        """How many test conditions ended in this outcome."""
        return dict(self.outcomes)[outcome]


@dataclass(frozen=True)
class CoverageTable(LayerTable[CoverageRow]):
    """Coverage by layer.

    Attributes:
        criterion: its short name, as in "SS".
        effect: what "with effect" stands for, a key of `EFFECTS`.
    """

    criterion: str
    effect: str


def coverage_table(store: CampaignStore, by: By = By.LAYER_PAIR) -> CoverageTable:
    """Coverage of a campaign by layer."""
    layers, card, known = counts_by_layer(store), store.card(), store.available()
    available, spec = {c.edge: known.get(c.edge, c.pairs) for c in layers}, store.spec()
    effect, grid = shown_effect(spec.effect), knows_8_bits(card, layers)

    def row(place: Place | None, some: Sequence[LayerCounts]) -> CoverageRow:
        return _row(place, some, available, effect, grid=grid, sampling=spec.sampling)

    rows = tuple(row(*each) for each in grouped(layers, by, card))
    return CoverageTable(by, rows, row(None, layers), short_criterion(spec.criterion), effect)


def counts_by_layer(store: CampaignStore) -> list[LayerCounts]:
    """Counts of every layer pair that the campaign may ask about, also of those that its sample missed."""
    counted = {counts.edge: counts for counts in store.counts.layers()}
    return [counted.pop(edge, LayerCounts(*edge)) for edge in store.available()] + list(counted.values())


def _row(
    place: Place | None,
    counted: Sequence[LayerCounts],
    available: dict[Edge, int],
    effect: str,
    *,
    grid: bool,
    sampling: str,
) -> CoverageRow:
    outcomes = {outcome: sum(getattr(counts, outcome.value) for counts in counted) for outcome in TARGET_OUTCOMES}
    total, found = sum(outcomes.values()), outcomes[Outcome.FOUND]
    effects = sum((counts.effects for counts in counted), EffectCounts())
    known = not effects.unknown
    shown = Ratio(getattr(effects, effect), total) if known else Ratio(0, 0)
    rounded = Ratio(getattr(effects, f"{effect}_8bit"), found) if grid and known else Ratio(0, 0)
    return CoverageRow(
        place=place,
        available=sum(available[counts.edge] for counts in counted),
        covered=Ratio(found, total),
        feasible=Ratio(found, total - outcomes[Outcome.PROVED_INFEASIBLE]),
        holds_8bit=Ratio(sum(counts.holds_8bit for counts in counted), found) if grid else Ratio(0, 0),
        outcomes=tuple(outcomes.items()),
        with_effect=shown,
        with_effect_8bit=rounded,
        effects=effects,
        strata=tuple((available[counts.edge], Ratio(counts.found, counts.pairs)) for counts in counted),
        strata_with_effect=tuple(
            (available[counts.edge], Ratio(getattr(counts.effects, effect), counts.pairs) if known else Ratio(0, 0))
            for counts in counted
        ),
        sampling=sampling,
    )


def knows_8_bits(card: NetworkCard | None, layers: Iterable[LayerCounts]) -> bool:
    """Whether inputs are images, and it was noted of each witness whether it holds when x2 is rounded to 8 bits."""
    return has_pixels(card) and not any(counts.effects.unknown_8bit for counts in layers)


def has_pixels(card: NetworkCard | None) -> bool:
    """Whether a network's inputs are images, (channels, height, width), with 256 grey levels between their bounds.

    For other inputs, such as vectors of features, the 256 grey levels of 8 bits mean nothing.
    """
    return card is not None and len(card.input_shape) == 3 and GRIDS["8bit"].fits(card.box)


def short_criterion(key: str) -> str:
    """A criterion's name without its explanation.

    >>> short_criterion("ss")
    'SS'
    """
    return CRITERIA[key].title.partition(" ")[0]
