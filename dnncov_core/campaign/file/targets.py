"""The targets of a campaign file in the order of work, and the attempts at them: seeds tried, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dnncov_core.campaign.file.encoding import columns, record_from
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.sql import FilePart
from dnncov_core.records import Attempt, Outcome, ProgrammeCosts, Target


class TargetTable(FilePart):
    """The targets of one campaign: its test conditions as a search is given them."""

    def all(self) -> list[Target]:
        """All targets, in the order of work."""
        return self._where("TRUE")

    def pending(self) -> list[Target]:
        """Targets without an outcome, in the order of work."""
        return self._where("outcome = 'pending'")

    def _where(self, condition: str) -> list[Target]:
        sql = f"SELECT {columns(Target)} FROM target WHERE {condition} ORDER BY id"
        return self.database.records(Target, sql)

    def with_outcomes(self) -> list[tuple[Target, Outcome]]:
        """All targets with their outcomes, in the order of work; a covered free feature names what flipped."""
        rows = self.database.rows(
            f"SELECT {columns(Target, 'target')}, outcome, flipped"
            " FROM target LEFT JOIN test_pair ON target = target.id ORDER BY target.id"
        )
        with self.database.decoding():
            return [(_named(record_from(Target, row), flipped), Outcome(outcome)) for *row, outcome, flipped in rows]


def _named(target: Target, flipped: str | None) -> Target:
    if flipped is None:
        return target
    return replace(target, condition_neurons=tuple(map(int, flipped.split())), condition_most=None)


class AttemptTable(FilePart):
    """The attempts of one campaign."""

    def of(self, target: Target) -> list[Attempt]:
        """The attempts at one target, in the order tried."""
        own = "target = (SELECT id FROM target WHERE ordinal = ?)"
        sql = f"SELECT {columns(Attempt)} FROM attempt WHERE {own} ORDER BY place"
        return self.database.records(Attempt, sql, (target.ordinal,))

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
        costs = self.database.records(
            ProgrammeCosts,
            """
            SELECT condition_layer k, decision_layer l, sum(calls), max(variables), avg(constraints), max(constraints),
                   sum(solver_seconds) / sum(calls),
                   1.0 * sum(iterations) / sum(CASE WHEN iterations IS NOT NULL THEN calls END)
            FROM attempt JOIN target ON target = id WHERE variables IS NOT NULL GROUP BY k, l ORDER BY l, k
            """,
        )
        return tuple(costs)
