"""What a campaign file answers about single test conditions: their status, and what is known of those not covered.

Everything is counted and paged by SQLite, so that a hundred thousand of them cost no more than those shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from dnncov_core.campaign.file.counts import Results
from dnncov_core.campaign.file.encoding import PAIR_FIELDS, TARGET_FIELDS, pair_from, target_from
from dnncov_core.campaign.file.moments import once
from dnncov_core.records import Justification, Outcome, Target, TestPair
from dnncov_core.types import Edge


class Status(Enum):
    """What a test condition counts as: covered before proved infeasible before justified before its outcome."""

    COVERED = "found"
    """It has a replayable witness."""
    PROVED_INFEASIBLE = "proved_infeasible"
    """No input of the box can satisfy it."""
    JUSTIFIED = "justified"
    """Somebody says why it needs no test pair."""
    EXHAUSTED = "exhausted"
    """Open: every seed that the budget allows was tried."""
    ERROR = "error"
    """Open: an attempt broke off."""
    PENDING = "pending"
    """Open: not tried yet."""


LARGEST = 2**63 - 1
"""The largest integer that a column of SQLite holds."""
OPEN = (Status.EXHAUSTED, Status.ERROR, Status.PENDING)
"""Neither covered nor explained."""
UNCOVERED = (*OPEN, Status.JUSTIFIED, Status.PROVED_INFEASIBLE)
"""Without a replayable witness."""
SELECTIONS: dict[str, tuple[Status, ...]] = {
    "open": OPEN,
    "covered": (Status.COVERED,),
    **{status.value: (status,) for status in UNCOVERED},
}
"""Names by which people ask for statuses."""


@dataclass(frozen=True)
class ConditionRecord:
    """One test condition with what is known of it.

    Attributes:
        target: what was asked.
        outcome: how the search or a proof ended.
        status: what it counts as.
        seeds_tried: how many different seeds were tried.
        message: of the last attempt that left one; empty if none did.
        justification: why it needs no test pair, if somebody says so.
    """

    target: Target
    outcome: Outcome
    status: Status
    seeds_tried: int
    message: str
    justification: Justification | None


@dataclass(frozen=True)
class LayerPairMatrix:
    """All feature pairs of one layer pair, by condition feature (rows) and decision feature (columns).

    Attributes:
        first: the ordinal of the layer pair's first feature pair.
        width: decision features of the layer pair.
        pairs: feature pairs of the layer pair.
    """

    first: int
    width: int
    pairs: int

    @property
    def last(self) -> int:
        """The ordinal of the last feature pair."""
        return self.first + self.pairs - 1

    def place(self, ordinal: int) -> tuple[int, int]:
        """Row and column of a feature pair.

        >>> Grid(first=100, width=4, pairs=20).place(109)
        (2, 1)
        """
        row, column = divmod(ordinal - self.first, self.width)
        return row, column

    def ordinal(self, row: int, column: int) -> int:
        """The inverse of `place`."""
        return self.first + row * self.width + column


_STATUS = (
    "CASE WHEN outcome IN ('found', 'proved_infeasible') THEN outcome"
    " WHEN reason IS NOT NULL THEN 'justified' ELSE outcome END"
)
_FROM = "target t LEFT JOIN justification j ON j.ordinal = t.ordinal"
_COLUMNS = ", ".join(f"t.{name}" for name in TARGET_FIELDS)


class Conditions(Results):
    """Test conditions of a campaign file, one by one and counted."""

    @once
    def status_counts(self) -> Mapping[Edge, Mapping[Status, int]]:
        """How many test conditions of each layer pair have each status, in layer order."""
        with self.at_one_moment():
            outcomes, justified = self.outcomes_by_edge(), self._justified_by_edge()
        found: dict[Edge, dict[Status, int]] = {}
        for (edge, outcome), n in outcomes.items():
            counts, m = found.setdefault(edge, {}), justified.get((edge, outcome), 0)
            for status, number in ((Status(outcome.value), n - m), (Status.JUSTIFIED, m)):
                if number:
                    counts[status] = counts.get(status, 0) + number
        return found

    def _justified_by_edge(self) -> dict[tuple[Edge, Outcome], int]:
        """Of the test conditions with each outcome, how many count as justified instead."""
        rows = self._rows(
            """
            SELECT condition_layer k, decision_layer l, outcome, count(*) FROM justification JOIN target USING (ordinal)
            WHERE outcome NOT IN ('found', 'proved_infeasible') GROUP BY k, l, outcome
            """
        )
        with self._decoding():
            return {((k, layer), Outcome(outcome)): n for k, layer, outcome, n in rows}

    def conditions(
        self,
        *,
        edge: Edge | None = None,
        layers: Collection[int] = (),
        statuses: Collection[Status] = UNCOVERED,
        limit: int = -1,
        offset: int = 0,
    ) -> list[ConditionRecord]:
        """Test conditions by ordinal.

        Args:
            edge: only this layer pair.
            layers: only these decision layers; empty for all.
            statuses: only these.
            limit: at most so many; -1 for all.
            offset: leave out so many first.
        """
        where, parameters = _where(edge, layers, statuses)
        page = f"SELECT t.id FROM {_FROM} WHERE {where} ORDER BY t.ordinal LIMIT ? OFFSET ?"
        return self._conditions(f"t.id IN ({page})", (*parameters, limit, offset))

    def condition(self, ordinal: int) -> ConditionRecord | None:
        """The test condition with this ordinal; None if the campaign does not ask about it."""
        if not 0 <= ordinal <= LARGEST:
            return None
        return next(iter(self._conditions("t.ordinal = ?", (ordinal,))), None)

    def seeds_tried(self) -> dict[int, set[int]]:
        """By ordinal, the seeds of pending test conditions whose attempts did not break off: they were put back."""
        rows = self._rows(
            "SELECT ordinal, seed FROM attempt JOIN target ON target = target.id"
            " WHERE target.outcome = 'pending' AND attempt.outcome <> 'error'"
        )
        found: dict[int, set[int]] = {}
        for ordinal, seed in rows:
            found.setdefault(ordinal, set()).add(seed)
        return found

    def test_pair_of(self, target: Target) -> TestPair | None:
        """The witness of a test condition; None if it has none."""
        rows = self._rows(
            f"SELECT {', '.join(PAIR_FIELDS)} FROM test_pair WHERE target = (SELECT id FROM target WHERE ordinal = ?)",
            (target.ordinal,),
        )
        with self._decoding():
            return pair_from(target, rows[0]) if rows else None

    @once
    def blocks(self, grid: LayerPairMatrix, rows: int, columns: int) -> list[tuple[int, int, Status, int]]:
        """How many test conditions have each status in blocks of the grid: row, column, status, number.

        Args:
            grid: the layer pair.
            rows: condition features of one block.
            columns: decision features of one block.
        """
        found = self._rows(
            f"SELECT (t.ordinal - ?) / ? / ? AS i, (t.ordinal - ?) % ? / ? AS j, {_STATUS} AS status, count(*)"
            f" FROM {_FROM} WHERE t.ordinal BETWEEN ? AND ? GROUP BY i, j, status",
            (grid.first, grid.width, rows, grid.first, grid.width, columns, grid.first, grid.last),
        )
        with self._decoding():
            return [(i, j, Status(status), n) for i, j, status, n in found]

    @once
    def rows_asked(self, grid: LayerPairMatrix) -> list[int]:
        """Places of the condition features of a layer pair that a test condition is about."""
        sql = "SELECT DISTINCT (ordinal - ?) / ? AS i FROM target WHERE ordinal BETWEEN ? AND ? ORDER BY i"
        return [i for (i,) in self._rows(sql, (grid.first, grid.width, grid.first, grid.last))]

    def columns_asked(self, grid: LayerPairMatrix, row: int) -> list[int]:
        """Places of the decision features that the campaign asks about with one condition feature."""
        start = grid.first + row * grid.width
        sql = "SELECT ordinal - ? FROM target WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal"
        return [j for (j,) in self._rows(sql, (start, start, start + grid.width - 1))]

    def first_of_block(self, grid: LayerPairMatrix, rows: range, columns: range) -> int | None:
        """The ordinal of the first open test condition in a block of the grid, else of the first; None if it has none.

        Args:
            grid: the layer pair.
            rows: condition features of the block.
            columns: decision features of the block; those beyond the grid are left out.
        """
        last = min(columns.stop, grid.width) - 1
        found = self._rows(
            f"SELECT t.ordinal FROM {_FROM} WHERE t.ordinal BETWEEN ? AND ? AND (t.ordinal - ?) % ? BETWEEN ? AND ?"
            f" ORDER BY {_STATUS} NOT IN ({', '.join('?' * len(OPEN))}), t.ordinal LIMIT 1",
            (
                grid.ordinal(rows.start, 0),
                min(grid.ordinal(rows.stop, 0) - 1, grid.last),
                *(grid.first, grid.width, columns.start, last),
                *(status.value for status in OPEN),
            ),
        )
        return found[0][0] if found else None

    def _conditions(self, where: str, parameters: tuple[object, ...]) -> list[ConditionRecord]:
        rows = self._rows(
            f"SELECT {_COLUMNS}, outcome, {_STATUS},"
            " (SELECT count(DISTINCT seed) FROM attempt WHERE target = t.id),"
            " (SELECT message FROM attempt WHERE target = t.id AND message <> '' ORDER BY place DESC LIMIT 1),"
            f" reason, author, date FROM {_FROM} WHERE {where} ORDER BY t.ordinal",
            parameters,
        )
        with self._decoding():
            return [_condition(row[: len(TARGET_FIELDS)], *row[len(TARGET_FIELDS) :]) for row in rows]


def _condition(
    row: tuple[object, ...], outcome: str, status: str, seeds: int, message: str, *said: str
) -> ConditionRecord:
    target = target_from(row)
    justification = None if said[0] is None else Justification(target.ordinal, *said)
    return ConditionRecord(target, Outcome(outcome), Status(status), seeds, message or "", justification)


def _where(edge: Edge | None, layers: Collection[int], statuses: Collection[Status]) -> tuple[str, tuple[object, ...]]:
    names, layers = sorted(status.value for status in statuses), sorted(layers)
    clauses, parameters = [f"{_STATUS} IN ({', '.join('?' * len(names))})"], (*names, *layers, *(edge or ()))
    if layers:
        clauses.append(f"decision_layer IN ({', '.join('?' * len(layers))})")
    if edge is not None:
        clauses.append("condition_layer = ? AND decision_layer = ?")
    return " AND ".join(clauses), parameters
