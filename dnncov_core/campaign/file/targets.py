"""The targets of a campaign file in the order of work, and the attempts at them: seeds tried, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dnncov_core.campaign.file.encoding import ATTEMPT_FIELDS, TARGET_FIELDS, attempt_from, target_from
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.sql import Database
from dnncov_core.records import Attempt, Outcome, ProgrammeCosts, Target


@dataclass(frozen=True)
class TargetTable:
    """The targets of one campaign: its test conditions as a search is given them."""

    database: Database

    def all(self) -> list[Target]:
        """All targets, in the order of work."""
        return self._where("TRUE")

    def pending(self) -> list[Target]:
        """Targets without an outcome, in the order of work."""
        return self._where("outcome = 'pending'")

    def _where(self, condition: str) -> list[Target]:
        rows = self.database.rows(f"SELECT {', '.join(TARGET_FIELDS)} FROM target WHERE {condition} ORDER BY id")
        with self.database.decoding():
            return [target_from(row) for row in rows]

    def with_outcomes(self) -> list[tuple[Target, Outcome]]:
        """All targets with their outcomes, in the order of work; a covered free feature names what flipped."""
        names = ", ".join(f"target.{name}" for name in TARGET_FIELDS)
        rows = self.database.rows(
            f"SELECT {names}, outcome, flipped FROM target LEFT JOIN test_pair ON target = target.id ORDER BY target.id"
        )
        with self.database.decoding():
            return [_with_outcome(row[:-2], *row[-2:]) for row in rows]


def _with_outcome(row: Sequence[object], outcome: str, flipped: str | None) -> tuple[Target, Outcome]:
    target = target_from(row)
    if flipped is not None:
        target = replace(target, condition_neurons=tuple(map(int, flipped.split())), condition_most=None)
    return target, Outcome(outcome)


@dataclass(frozen=True)
class AttemptTable:
    """The attempts of one campaign."""

    database: Database

    def of(self, target: Target) -> list[Attempt]:
        """The attempts at one target, in the order tried."""
        rows = self.database.rows(
            f"SELECT {', '.join(ATTEMPT_FIELDS)} FROM attempt"
            " WHERE target = (SELECT id FROM target WHERE ordinal = ?) ORDER BY place",
            (target.ordinal,),
        )
        with self.database.decoding():
            return [attempt_from(row) for row in rows]

    def seeds_tried(self) -> dict[int, set[int]]:
        """By ordinal, the seeds of pending test conditions whose attempts did not break off: they were put back."""
        rows = self.database.rows(
            "SELECT ordinal, seed FROM attempt JOIN target ON target = target.id"
            " WHERE target.outcome = 'pending' AND attempt.outcome <> 'error'"
        )
        seeds: dict[int, set[int]] = {}
        for ordinal, seed in rows:
            seeds.setdefault(ordinal, set()).add(seed)
        return seeds

    def passes(self, ordinals: Sequence[int]) -> list[int | None]:
        """Forward and backward passes of all attempts at each target; None where none was counted."""
        sql = "SELECT sum(passes) FROM attempt WHERE target = (SELECT id FROM target WHERE ordinal = ?)"
        return [self.database.row(sql, (ordinal,))[0] for ordinal in ordinals]

    @once
    def programme_costs(self) -> tuple[ProgrammeCosts, ...]:
        """What linear programmes cost in each layer pair that had any, in layer order."""
        rows = self.database.rows(
            """
            SELECT condition_layer k, decision_layer l, sum(calls), max(variables), avg(constraints), max(constraints),
                   sum(solver_seconds) / sum(calls),
                   1.0 * sum(iterations) / sum(CASE WHEN iterations IS NOT NULL THEN calls END)
            FROM attempt JOIN target ON target = id WHERE variables IS NOT NULL GROUP BY k, l ORDER BY l, k
            """
        )
        with self.database.decoding():
            return tuple(ProgrammeCosts(*row) for row in rows)
