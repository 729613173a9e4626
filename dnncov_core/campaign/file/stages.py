"""The stages of a campaign's work, and the working time that went into each."""

from __future__ import annotations

import os

from dnncov_core.campaign.file.encoding import value_of
from dnncov_core.campaign.file.sql import FilePart
from dnncov_core.records import Stage
from dnncov_core.types import Seconds

_OWN = "EXISTS (SELECT 1 FROM worker WHERE pid = ?)"


class StageTable(FilePart):
    """The stages of one campaign, in the order of time; a campaign that is resumed goes through some of them again."""

    def begin(self, stage: Stage) -> None:
        """The worker's note that it begins a stage."""
        with self.database.transaction() as connection:
            statement = f"INSERT INTO stage (name, seconds) SELECT ?, 0 WHERE {_OWN}"
            connection.execute(statement, (stage.value, os.getpid()))

    def add(self, seconds: float) -> None:
        """Adds working time to the stage that the worker is at."""
        with self.database.transaction() as connection:
            statement = f"UPDATE stage SET seconds = seconds + ? WHERE id = (SELECT max(id) FROM stage) AND {_OWN}"
            connection.execute(statement, (seconds, os.getpid()))

    def now(self) -> Stage | None:
        """The last stage; None before the first, and in a file of an earlier version."""
        begun = self.all()
        return begun[-1][0] if begun else None

    def seconds(self) -> dict[Stage, float]:
        """Working time by stage, for those that have begun."""
        spent: dict[Stage, float] = {}
        for stage, seconds in self.all():
            spent[stage] = spent.get(stage, 0.0) + seconds
        return spent

    def all(self) -> list[tuple[Stage, float]]:
        """The stages with their seconds; none in a file of an earlier version."""
        rows = self.database.rows("SELECT name, seconds FROM stage ORDER BY id")
        with self.database.judging():
            return [(value_of(Stage, name), value_of(Seconds, seconds)) for name, seconds in rows]
