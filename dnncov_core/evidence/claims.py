"""What a pack of evidence claims: each claim has a number, its denominator, and the rows that it rests on.

Rows are those of the pack's tables: test conditions in the order of the plan, which goes layer pair by layer pair, and
test pairs in the order of the test conditions that they cover. So the rows of a layer pair follow each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.distances import NORM_NAMES, written
from dnncov_core.evidence.definitions import why_not_computed
from dnncov_core.phrases.numbers import agreeing, counted
from dnncov_core.ratios import Ratio
from dnncov_core.records import LayerCounts, Outcome
from dnncov_core.statistics.coverage import (
    TARGET_OUTCOMES,
    counts_by_layer,
    coverage_table,
    knows_8_bits,
    short_criterion,
)
from dnncov_core.statistics.samples import interval_of
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer, StoredMeasurement
from dnncov_core.suites.remarks import without_share
from dnncov_core.types import Edge

CONDITIONS, PAIRS = "conditions", "pairs"
"""The tables of a pack that claims rest on."""
HAVE_ENDED = {
    Outcome.EXHAUSTED: "no test pair was found within the budget",
    Outcome.PROVED_INFEASIBLE: "a proof says that no input satisfies them, which is not computed again",
    Outcome.ERROR: "the search broke off",
    Outcome.PENDING: "nothing was tried yet",
}
"""What is said of test conditions without a test pair."""


@dataclass(frozen=True)
class Claim:
    """One thing that a pack says, which anyone can count again.

    Attributes:
        id: no two claims of a source have the same one.
        kind: what is counted, as ``verify.py`` knows it.
        text: one plain sentence.
        number: how many, or a distance.
        of: of how many; None where there is no denominator.
        low: the low end of the share's 95 % interval; None where no sample was drawn.
        high: the upper end.
        criterion: by its short name, or as a measurement was asked for it.
        place: the layer pair or layer, such as "2 to 3"; empty for all together.
        layers: the layer pairs of it; (0, layer) for a criterion of single neurons.
        table: the table that it rests on, `CONDITIONS` or `PAIRS`.
        rows: the first of its rows, and the one after the last.
        not_computed: why verify.py does not compute it again; empty if it does. It has no rows then.
    """

    id: str
    kind: str
    text: str
    number: float
    of: int | None
    low: float | None
    high: float | None
    criterion: str
    place: str
    layers: tuple[Edge, ...]
    table: str
    rows: tuple[int, int]
    not_computed: str = ""


@dataclass(frozen=True)
class _Part:
    """The counts of one layer pair, or of all, and where their rows begin."""

    criterion: str
    place: str
    first_condition: int
    first_pair: int
    counts: Sequence[LayerCounts]
    sample: bool

    def sum(self, name: str) -> int:
        return sum(getattr(each, name) for each in self.counts)

    @property
    def where(self) -> str:
        return f" from layer {self.place}" if self.place else ""

    def claim(self, kind: str, text: str, number: float, of: int | None, table: str = CONDITIONS) -> Claim:
        first, n = (self.first_pair, self.sum("found")) if table == PAIRS else (self.first_condition, self.sum("pairs"))
        known = self.sample and of is not None
        low, high = (interval_of(Ratio(int(number), of or 0), sample=known) if known else None) or (None, None)
        name = f"{kind}/{self.place.replace(' to ', '-')}" if self.place else kind
        edges, rows = tuple(each.edge for each in self.counts), (first, first + n)
        return Claim(name, kind, text, number, of, low, high, self.criterion, self.place, edges, table, rows)


def campaign_claims(store: CampaignStore) -> tuple[Claim, ...]:
    """The claims of a campaign: of all test conditions together, then of each layer pair that it asks about."""
    layers, spec, card = counts_by_layer(store), store.spec(), store.card()
    grid, name = knows_8_bits(card, layers), short_criterion(spec.criterion)
    total = coverage_table(store).total
    parts, condition, pair = [_Part(name, "", 0, 0, layers, total.is_random_sample)], 0, 0
    for each in layers:
        if each.pairs:
            place = f"{each.condition_layer} to {each.decision_layer}"
            parts.append(_Part(name, place, condition, pair, [each], total.is_finished_sample))
        condition, pair = condition + each.pairs, pair + each.found
    found = [claim for part in parts for claim in _of_part(part, grid=grid)]
    return (*found, *_of_distances(store, parts[0]))


def _of_distances(store: CampaignStore, part: _Part) -> Iterator[Claim]:
    distances = [float(each) for some, _ in store.pairs.distances().values() for each in some]
    if not distances:
        return
    of = f"{NORM_NAMES[store.spec().norm]} distance of {counted(len(distances), 'test pair')}"
    largest, mean = max(distances), math.fsum(distances) / len(distances)
    yield part.claim("largest_distance", f"The largest {of} is {written(largest)}.", largest, None, PAIRS)
    yield part.claim("mean_distance", f"The mean {of} is {written(mean)}.", mean, None, PAIRS)


def _of_part(part: _Part, *, grid: bool) -> Iterator[Claim]:
    total, found = part.sum("pairs"), part.sum("found")
    conditions = f"{counted(total, 'test condition')}{part.where}"
    have = agreeing(found, "has", "have")
    yield part.claim("covered", f"{found:,} of {conditions} {have} a replayable witness.", found, total)
    n, pairs = part.sum("adversarial"), f"{counted(found, 'test pair')}{part.where}"
    yield part.claim("adversarial", f"{n:,} of {pairs} {agreeing(n, 'is', 'are')} adversarial.", n, found, PAIRS)
    if grid:
        n = part.sum("holds_8bit")
        text = f"{n:,} of {pairs} still {agreeing(n, 'covers', 'cover')} when x2 is rounded to 8 bits."
        yield part.claim("holds_8bit", text, n, found, PAIRS)
    for outcome in TARGET_OUTCOMES:
        if outcome in HAVE_ENDED and (n := part.sum(outcome.value)):
            yield part.claim(outcome.value, f"For {n:,} of {conditions} {HAVE_ENDED[outcome]}.", n, total)


def measurement_claims(found: StoredMeasurement) -> tuple[Claim, ...]:
    """The claims of a measurement: of each criterion, and of each of its layer pairs or layers.

    Its rows are the test conditions that the suite covers, criterion by criterion and layer by layer, of those criteria
    that verify.py computes again.
    """
    asked = replace(found.spec, reference=found.spec.reference or "").asked()
    return tuple(
        _of_criteria(zip(found.criteria, (why_not_computed(each.method) for each in asked), strict=True), found)
    )


def _of_criteria(criteria: Iterable[tuple[MeasuredCriterion, str]], found: StoredMeasurement) -> Iterator[Claim]:
    start = 0
    for each, why in criteria:
        yield _of_suite(each, each.rows, "", start, why, found)
        for row in each.rows:
            yield _of_suite(each, [row], row.place, start, why, found)
            start += 0 if why else row.covered


def _of_suite(
    each: MeasuredCriterion, rows: Sequence[MeasuredLayer], place: str, start: int, why: str, found: StoredMeasurement
) -> Claim:
    covered, of = (rows[0].covered, rows[0].total) if place else (each.covered, each.total)
    what = without_share(each) if of is None else f"{covered:,} of {counted(of, 'test condition')}"
    where = f" {'from' if ' to ' in place else 'of'} layer {place}" if place else ""
    text = f"{each.name}: {counted(found.inputs, 'input')} {'have' if of is None else 'cover'} {what}{where}."
    name = "/".join(filter(None, ("covered", each.text, place.replace(" to ", "-"))))
    layers, end = tuple((row.condition_layer or 0, row.layer) for row in rows), start if why else start + int(covered)
    known = each.text, place, layers, CONDITIONS, (start, end)
    return Claim(name, "covered", text, covered, of, None, None, *known, not_computed=why)
