"""The targets of a campaign file in the order of work, and the attempts at them: seeds tried, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dnncov_core.campaign.file.encoding import columns, record_from, value_of
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.prepared import JudgedPart, References
from dnncov_core.records import Attempt, Outcome, ProgrammeCosts, Target
from dnncov_core.types import Count, Neurons


class TargetTable(JudgedPart):
    """The targets of one campaign: its test conditions as a search is given them."""

    def all(self) -> list[Target]:
        """All targets, in the order of work."""
        return self._where("TRUE")

    def pending(self) -> list[Target]:
        """Targets without an outcome, in the order of work."""
        return self._where("outcome = 'pending'")

    def _where(self, condition: str) -> list[Target]:
        sql = f"SELECT {columns(Target)} FROM target WHERE {condition} ORDER BY id"
        return self.records(Target, References.target, sql)

    def with_outcomes(self) -> list[tuple[Target, Outcome]]:
        """All targets with their outcomes, in the order of work; a covered free feature names what flipped."""
        rows = self.database.rows(
            f"SELECT {columns(Target, 'target')}, outcome, flipped"
            " FROM target LEFT JOIN test_pair ON target = target.id ORDER BY target.id"
        )
        known = self.known
        with self.database.judging():
            return [
                (_named(known.target(record_from(Target, row)), flipped), value_of(Outcome, outcome))
                for *row, outcome, flipped in rows
            ]


def _named(target: Target, flipped: str | None) -> Target:
    if flipped is None:
        return target
    return replace(target, condition_neurons=value_of(Neurons, flipped), condition_most=None)


class AttemptTable(JudgedPart):
    """The attempts of one campaign."""

    def of(self, target: Target) -> list[Attempt]:
        """The attempts at one target, in the order tried."""
        own = "target = (SELECT id FROM target WHERE ordinal = ?)"
        sql = f"SELECT {columns(Attempt)} FROM attempt WHERE {own} ORDER BY place"
        return self.records(Attempt, lambda known, attempt: known.seed(attempt.seed), sql, target.ordinal)

    def seeds_tried(self) -> dict[int, set[int]]:
        """By ordinal, the seeds of pending test conditions whose attempts did not break off: they were put back."""
        rows = self.database.rows(
            "SELECT ordinal, seed FROM attempt JOIN target ON target = target.id"
            " WHERE target.outcome = 'pending' AND attempt.outcome <> 'error'"
        )
        seeds: dict[int, set[int]] = {}
        with self.database.judging():
            for ordinal, seed in rows:
                seeds.setdefault(value_of(Count, ordinal), set()).add(value_of(Count, seed))
        return seeds

    def passes(self, ordinals: Sequence[int]) -> list[int | None]:
        """Forward and backward passes of all attempts at each target; None where none was counted."""
        sql = "SELECT sum(passes) FROM attempt WHERE target = (SELECT id FROM target WHERE ordinal = ?)"
        rows = [self.database.row(sql, (ordinal,)) for ordinal in ordinals]
        with self.database.judging():
            return [value_of(Count | None, passes) for (passes,) in rows]

    @once
    def programme_costs(self) -> tuple[ProgrammeCosts, ...]:
        """What linear programmes cost in each layer pair that had any, in layer order."""
        sql = """
            SELECT condition_layer k, decision_layer l, sum(calls), max(variables), avg(constraints), max(constraints),
                   sum(solver_seconds) / sum(calls),
                   1.0 * sum(iterations) / sum(CASE WHEN iterations IS NOT NULL THEN calls END)
            FROM attempt JOIN target ON target = id WHERE variables IS NOT NULL GROUP BY k, l ORDER BY l, k
            """
        return tuple(self.records(ProgrammeCosts, lambda known, costs: known.edge(costs.edge), sql))
