"""What a campaign file answers about its targets: counts, distances, and test pairs with their arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dnncov_core.campaign.rows import ATTEMPT_FIELDS, PAIR_FIELDS, attempt_from, pair_from, target_from
from dnncov_core.campaign.sql import Database
from dnncov_core.records import Attempt, LayerCounts, Outcome, Target, TestPair

_ORDERS = {"nearest": "distance, target", "farthest": "distance DESC, target", "plan": "target"}


@dataclass(frozen=True)
class Progress:
    """How far a campaign is: targets done of total, covered, adversarial, attempts, working seconds."""

    total: int
    done: int
    covered: int
    adversarial: int
    attempts: int
    seconds: float


@dataclass(frozen=True)
class DistanceTable:
    """One entry a test pair, in the order of the plan: its layer pair, distance in the campaign's norm, verdict."""

    condition_layer: np.ndarray[Any, np.dtype[np.int64]]
    decision_layer: np.ndarray[Any, np.dtype[np.int64]]
    distance: np.ndarray[Any, np.dtype[np.float64]]
    adversarial: np.ndarray[Any, np.dtype[np.bool_]]


class Results(Database):
    """The reading half of a campaign file's targets."""

    def pending(self) -> list[Target]:
        """Targets without an outcome, in the order of work."""
        rows = self._rows(
            "SELECT ordinal, condition_layer, decision_layer, condition_neurons, decision_neurons"
            " FROM target WHERE outcome = 'pending' ORDER BY id"
        )
        with self._decoding():
            return [target_from(*row) for row in rows]

    def progress(self) -> Progress:
        """Counts so far."""
        total, done, covered = self._rows(
            "SELECT count(*), coalesce(sum(outcome <> 'pending'), 0), coalesce(sum(outcome = 'found'), 0) FROM target"
        )[0]
        adversarial = self._rows("SELECT count(*) FROM test_pair WHERE adversarial")[0][0]
        attempts = self._rows("SELECT count(*) FROM attempt")[0][0]
        seconds = self._row("SELECT seconds FROM worker")[0]
        return Progress(total, done, covered, adversarial, attempts, seconds)

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
            return [_consistent(LayerCounts(*[*row[:10], _root(row[10]), row[11], _root(row[12])])) for row in rows]

    def distances(self) -> DistanceTable:
        """The distance of every test pair."""
        rows = self._rows(
            "SELECT condition_layer, decision_layer, distance, adversarial"
            " FROM test_pair JOIN target ON target = target.id ORDER BY target"
        )
        columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
        return DistanceTable(
            np.array(columns[0], np.int64),
            np.array(columns[1], np.int64),
            np.array(columns[2], np.float64),
            np.array(columns[3], np.bool_),
        )

    def count_test_pairs(self, *, layers: tuple[int, int] | None = None, adversarial: bool = False) -> int:
        """How many test pairs a filter leaves; see `test_pairs`."""
        where, parameters = _filter(layers, adversarial)
        sql = f"SELECT count(*) FROM test_pair JOIN target ON target = target.id {where}"
        return int(self._rows(sql, parameters)[0][0])

    def test_pairs(
        self,
        *,
        layers: tuple[int, int] | None = None,
        adversarial: bool = False,
        order: str = "plan",
        limit: int = -1,
        offset: int = 0,
    ) -> list[TestPair]:
        """Test pairs with their arrays.

        Args:
            layers: only this (condition layer, decision layer).
            adversarial: only adversarial pairs.
            order: "plan", "nearest" or "farthest".
            limit: at most so many; -1 for all.
            offset: leave out so many first.
        """
        where, parameters = _filter(layers, adversarial)
        rows = self._rows(
            f"SELECT ordinal, condition_layer, decision_layer, condition_neurons, decision_neurons,"
            f" {', '.join(PAIR_FIELDS)}"
            f" FROM test_pair JOIN target ON target = target.id {where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",
            (*parameters, limit, offset),
        )
        with self._decoding():
            return [pair_from(target_from(*row[:5]), row[5:]) for row in rows]

    def attempts(self, target: Target) -> list[Attempt]:
        """The attempts at one target, in the order tried."""
        rows = self._rows(
            f"SELECT {', '.join(ATTEMPT_FIELDS)} FROM attempt"
            " WHERE target = (SELECT id FROM target WHERE ordinal = ?) ORDER BY place",
            (target.ordinal,),
        )
        with self._decoding():
            return [attempt_from(row) for row in rows]


def _consistent(counts: LayerCounts) -> LayerCounts:
    if max(counts.adversarial, counts.holds_8bit) > counts.found:
        raise ValueError("test pairs without an outcome")
    return counts


def _root(variance: float | None) -> float | None:
    return None if variance is None else float(np.sqrt(variance))


def _filter(layers: tuple[int, int] | None, adversarial: bool) -> tuple[str, tuple[int, ...]]:
    clauses = ["condition_layer = ? AND decision_layer = ?"] * (layers is not None) + ["adversarial"] * adversarial
    return ("WHERE " + " AND ".join(clauses)) if clauses else "", layers or ()
