"""How many test conditions of a campaign file ended how, in all and by layer pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dnncov_core.campaign.file.claims import WorkerClaim
from dnncov_core.campaign.file.conditions import NO_EFFECT_SHOWN, Status
from dnncov_core.campaign.file.encoding import record_from, value_of
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.prepared import JudgedPart
from dnncov_core.records import EffectCounts, LayerCounts, Outcome, TargetResult, TestPair
from dnncov_core.types import Count, Distance, Edge, Limits, Seconds


@dataclass(frozen=True)
class CampaignProgress:
    """How far a campaign is: targets done of total, covered, adversarial, attempts, working seconds."""

    total: int
    done: int
    covered: int
    adversarial: int
    attempts: int
    seconds: float

    def after(self, results: Sequence[TargetResult], others: Sequence[TestPair] = ()) -> CampaignProgress:
        """How far it is once more targets are done, with ``others`` covered by their test pairs.

        Counting the file anew takes longer the more it holds.
        """
        pairs = [*others, *(result.test_pair for result in results if result.test_pair is not None)]
        return CampaignProgress(
            total=self.total,
            done=self.done + len(results) + len(others),
            covered=self.covered + len(pairs),
            adversarial=self.adversarial + sum(pair.adversarial for pair in pairs),
            attempts=self.attempts + sum(len(result.attempts) for result in results),
            seconds=self.seconds + sum(result.seconds for result in results),
        )


OnProgress = Callable[[CampaignProgress], None]
"""Called after each finished batch of targets."""


Variance = Annotated[float, Limits(0, 1e200)]
"""Of distances."""


@dataclass(frozen=True)
class _PairCounts:
    """The test pairs of one layer pair: how many there are of each kind, and their distances, None without any.

    The nearest and the farthest are read so that each distance between them is judged.
    """

    effects: EffectCounts
    adversarial: Count = 0
    holds_8bit: Count = 0
    nearest: Distance | None = None
    farthest: Distance | None = None
    mean: Distance | None = None
    variance: Variance | None = None
    mean_adversarial: Distance | None = None
    variance_adversarial: Variance | None = None


_EFFECTS: Mapping[str, str] = {
    "needed": "sum(needed)",
    "sufficient": "sum(sufficient)",
    "both": "sum(needed AND sufficient)",
    "needed_8bit": "sum(needed_8bit)",
    "sufficient_8bit": "sum(sufficient_8bit)",
    "both_8bit": "sum(needed_8bit AND sufficient_8bit)",
    "unknown": "sum(needed IS NULL)",
    "unknown_8bit": "sum(holds_8bit IS NULL)",
    "shares": "count(effect_share)",
    "share_sum": "total(max(0, min(1, effect_share)))",
}
"""How each field of `EffectCounts`, in their order, is counted."""


class CampaignCounts(JudgedPart):
    """The counts of one campaign; a layer pair comes before those with later decision layers."""

    @once
    def progress(self) -> CampaignProgress:
        """Counts so far, all of one moment."""
        with self.database.at_one_moment(), self.database.judging():
            outcomes = self.outcomes()
            adversarial, attempts = self.database.row(
                "SELECT (SELECT count(*) FROM test_pair WHERE adversarial), (SELECT count(*) FROM attempt)"
            )
            seconds = WorkerClaim(self.database).row().seconds
            total, covered = sum(outcomes.values()), outcomes.get(Outcome.FOUND, 0)
            _check_pairs(covered, adversarial)
            done = total - outcomes.get(Outcome.PENDING, 0)
            return CampaignProgress(total, done, covered, adversarial, attempts, seconds)

    def search_seconds(self) -> tuple[float, float]:
        """How long was searched for what is covered, and for all other conditions, by all processes together."""
        sql = "SELECT total(seconds * (outcome = 'found')), total(seconds * (outcome <> 'found')) FROM target"
        covered, others = self.database.row(sql)
        with self.database.judging():
            return value_of(Seconds, covered), value_of(Seconds, others)

    def outcomes(self) -> dict[Outcome, int]:
        """How many targets have each outcome."""
        counts: dict[Outcome, int] = {}
        for (_, outcome), n in self.outcomes_by_edge().items():
            counts[outcome] = counts.get(outcome, 0) + n
        return counts

    @once
    def outcomes_by_edge(self) -> Mapping[tuple[Edge, Outcome], int]:
        """How many targets of each layer pair have each outcome."""
        rows = self.database.rows(
            """
            SELECT condition_layer k, decision_layer l, outcome, count(*) FROM target GROUP BY k, l, outcome
            ORDER BY l, k
            """
        )
        return self._by_edge_and_outcome(rows)

    @once
    def statuses_by_edge(self) -> Mapping[Edge, Mapping[Status, int]]:
        """How many test conditions of each layer pair have each status."""
        with self.database.at_one_moment():
            outcomes, justified, without = self.outcomes_by_edge(), self._justified_by_edge(), self._without_effect()
        with self.database.judging():
            if any(m > outcomes.get(key, 0) for key, m in justified.items()):
                raise ValueError("more justifications than test conditions")
        by_edge: dict[Edge, dict[Status, int]] = {}
        for key, n in outcomes.items():
            edge, outcome = key
            counts, said, shown = by_edge.setdefault(edge, {}), justified.get(key, 0), without.get(key, 0)
            numbers = {Status(outcome.value): n - said - shown, Status.JUSTIFIED: said, Status.WITHOUT_EFFECT: shown}
            for status, number in numbers.items():
                if number:
                    counts[status] = counts.get(status, 0) + number
        return by_edge

    @once
    def layers(self) -> tuple[LayerCounts, ...]:
        """Counts and distances for each layer pair."""
        with self.database.at_one_moment():
            outcomes, pairs = self.outcomes_by_edge(), self._pairs_by_edge()
        edges = dict.fromkeys(edge for edge, _ in outcomes)
        with self.database.judging():
            layers = tuple(_layer(edge, outcomes, pairs.get(edge, _PairCounts(EffectCounts()))) for edge in edges)
            for counts in layers:
                shown = counts.effects
                known = (shown.needed, shown.sufficient, shown.needed_8bit, shown.sufficient_8bit)
                _check_pairs(counts.found, counts.adversarial, counts.holds_8bit, shown.unknown + max(known))
            return layers

    def _justified_by_edge(self) -> Mapping[tuple[Edge, Outcome], int]:
        """How many test conditions with each outcome count as justified instead."""
        rows = self.database.rows(
            """
            SELECT condition_layer k, decision_layer l, outcome, count(*) FROM justification JOIN target USING (ordinal)
            WHERE outcome NOT IN ('found', 'proved_infeasible') GROUP BY k, l, outcome
            """
        )
        return self._by_edge_and_outcome(rows)

    def _without_effect(self) -> Mapping[tuple[Edge, Outcome], int]:
        """How many covered test conditions have a witness without effect."""
        rows = self.database.rows(
            f"SELECT condition_layer k, decision_layer l, outcome, count(*) FROM {self.database.pairs_with_targets()}"
            f" WHERE {NO_EFFECT_SHOWN[self.effect()]} GROUP BY k, l, outcome"
        )
        return self._by_edge_and_outcome(rows)

    def _by_edge_and_outcome(self, rows: Sequence[tuple[int, int, str, int]]) -> Mapping[tuple[Edge, Outcome], int]:
        known = self.known
        with self.database.judging():
            return {(known.edge((k, layer)), value_of(Outcome, outcome)): n for k, layer, outcome, n in rows}

    def _pairs_by_edge(self) -> dict[Edge, _PairCounts]:
        joined, n = self.database.pairs_with_targets(), len(_EFFECTS)
        effects = ", ".join(f"coalesce({counted}, 0) {name}" for name, counted in _EFFECTS.items())
        rows = self.database.rows(
            f"""
            WITH means AS MATERIALIZED (
                SELECT condition_layer k, decision_layer l, sum(adversarial) n, coalesce(sum(holds_8bit), 0) h,
                       min(distance) low, max(distance) high,
                       avg(distance) m, avg(CASE WHEN adversarial THEN distance END) ma, {effects}
                FROM {joined} GROUP BY condition_layer, decision_layer)
            SELECT k, l, {", ".join(f"means.{name}" for name in _EFFECTS)},
                   n, h, low, high, m, avg((distance - m) * (distance - m)), ma,
                   avg(CASE WHEN adversarial THEN (distance - ma) * (distance - ma) END)
            FROM {joined} CROSS JOIN means ON k = condition_layer AND l = decision_layer
            GROUP BY condition_layer, decision_layer
            """
        )
        with self.database.judging():
            return {
                (k, layer): record_from(_PairCounts, numbers[n:], record_from(EffectCounts, numbers[:n]))
                for k, layer, *numbers in rows
            }


def _check_pairs(found: int, *kinds: int) -> None:
    """Raises ValueError where a kind of test pairs has more of them than there are targets with a test pair."""
    if max(kinds) > found:
        raise ValueError("test pairs without an outcome")


def _layer(edge: Edge, outcomes: Mapping[tuple[Edge, Outcome], int], pairs: _PairCounts) -> LayerCounts:
    def n(outcome: Outcome) -> int:
        return outcomes.get((edge, outcome), 0)

    return LayerCounts(
        *edge,
        pairs=sum(map(n, Outcome)),
        found=n(Outcome.FOUND),
        exhausted=n(Outcome.EXHAUSTED),
        proved_infeasible=n(Outcome.PROVED_INFEASIBLE),
        error=n(Outcome.ERROR),
        adversarial=pairs.adversarial,
        holds_8bit=pairs.holds_8bit,
        effects=pairs.effects,
        mean_distance=pairs.mean,
        std_distance=_root(pairs.variance),
        mean_adversarial_distance=pairs.mean_adversarial,
        std_adversarial_distance=_root(pairs.variance_adversarial),
    )


def _root(variance: float | None) -> float | None:
    return None if variance is None else float(np.sqrt(variance))
