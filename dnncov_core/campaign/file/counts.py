"""What a campaign file answers about its targets: counts, distances, costs and attempts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dnncov_core.campaign.file.encoding import ATTEMPT_FIELDS, TARGET_FIELDS, attempt_from, target_from
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.sql import Database
from dnncov_core.records import Attempt, LayerCounts, Outcome, ProgrammeCosts, Target, TargetResult, TestPair
from dnncov_core.types import Edge, FloatArray


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


@dataclass(frozen=True)
class _Pairs:
    """Of the test pairs of one layer pair: how many are adversarial and hold at 8 bits, mean and variance of their
    distance, and both of the adversarial ones.
    """

    adversarial: int = 0
    holds_8bit: int = 0
    mean: float | None = None
    variance: float | None = None
    mean_adversarial: float | None = None
    variance_adversarial: float | None = None


_NO_PAIRS = _Pairs()


class Results(Database):
    """The reading half of a campaign file's targets."""

    def targets(self) -> list[Target]:
        """All targets, in the order of work."""
        rows = self._rows(f"SELECT {', '.join(TARGET_FIELDS)} FROM target ORDER BY id")
        with self._decoding():
            return [target_from(row) for row in rows]

    def pending(self) -> list[Target]:
        """Targets without an outcome, in the order of work."""
        ordinals = {ordinal for (ordinal,) in self._rows("SELECT ordinal FROM target WHERE outcome = 'pending'")}
        return [target for target in self.targets() if target.ordinal in ordinals]

    @once
    def progress(self) -> CampaignProgress:
        """Counts so far, all of one moment."""
        with self.at_one_moment(), self._decoding():
            counts = self.outcomes()
            adversarial, attempts, seconds = self._row(
                """
                SELECT (SELECT count(*) FROM test_pair WHERE adversarial), (SELECT count(*) FROM attempt),
                       (SELECT seconds FROM worker)
                """
            )
            total, covered = sum(counts.values()), counts.get(Outcome.FOUND, 0)
            _check_pairs(covered, adversarial)
            done = total - counts.get(Outcome.PENDING, 0)
            return CampaignProgress(total, done, covered, adversarial, attempts, float(seconds))

    def outcomes(self) -> dict[Outcome, int]:
        """How many targets have each outcome."""
        found: dict[Outcome, int] = {}
        for (_, outcome), n in self.outcomes_by_edge().items():
            found[outcome] = found.get(outcome, 0) + n
        return found

    @once
    def outcomes_by_edge(self) -> Mapping[tuple[Edge, Outcome], int]:
        """How many targets of each layer pair have each outcome, in layer order."""
        rows = self._rows(
            """
            SELECT condition_layer k, decision_layer l, outcome, count(*) FROM target GROUP BY k, l, outcome
            ORDER BY l, k
            """
        )
        with self._decoding():
            return {((k, layer), Outcome(outcome)): n for k, layer, outcome, n in rows}

    @once
    def layer_counts(self) -> tuple[LayerCounts, ...]:
        """Counts and distances for each layer pair, in layer order."""
        with self.at_one_moment():
            outcomes, pairs = self.outcomes_by_edge(), self._pairs_by_edge()
        edges = dict.fromkeys(edge for edge, _ in outcomes)
        with self._decoding():
            layers = tuple(_layer(edge, outcomes, pairs.get(edge, _NO_PAIRS)) for edge in edges)
            for counts in layers:
                _check_pairs(counts.found, counts.adversarial, counts.holds_8bit)
            return layers

    def _pairs_by_edge(self) -> dict[Edge, _Pairs]:
        rows = self._rows(
            f"""
            WITH means AS MATERIALIZED (
                SELECT condition_layer k, decision_layer l, sum(adversarial) n, coalesce(sum(holds_8bit), 0) h,
                       avg(distance) m, avg(CASE WHEN adversarial THEN distance END) ma
                FROM {self._joined()} GROUP BY condition_layer, decision_layer)
            SELECT k, l, n, h, m, avg((distance - m) * (distance - m)), ma,
                   avg(CASE WHEN adversarial THEN (distance - ma) * (distance - ma) END)
            FROM {self._joined()} CROSS JOIN means ON k = condition_layer AND l = decision_layer
            GROUP BY condition_layer, decision_layer
            """
        )
        with self._decoding():
            return {(k, layer): _Pairs(*numbers) for k, layer, *numbers in rows}

    @once
    def programme_costs(self) -> tuple[ProgrammeCosts, ...]:
        """What linear programmes cost in each layer pair that had any, in layer order."""
        rows = self._rows(
            """
            SELECT condition_layer k, decision_layer l, sum(calls), max(variables), avg(constraints), max(constraints),
                   sum(solver_seconds) / sum(calls),
                   1.0 * sum(iterations) / sum(CASE WHEN iterations IS NOT NULL THEN calls END)
            FROM attempt JOIN target ON target = id WHERE variables IS NOT NULL GROUP BY k, l ORDER BY l, k
            """
        )
        with self._decoding():
            return tuple(ProgrammeCosts(*row) for row in rows)

    @once
    def adversarial_distances(self) -> FloatArray:
        """The distances of all adversarial pairs, ascending."""
        rows = self._rows("SELECT distance FROM test_pair WHERE adversarial ORDER BY distance")
        return np.array([distance for (distance,) in rows], np.float64)

    @once
    def count_distinct_pairs(self) -> int:
        """How many different test pairs there are: with reuse one may cover many targets."""
        own = f"SELECT target FROM test_pair {self._by('test_pair_numbers')} WHERE found_for IS NULL"
        distinct = f"SELECT DISTINCT seed, x2 FROM test_pair WHERE target IN ({own})"
        return int(self._row(f"SELECT count(*) FROM ({distinct})")[0])

    def attempts(self, target: Target) -> list[Attempt]:
        """The attempts at one target, in the order tried."""
        rows = self._rows(
            f"SELECT {', '.join(ATTEMPT_FIELDS)} FROM attempt"
            " WHERE target = (SELECT id FROM target WHERE ordinal = ?) ORDER BY place",
            (target.ordinal,),
        )
        with self._decoding():
            return [attempt_from(row) for row in rows]


def _check_pairs(found: int, *kinds: int) -> None:
    """Some kinds of test pairs are no more than the targets that have one."""
    if max(kinds) > found:
        raise ValueError("test pairs without an outcome")


def _layer(edge: Edge, outcomes: Mapping[tuple[Edge, Outcome], int], pairs: _Pairs) -> LayerCounts:
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
        mean_distance=pairs.mean,
        std_distance=_root(pairs.variance),
        mean_adversarial_distance=pairs.mean_adversarial,
        std_adversarial_distance=_root(pairs.variance_adversarial),
    )


def _root(variance: float | None) -> float | None:
    return None if variance is None else float(np.sqrt(variance))
