"""A campaign's test pairs on another network, by layer pair: what is kept, lost and gained, and which labels change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dnncov_core.campaign.review.replayed import Replayed, ReplayedCondition
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.grouping import By, LayerTable, Place
from dnncov_core.types import Edge

FATES: Mapping[str, str] = {
    "own": "covered there by its own test pair",
    "shared": "covered there by another test pair",
    "gained": "no test pair in the campaign, covered there",
    "lost": "not covered there any more",
    "apart": "covered, but of layers that are not there",
}
"""What became of a test condition that is covered in the campaign or there."""
COUNTS: Mapping[str, str] = {
    "pairs": "test conditions that have a test pair in the campaign",
    **{name: f"test conditions: {words}" for name, words in FATES.items()},
    "pending": "test conditions: no test pair in the campaign, which has not tried them, covered there",
    "x1": "test pairs whose x1 is judged otherwise there",
    "x2": "test pairs whose x2 is judged otherwise there",
    "adversarial": "test pairs that are adversarial in the campaign",
    "became": "test pairs that are adversarial there alone",
    "ceased": "test pairs that are adversarial in the campaign alone",
}
"""What is counted of test conditions and their test pairs."""


@dataclass(frozen=True)
class ReplayedRow:
    """One layer pair of the campaign's network, or all of them.

    Attributes:
        place: its layers; None in the row that sums all.
        there: the layer pair that stands for it on the other network; None where none does, and for all.
        asked: test conditions that the campaign asks about.
        asked_there: those of them whose layers are there.
        counts: how many there are of each of `COUNTS`.
    """

    place: Place | None
    there: Edge | None
    asked: int
    asked_there: int
    counts: Mapping[str, int]

    @property
    def own(self) -> Ratio:
        """Test conditions that their own test pair covers there, of those that have one."""
        return Ratio(self.counts["own"], self.counts["pairs"])

    @property
    def covered_there(self) -> Ratio:
        """Test conditions that some test pair of the campaign covers there, of those whose layers are there."""
        return Ratio(sum(self.counts[name] for name in ("own", "shared", "gained")), self.asked_there)


def fate(condition: ReplayedCondition) -> str:
    """Which of `FATES` a test condition has."""
    if condition.own:
        return "own"
    if condition.covered:
        return "shared" if condition.labels else "gained"
    return "apart" if condition.own is None else "lost"


def _facts(condition: ReplayedCondition) -> Iterator[str]:
    """Those of `COUNTS` that a test condition and its test pair count for."""
    yield from (fate(condition), *["pending"] * condition.pending)
    if not condition.labels:
        return
    before, after = condition.adversarial, condition.adversarial_there
    changed = zip(("x1", "x2"), condition.labels, condition.labels_there, strict=True)
    yield from (x for x, here, there in changed if here != there)
    yield from ("pairs", *["adversarial"] * before, *["became"] * (after > before), *["ceased"] * (before > after))


def replayed_table(replayed: Replayed) -> LayerTable[ReplayedRow]:
    """The rows of a replay by layer pair, in the campaign's order."""
    names, rows = {layer.index: layer.name for layer, _ in replayed.layers}, []
    for edge, asked, there in replayed.asked:
        place = Place((edge[0],), edge[1], (names[edge[0]],), names[edge[1]])
        counts = _counts([each for each in replayed.conditions if each.edge == edge])
        rows.append(ReplayedRow(place, there, asked, asked if there else 0, counts))
    asked, asked_there = (sum(getattr(row, name) for row in rows) for name in ("asked", "asked_there"))
    total = ReplayedRow(None, None, asked, asked_there, _counts(replayed.conditions))
    return LayerTable(By.LAYER_PAIR, tuple(rows), total)


def _counts(conditions: Sequence[ReplayedCondition]) -> Mapping[str, int]:
    found = Counter(fact for each in conditions for fact in _facts(each))
    return {name: found[name] for name in COUNTS}
