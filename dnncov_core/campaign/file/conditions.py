"""The test conditions of a campaign file: what each counts as, and what was tried and said where it is not covered.

Everything is counted and paged by SQLite, so that a hundred thousand of them cost no more than those shown.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dnncov_core.campaign.file.encoding import columns, record_from, value_of
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.prepared import JudgedPart, References
from dnncov_core.criteria.effects import NO_EFFECT
from dnncov_core.records import Justification, Outcome, Target
from dnncov_core.types import LARGEST, Count, Edge


class Status(Enum):
    """What a test condition counts as: covered before proved infeasible before justified before its outcome."""

    COVERED = "found"
    """It has a replayable witness, of which nobody knows that it is one without effect."""
    WITHOUT_EFFECT = "without_effect"
    """It has a replayable witness, which does not show the effect that `shown_effect` says."""
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


OPEN = (Status.EXHAUSTED, Status.ERROR, Status.PENDING)
"""Neither covered nor explained."""
UNCOVERED = (*OPEN, Status.JUSTIFIED, Status.PROVED_INFEASIBLE)
"""Without a replayable witness."""
COVERED = (Status.COVERED, Status.WITHOUT_EFFECT)
"""With one."""
SELECTIONS: dict[str, tuple[Status, ...]] = {
    "open": OPEN,
    "covered": COVERED,
    **{status.value: (status,) for status in (*UNCOVERED, Status.WITHOUT_EFFECT)},
}
"""Names by which people ask for statuses."""


@dataclass(frozen=True)
class ConditionRecord:
    """One test condition with what is known of it.

    Attributes:
        target: what was asked.
        justification: why it needs no test pair, if somebody says so.
        outcome: how the search or a proof ended.
        status: what it counts as.
        seeds_tried: how many different seeds were tried.
        message: the last one that an attempt left; empty if none did.
        needed: whether the witness needs the condition's change; None without a witness, and where it is not known.
        sufficient: whether that change alone is enough; None likewise.
    """

    target: Target
    justification: Justification | None
    outcome: Outcome
    status: Status
    seeds_tried: Count
    message: str
    needed: bool | None
    sufficient: bool | None

    @property
    def refuted(self) -> bool:
        """Whether it has a witness although somebody said why it needs none."""
        return self.refuted_by is not None

    @property
    def refuted_by(self) -> int | None:
        """The ordinal of the test pair, its witness, that refutes its justification; None if none does."""
        refuted = self.outcome is Outcome.FOUND and self.justification is not None
        return self.target.ordinal if refuted else None

    @property
    def with_effect(self) -> bool | None:
        """Whether its witness shows the campaign's effect; None without a witness, and where that is not known."""
        return None if self.needed is None else self.status is Status.COVERED


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

        >>> LayerPairMatrix(first=100, width=4, pairs=20).place(109)
        (2, 1)
        """
        row, column = divmod(ordinal - self.first, self.width)
        return row, column

    def ordinal(self, row: int, column: int) -> int:
        """The inverse of `place`."""
        return self.first + row * self.width + column


NO_EFFECT_SHOWN = {
    NO_EFFECT: "FALSE",
    "needed": "outcome = 'found' AND NOT needed",
    "sufficient": "outcome = 'found' AND NOT sufficient",
    "both": "outcome = 'found' AND NOT (needed AND sufficient)",
}
"""Which targets with their test pairs are covered without effect, by what that stands for; none where it is unknown."""


class ConditionTable(JudgedPart):
    """The test conditions of one campaign."""

    @property
    def _status(self) -> str:
        """The `Status` of a row of `_from`."""
        return (
            f"CASE WHEN {NO_EFFECT_SHOWN[self.effect()]} THEN 'without_effect'"
            " WHEN outcome IN ('found', 'proved_infeasible') THEN outcome"
            " WHEN reason IS NOT NULL THEN 'justified' ELSE outcome END"
        )

    @property
    def _from(self) -> str:
        figures = self.database.indexed_by("test_pair_figures")
        return (
            "target t LEFT JOIN justification j ON j.ordinal = t.ordinal"
            f" LEFT JOIN test_pair p {figures} ON p.target = t.id"
        )

    def page(
        self,
        *,
        edge: Edge | None = None,
        layers: Collection[int] = (),
        statuses: Collection[Status] = UNCOVERED,
        limit: int = -1,
        offset: int = 0,
    ) -> list[ConditionRecord]:
        """Test conditions by ordinal.

        Those of one layer pair, or of some decision layers (empty for all); at most ``limit`` (-1 for all), after the
        first ``offset``.
        """
        where, parameters = _where(self._status, edge, layers, statuses)
        page = f"SELECT t.id FROM {self._from} WHERE {where} ORDER BY t.ordinal LIMIT ? OFFSET ?"
        return self._records(f"t.id IN ({page})", (*parameters, limit, offset))

    def refuted(self) -> list[ConditionRecord]:
        """Test conditions with a witness whose need somebody had justified away, by ordinal."""
        return self._records(
            "outcome = ? AND t.ordinal IN (SELECT ordinal FROM justification)", (Status.COVERED.value,)
        )

    def one(self, ordinal: int) -> ConditionRecord | None:
        """The test condition with this ordinal; None if the campaign does not ask about it."""
        if not 0 <= ordinal <= LARGEST:
            return None
        return next(iter(self._records("t.ordinal = ?", (ordinal,))), None)

    @once
    def blocks(self, matrix: LayerPairMatrix, rows: int, columns: int) -> list[tuple[int, int, Status, int]]:
        """How many test conditions have each status in blocks of so many rows and columns: row, column, status, n."""
        blocks = self.database.rows(
            f"SELECT (t.ordinal - ?) / ? / ? AS i, (t.ordinal - ?) % ? / ? AS j, {self._status} AS status, count(*)"
            f" FROM {self._from} WHERE t.ordinal BETWEEN ? AND ? GROUP BY i, j, status",
            (matrix.first, matrix.width, rows, matrix.first, matrix.width, columns, matrix.first, matrix.last),
        )
        with self.database.judging():
            kinds = (Count, Count, Status, Count)
            return [(*map(value_of, kinds, block),) for block in blocks]

    @once
    def matrix_rows(self, matrix: LayerPairMatrix) -> list[int]:
        """Places of the condition features of a layer pair that a test condition is about."""
        sql = "SELECT DISTINCT (ordinal - ?) / ? AS i FROM target WHERE ordinal BETWEEN ? AND ? ORDER BY i"
        return self.database.numbers(sql, (matrix.first, matrix.width, matrix.first, matrix.last))

    def matrix_columns(self, matrix: LayerPairMatrix, row: int) -> list[int]:
        """Places of the decision features that the campaign asks about with one condition feature."""
        start = matrix.ordinal(row, 0)
        sql = "SELECT ordinal - ? FROM target WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal"
        return self.database.numbers(sql, (start, start, start + matrix.width - 1))

    def first_of_block(self, matrix: LayerPairMatrix, rows: range, columns: range) -> int | None:
        """The ordinal of the first open test condition in a block of the matrix, else of the first; None without any.

        Columns beyond the matrix are left out.
        """
        last = min(columns.stop, matrix.width) - 1
        ordinals = self.database.numbers(
            f"SELECT t.ordinal FROM {self._from}"
            " WHERE t.ordinal BETWEEN ? AND ? AND (t.ordinal - ?) % ? BETWEEN ? AND ?"
            f" ORDER BY {self._status} NOT IN ({', '.join('?' * len(OPEN))}), t.ordinal LIMIT 1",
            (
                matrix.ordinal(rows.start, 0),
                min(matrix.ordinal(rows.stop, 0) - 1, matrix.last),
                *(matrix.first, matrix.width, columns.start, last),
                *(status.value for status in OPEN),
            ),
        )
        return next(iter(ordinals), None)

    def _records(self, where: str, parameters: tuple[object, ...]) -> list[ConditionRecord]:
        rows = self.database.rows(
            f"SELECT {columns(Target, 't')}, outcome, {self._status},"
            " (SELECT count(DISTINCT seed) FROM attempt WHERE target = t.id),"
            " (SELECT message FROM attempt WHERE target = t.id AND message <> '' ORDER BY place DESC LIMIT 1),"
            f" needed, sufficient, reason, author, date, time FROM {self._from} WHERE {where} ORDER BY t.ordinal",
            parameters,
        )
        known = self.known
        with self.database.judging():
            return [_record(known, *row) for row in rows]


def _record(known: References, *row: Any) -> ConditionRecord:
    *asked, outcome, status, seeds, message, needed, sufficient, reason, author, date, time = row
    target = known.target(record_from(Target, asked))
    said = (target.ordinal, reason, author, date, time)
    justified = None if reason is None else record_from(Justification, said)
    return record_from(ConditionRecord, (outcome, status, seeds, message or "", needed, sufficient), target, justified)


def _where(
    status: str, edge: Edge | None, layers: Collection[int], statuses: Collection[Status]
) -> tuple[str, tuple[object, ...]]:
    names, layers = sorted(each.value for each in statuses), sorted(layers)
    clauses, parameters = [f"{status} IN ({', '.join('?' * len(names))})"], (*names, *layers, *(edge or ()))
    if layers:
        clauses.append(f"decision_layer IN ({', '.join('?' * len(layers))})")
    if edge is not None:
        clauses.append("condition_layer = ? AND decision_layer = ?")
    return " AND ".join(clauses), parameters
