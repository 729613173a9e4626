"""What a campaign file answers about its targets: counts, distances, costs and attempts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dnncov_core.campaign.rows import ATTEMPT_FIELDS, TARGET_FIELDS, attempt_from, target_from
from dnncov_core.campaign.sql import Database
from dnncov_core.records import Attempt, LayerCounts, Outcome, ProgrammeCosts, Target, TargetResult, TestPair
from dnncov_core.types import BoolArray, FloatArray


@dataclass(frozen=True)
class Progress:
    """How far a campaign is: targets done of total, covered, adversarial, attempts, working seconds."""

    total: int
    done: int
    covered: int
    adversarial: int
    attempts: int
    seconds: float

    def after(self, results: Sequence[TargetResult], others: Sequence[TestPair] = ()) -> Progress:
        """How far it is once more targets are done, with ``others`` covered by their test pairs.

        Counting the file anew takes longer the more it holds.
        """
        pairs = [*others, *(result.test_pair for result in results if result.test_pair is not None)]
        return Progress(
            total=self.total,
            done=self.done + len(results) + len(others),
            covered=self.covered + len(pairs),
            adversarial=self.adversarial + sum(pair.adversarial for pair in pairs),
            attempts=self.attempts + sum(len(result.attempts) for result in results),
            seconds=self.seconds + sum(result.seconds for result in results),
        )


@dataclass(frozen=True)
class PairDistances:
    """One entry a test pair, in the order of the plan: its distance in the campaign's norm, and its verdict."""

    distance: FloatArray
    adversarial: BoolArray


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

    def progress(self) -> Progress:
        """Counts so far, all of one moment."""
        with self._decoding():
            total, done, covered, adversarial, attempts, seconds = self._row(
                """
                SELECT count(*), coalesce(sum(outcome <> 'pending'), 0), coalesce(sum(outcome = 'found'), 0),
                       (SELECT count(*) FROM test_pair WHERE adversarial), (SELECT count(*) FROM attempt),
                       (SELECT seconds FROM worker)
                FROM target
                """
            )
            _check_pairs(covered, adversarial)
            return Progress(total, done, covered, adversarial, attempts, float(seconds))

    def outcomes(self) -> dict[Outcome, int]:
        """How many targets have each outcome."""
        rows = self._rows("SELECT outcome, count(*) FROM target GROUP BY outcome")
        with self._decoding():
            return {Outcome(name): n for name, n in rows}

    def layer_counts(self) -> list[LayerCounts]:
        """Counts and distances for each layer pair, in layer order."""
        rows = self._rows(
            """
            WITH joined AS (SELECT t.condition_layer k, t.decision_layer l, t.outcome, p.distance d, p.adversarial a,
                                   p.holds_8bit h FROM target t LEFT JOIN test_pair p ON p.target = t.id),
                 means AS (SELECT k, l, avg(d) m, avg(CASE WHEN a THEN d END) ma FROM joined GROUP BY k, l)
            SELECT k, l, count(*), sum(outcome = 'found'), sum(outcome = 'exhausted'),
                   sum(outcome = 'proved_infeasible'), sum(outcome = 'error'), coalesce(sum(a), 0), coalesce(sum(h), 0),
                   m, avg((d - m) * (d - m)), ma, avg(CASE WHEN a THEN (d - ma) * (d - ma) END)
            FROM joined JOIN means USING (k, l) GROUP BY k, l ORDER BY l, k
            """
        )
        with self._decoding():
            layers = [LayerCounts(*[*row[:10], _root(row[10]), row[11], _root(row[12])]) for row in rows]
            for counts in layers:
                _check_pairs(counts.found, counts.adversarial, counts.holds_8bit)
            return layers

    def programme_costs(self) -> list[ProgrammeCosts]:
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
            return [ProgrammeCosts(*row) for row in rows]

    def distances(self) -> PairDistances:
        """The distance of every test pair."""
        rows = self._rows("SELECT distance, adversarial FROM test_pair ORDER BY target")
        distance, adversarial = zip(*rows, strict=True) if rows else ((), ())
        return PairDistances(np.array(distance, np.float64), np.array(adversarial, np.bool_))

    def count_distinct_pairs(self) -> int:
        """How many different test pairs there are: with reuse one may cover many targets."""
        distinct = "SELECT DISTINCT seed, x2 FROM test_pair WHERE found_for IS NULL"
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


def _root(variance: float | None) -> float | None:
    return None if variance is None else float(np.sqrt(variance))
