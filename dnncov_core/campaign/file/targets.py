"""The targets of a campaign file, in the order of work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dnncov_core.campaign.file.encoding import TARGET_FIELDS, target_from
from dnncov_core.campaign.file.sql import Database
from dnncov_core.records import Outcome, Target


@dataclass(frozen=True)
class TargetTable:
    """The targets of one campaign: its test conditions as a search is given them."""

    database: Database

    def all(self) -> list[Target]:
        """All targets, in the order of work."""
        rows = self.database.rows(f"SELECT {', '.join(TARGET_FIELDS)} FROM target ORDER BY id")
        with self.database.decoding():
            return [target_from(row) for row in rows]

    def pending(self) -> list[Target]:
        """Targets without an outcome, in the order of work."""
        rows = self.database.rows("SELECT ordinal FROM target WHERE outcome = 'pending'")
        ordinals = {ordinal for (ordinal,) in rows}
        return [target for target in self.all() if target.ordinal in ordinals]

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
