"""The campaign file: one SQLite database that only this module opens.

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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.campaign.results import DistanceTable, Progress, Results
from dnncov_core.campaign.rows import (
    ATTEMPT_FIELDS,
    PAIR_FIELDS,
    attempt_row,
    join,
    pack,
    pair_row,
    unpack,
)
from dnncov_core.campaign.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.turns import HEARTBEAT_SECONDS, Turns, refuse_others
from dnncov_core.errors import CampaignError
from dnncov_core.networks import cards
from dnncov_core.records import (
    NetworkCard,
    SeedReport,
    State,
    Target,
    TargetResult,
)

__all__ = ["HEARTBEAT_SECONDS", "CampaignStore", "DistanceTable", "Progress", "remove"]


class CampaignStore(Turns, Results):
    """One campaign file. Close it, or use it in a ``with`` statement."""

    def __init__(self, path: Path) -> None:
        """Opens an existing campaign file.

        Raises:
            CampaignError: no such file, not a campaign file, damaged, or of a newer version.
        """
        self.path = path
        if not os.path.isfile(path):
            raise CampaignError("a campaign file", f"no file {path.name}", "check its name, or start with 'dnncov run'")
        with self._errors():
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
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(exist_ok=False)
        except OSError as error:
            raise _not_created(path, error) from error
        try:
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
        except sqlite3.OperationalError as error:
            remove(path)
            raise _not_created(path, error) from error
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
            raise self._damaged(error) from error

    @contextmanager
    def _decoding(self) -> Iterator[None]:
        """Around what turns rows into values: whatever it stumbles over is damage."""
        try:
            yield
        except (zlib.error, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> CampaignError:
        got = f"a damaged one, {self.path.name} ({error})"
        return CampaignError("a whole campaign file", got, "restore it from a copy")

    def _rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Any]:
        with self._errors():
            return self._connection.execute(sql, parameters).fetchall()

    def _row(self, sql: str) -> Any:
        """The only row of a table of one row."""
        with self._decoding():
            return self._rows(sql)[0]

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
        with self._decoding():
            return CampaignSpec.from_json(self._row("SELECT spec FROM campaign")[0])

    def created(self) -> float:
        """When it was created, in seconds since the epoch."""
        with self._decoding():
            return float(self._row("SELECT created FROM campaign")[0])

    def versions(self) -> dict[str, str]:
        """Versions of the packages that created it."""
        with self._decoding():
            return dict(json.loads(self._row("SELECT versions FROM campaign")[0]))

    def card(self) -> NetworkCard | None:
        """The network's card; None before it is prepared."""
        with self._decoding():
            text = self._row("SELECT card FROM campaign")[0]
            return None if text is None else cards.from_json(text)

    def data_fingerprint(self) -> str | None:
        """SHA-256 over images and labels; None before it is prepared."""
        fingerprint: str | None = self._row("SELECT data FROM campaign")[0]
        return fingerprint

    def seed_report(self) -> SeedReport | None:
        """Seeds and what was left out; None before it is prepared."""
        blob, inputs, misclassified = self._row("SELECT seeds, inputs, misclassified FROM campaign")
        if blob is None:
            return None
        with self._decoding():
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

    # Results; they are read in `results`

    def record(self, result: TargetResult) -> None:
        """Stores one finished target with its attempts and its test pair, in one transaction.

        Raises:
            CampaignError: the file cannot be written, or another worker took over.
        """
        pair = result.test_pair
        with self._transaction() as connection:
            refuse_others(connection)
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


def _not_created(path: Path, error: Exception) -> CampaignError:
    if isinstance(error, FileExistsError) and os.path.lexists(path):
        return CampaignError("a new file name", f"{path.name}, which exists", "resume it, or choose another name")
    reason = getattr(error, "strerror", None) or str(error)
    got = f"{reason} for {path.name}"
    return CampaignError("a folder that can be written", got, "choose another --out")


def remove(path: Path) -> None:
    """Takes a campaign file away, with what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            os.unlink(f"{path}{suffix}")
