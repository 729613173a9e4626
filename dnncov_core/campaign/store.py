"""The campaign file: one SQLite database that only this module reads and writes.

A worker writes each finished target in one transaction, so a killed worker loses the target in flight and nothing else.
Readers (pages, `show`, `verify`) open the same file while the worker writes.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.campaign.rows import (
    ATTEMPT_FIELDS,
    PAIR_FIELDS,
    attempt_from,
    attempt_row,
    join,
    pack,
    pair_from,
    pair_row,
    target_from,
    unpack,
)
from dnncov_core.campaign.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError
from dnncov_core.networks import cards
from dnncov_core.records import (
    Attempt,
    LayerCounts,
    NetworkCard,
    Outcome,
    SeedReport,
    State,
    Target,
    TargetResult,
    TestPair,
)

HEARTBEAT_SECONDS = 0.5
STALE_SECONDS = 10.0

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


class CampaignStore:
    """One campaign file. Close it, or use it in a ``with`` statement."""

    def __init__(self, path: Path) -> None:
        """Opens an existing campaign file.

        Raises:
            CampaignError: no such file, not a campaign file, damaged, or of a newer version.
        """
        self.path = path
        if not path.is_file():
            raise CampaignError("a campaign file", f"no file {path.name}", "check its name, or start with 'dnncov run'")
        self._connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            with self._errors():
                application = self._connection.execute("PRAGMA application_id").fetchone()[0]
                version = self._connection.execute("PRAGMA user_version").fetchone()[0]
                if application != APPLICATION_ID:
                    raise CampaignError(
                        "a campaign file written by dnncov", f"another database in {path.name}", "give a campaign file"
                    )
                if version != SCHEMA_VERSION:
                    raise CampaignError(
                        f"schema version {SCHEMA_VERSION}", str(version), "open it with the version that wrote it"
                    )
        except CampaignError:
            self.close()
            raise

    @classmethod
    def create(cls, path: Path, spec: CampaignSpec, versions: dict[str, str]) -> CampaignStore:
        """Makes a new campaign file in state waiting.

        Raises:
            CampaignError: the file exists, or its folder cannot be written.
        """
        if path.exists():
            raise CampaignError("a new file name", f"{path.name}, which exists", "resume it, or choose another name")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with sqlite3.connect(path) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(SCHEMA)
                connection.execute(
                    "INSERT INTO campaign (id, spec, created, versions) VALUES (1, ?, ?, ?)",
                    (spec.to_json(), time.time(), json.dumps(versions)),
                )
                connection.execute("INSERT INTO worker (id, state) VALUES (1, ?)", (State.WAITING.value,))
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.close()
        except (OSError, sqlite3.OperationalError) as error:
            raise CampaignError("a folder that can be written", str(error), "choose another --out") from error
        return cls(path)

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def __enter__(self) -> CampaignStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            fix = "free some space, then resume: what is stored stays" if "full" in str(error) else "check the file"
            raise CampaignError(f"to read and write {self.path.name}", str(error), fix) from error
        except (sqlite3.DatabaseError, zlib.error, ValueError) as error:
            raise CampaignError(
                "a whole campaign file", f"a damaged one, {self.path.name} ({error})", "restore it from a copy"
            ) from error

    def _rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Any]:
        with self._errors():
            return self._connection.execute(sql, parameters).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    # What was asked

    def spec(self) -> CampaignSpec:
        """The specification."""
        return CampaignSpec.from_json(self._rows("SELECT spec FROM campaign")[0][0])

    def created(self) -> float:
        """When it was created, in seconds since the epoch."""
        return float(self._rows("SELECT created FROM campaign")[0][0])

    def versions(self) -> dict[str, str]:
        """Versions of the packages that created it."""
        return dict(json.loads(self._rows("SELECT versions FROM campaign")[0][0]))

    def card(self) -> NetworkCard | None:
        """The network's card; None before it is prepared."""
        text = self._rows("SELECT card FROM campaign")[0][0]
        return None if text is None else cards.from_json(text)

    def data_fingerprint(self) -> str | None:
        """SHA-256 over images and labels; None before it is prepared."""
        fingerprint: str | None = self._rows("SELECT data FROM campaign")[0][0]
        return fingerprint

    def seed_report(self) -> SeedReport | None:
        """Seeds and what was left out; None before it is prepared."""
        blob, inputs, misclassified = self._rows("SELECT seeds, inputs, misclassified FROM campaign")[0]
        if blob is None:
            return None
        with self._errors():
            return SeedReport(unpack(blob).astype(np.int64), inputs, misclassified)

    def prepare(self, card: NetworkCard, data_fingerprint: str, seeds: SeedReport, targets: Sequence[Target]) -> None:
        """Stores network, data, seeds and targets, once and together."""
        rows = [
            (t.ordinal, t.condition_layer, t.decision_layer, join(t.condition_neurons), join(t.decision_neurons))
            for t in targets
        ]
        with self._transaction() as connection:
            connection.execute(
                "UPDATE campaign SET card = ?, data = ?, seeds = ?, inputs = ?, misclassified = ?",
                (cards.to_json(card), data_fingerprint, pack(seeds.rows), seeds.inputs, seeds.misclassified),
            )
            connection.executemany(
                "INSERT INTO target (ordinal, condition_layer, decision_layer, condition_neurons, decision_neurons)"
                " VALUES (?, ?, ?, ?, ?)",
                rows,
            )

    # The worker

    def state(self) -> State:
        """Where the campaign stands; a worker that is gone counts as interrupted."""
        state, pid, heartbeat = self._rows("SELECT state, pid, heartbeat FROM worker")[0]
        stored = State(state)
        if stored in (State.PREPARING, State.RUNNING) and not _alive(pid, heartbeat):
            return State.INTERRUPTED
        return stored

    def message(self) -> str:
        """Why the last worker failed; empty if it did not."""
        return str(self._rows("SELECT message FROM worker")[0][0])

    def device(self) -> str:
        """The device of the last worker."""
        return str(self._rows("SELECT device FROM worker")[0][0])

    def claim(self) -> None:
        """Makes this process the campaign's worker.

        Raises:
            CampaignError: another worker is at it.
        """
        with self._transaction() as connection:
            state, pid, heartbeat = connection.execute("SELECT state, pid, heartbeat FROM worker").fetchone()
            if State(state) in (State.PREPARING, State.RUNNING) and pid != os.getpid() and _alive(pid, heartbeat):
                raise CampaignError(
                    "a campaign without a worker", "one that is running", "wait for it, or cancel it first"
                )
            connection.execute(
                "UPDATE worker SET state = ?, pid = ?, heartbeat = ?, cancel = 0, message = ''",
                (State.PREPARING.value, os.getpid(), time.time()),
            )

    def enter(self, state: State, *, message: str = "", device: str | None = None) -> None:
        """The worker's own note of where it stands."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE worker SET state = ?, message = ?, device = coalesce(?, device), heartbeat = ?",
                (state.value, message, device, time.time()),
            )

    def beat(self, seconds: float) -> None:
        """Says that the worker lives, and adds ``seconds`` of working time."""
        with self._transaction() as connection:
            connection.execute("UPDATE worker SET heartbeat = ?, seconds = seconds + ?", (time.time(), seconds))

    def request_cancel(self) -> None:
        """Asks the worker to stop; it does within two seconds. A waiting campaign is cancelled at once."""
        with self._transaction() as connection:
            connection.execute("UPDATE worker SET cancel = 1")
            connection.execute(
                "UPDATE worker SET state = ? WHERE state = ?", (State.CANCELLED.value, State.WAITING.value)
            )

    def cancel_requested(self) -> bool:
        """Whether somebody asked the worker to stop."""
        return bool(self._rows("SELECT cancel FROM worker")[0][0])

    # Targets and results

    def pending(self) -> list[Target]:
        """Targets without an outcome, in the order of work."""
        rows = self._rows(
            "SELECT ordinal, condition_layer, decision_layer, condition_neurons, decision_neurons"
            " FROM target WHERE outcome = 'pending' ORDER BY id"
        )
        return [target_from(*row) for row in rows]

    def record(self, result: TargetResult) -> None:
        """Stores one finished target with its attempts and its test pair, in one transaction."""
        pair = result.test_pair
        with self._transaction() as connection:
            row = connection.execute("SELECT id FROM target WHERE ordinal = ?", (result.target.ordinal,)).fetchone()
            connection.execute(
                "UPDATE target SET outcome = ?, seconds = ? WHERE id = ?",
                (result.outcome.value, result.seconds, row[0]),
            )
            connection.executemany(
                f"INSERT INTO attempt (target, place, {', '.join(ATTEMPT_FIELDS)})"
                f" VALUES (?, ?{', ?' * len(ATTEMPT_FIELDS)})",
                [(row[0], place, *attempt_row(attempt)) for place, attempt in enumerate(result.attempts)],
            )
            if pair is not None:
                connection.execute(
                    f"INSERT INTO test_pair (target, {', '.join(PAIR_FIELDS)}) VALUES (?{', ?' * len(PAIR_FIELDS)})",
                    (row[0], *pair_row(pair)),
                )

    def progress(self) -> Progress:
        """Counts so far."""
        total, done, covered = self._rows(
            "SELECT count(*), coalesce(sum(outcome <> 'pending'), 0), coalesce(sum(outcome = 'found'), 0) FROM target"
        )[0]
        adversarial = self._rows("SELECT count(*) FROM test_pair WHERE adversarial")[0][0]
        attempts = self._rows("SELECT count(*) FROM attempt")[0][0]
        seconds = self._rows("SELECT seconds FROM worker")[0][0]
        return Progress(total, done, covered, adversarial, attempts, seconds)

    def outcomes(self) -> dict[Outcome, int]:
        """How many targets have each outcome."""
        return {Outcome(o): n for o, n in self._rows("SELECT outcome, count(*) FROM target GROUP BY outcome")}

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
        return [
            LayerCounts(*[*row[:10], _root(row[10]), row[11], _root(row[12])])
            for row in rows
        ]

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
        with self._errors():
            return [pair_from(target_from(*row[:5]), row[5:]) for row in rows]

    def attempts(self, target: Target) -> list[Attempt]:
        """The attempts at one target, in the order tried."""
        rows = self._rows(
            f"SELECT {', '.join(ATTEMPT_FIELDS)} FROM attempt"
            " WHERE target = (SELECT id FROM target WHERE ordinal = ?) ORDER BY place",
            (target.ordinal,),
        )
        return [attempt_from(row) for row in rows]


def _alive(pid: int | None, heartbeat: float | None) -> bool:
    if pid is None or heartbeat is None or time.time() - heartbeat > STALE_SECONDS:
        return False
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _root(variance: float | None) -> float | None:
    return None if variance is None else float(np.sqrt(variance))


def _filter(layers: tuple[int, int] | None, adversarial: bool) -> tuple[str, tuple[int, ...]]:
    clauses = ["condition_layer = ? AND decision_layer = ?"] * (layers is not None) + ["adversarial"] * adversarial
    return ("WHERE " + " AND ".join(clauses)) if clauses else "", layers or ()


