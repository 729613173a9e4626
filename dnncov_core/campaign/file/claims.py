"""Which process works on a campaign: its present or last worker and proof, their heartbeats, requests to stop.

Only one worker or proof is at a campaign at a time. One that was silent for too long may find that another took its
place; it then changes nothing any more.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from dnncov_core.campaign.file.encoding import columns, marks, record_from, to_row
from dnncov_core.campaign.file.sql import Database, FilePart
from dnncov_core.errors import CampaignError
from dnncov_core.records import State
from dnncov_core.types import ProcessId, Seconds, UnixTime
from dnncov_core.workers import ACTIVE, WorkerStatus, is_there

WORKING = (State.PREPARING, State.RUNNING)


@dataclass(frozen=True)
class WorkerRow:
    """What a worker wrote of itself.

    Attributes:
        state: where it stands.
        pid: its process; None before there was one.
        heartbeat: when it said last that it lives; None likewise.
        cancel: whether somebody asked it to stop.
        message: why it failed; empty if it did not.
        device: where it worked.
        seconds: working time of all workers so far.
    """

    state: State
    pid: ProcessId | None
    heartbeat: UnixTime | None
    cancel: bool
    message: str
    device: str
    seconds: Seconds


class WorkerClaim(FilePart):
    """The worker of one campaign."""

    def state(self) -> State:
        """Where the campaign stands by its last worker; one that is gone counts as interrupted."""
        row = self.row()
        there = is_there("resume", self.database.path, row.pid, row.heartbeat)
        return State.INTERRUPTED if row.state in WORKING and not there else row.state

    def row(self) -> WorkerRow:
        """The present or last worker, by its own word."""
        row = self.database.row(f"SELECT {columns(WorkerRow)} FROM worker")
        with self.database.judging():
            return record_from(WorkerRow, row)

    def message(self) -> str:
        """Why the last worker failed; empty if it did not."""
        return self.row().message

    def forget_failure(self) -> None:
        """Takes away why a finished campaign has no baseline searches, once it has them."""
        with self.database.transaction() as connection:
            connection.execute("UPDATE worker SET message = '' WHERE state = ?", (State.FINISHED.value,))

    def device(self) -> str:
        """The device of the last worker."""
        return self.row().device

    def claim(self, *, keep_cancel: bool = False) -> None:
        """Makes this process the campaign's worker; an earlier cancel request is forgotten, unless it is to be kept.

        Raises:
            CampaignError: another worker, or a proof, is at it.
        """
        with self.database.transaction() as connection:
            refuse_workers(self.database)
            connection.execute(
                "UPDATE worker SET state = ?, pid = ?, heartbeat = ?, message = '', cancel = cancel AND ?",
                (State.PREPARING.value, os.getpid(), time.time(), keep_cancel),
            )

    def announce(self) -> bool:
        """Says that a worker is about to start, and forgets an old cancel request; False if one is at it already.

        Raises:
            CampaignError: a proof is at it.
        """
        with self.database.transaction() as connection:
            if _worker_at_it(self.database) is not None:
                return False
            _refuse_proofs(self.database)
            connection.execute("UPDATE worker SET state = ?, cancel = 0, message = ''", (State.WAITING.value,))
        return True

    def enter(self, state: State, *, message: str = "", device: str | None = None) -> None:
        """The worker's own note of where it stands."""
        with self.database.transaction() as connection:
            connection.execute(
                "UPDATE worker SET state = ?, message = ?, device = coalesce(?, device), heartbeat = ? WHERE pid = ?",
                (state.value, message, device, time.time(), os.getpid()),
            )

    def leave(self, state: State, *, message: str = "") -> State:
        """The worker's last note; with an outcome for all targets the campaign is finished, whatever ended the work.

        A message of a finished campaign says why its baseline searches are missing.
        """
        with self.database.transaction() as connection:
            if connection.execute("SELECT min(outcome <> 'pending') FROM target").fetchone()[0]:
                state = State.FINISHED
            connection.execute(
                "UPDATE worker SET state = ?, message = ?, heartbeat = ?, cancel = 0 WHERE pid = ?",
                (state.value, message, time.time(), os.getpid()),
            )
        return state

    def beat(self, seconds: float) -> None:
        """Says that the worker lives, and adds ``seconds`` of working time."""
        with self.database.transaction() as connection:
            connection.execute(
                "UPDATE worker SET heartbeat = ?, seconds = seconds + ? WHERE pid = ?",
                (time.time(), seconds, os.getpid()),
            )

    def request_cancel(self) -> None:
        """Asks a worker or proof to stop, which it does within two seconds; a waiting campaign is cancelled at once."""
        with self.database.transaction() as connection:
            connection.execute("UPDATE proof SET cancel = 1")
            connection.execute("UPDATE worker SET cancel = 1")
            connection.execute(
                "UPDATE worker SET state = ? WHERE state = ?", (State.CANCELLED.value, State.WAITING.value)
            )

    def cancel_requested(self) -> bool:
        """Whether somebody asked the worker to stop."""
        return self.row().cancel


class ProofClaim(FilePart):
    """The process that looks for proofs about one campaign."""

    def status(self) -> WorkerStatus | None:
        """The present or last proof: its message says what it proved, or why it failed."""
        found = self.database.records(WorkerStatus, f"SELECT {columns(WorkerStatus)} FROM proof")
        return found[0] if found else None

    def claim(self, status: WorkerStatus) -> None:
        """Begins a proof, or says that one is about to start if it has no process yet, and forgets the last one.

        Raises:
            CampaignError: a worker, or another proof, is at it.
        """
        with self.database.transaction() as connection:
            _refuse_workers(self.database)
            _refuse_proofs(self.database, but_awaited=status.pid is not None)
            sql = f"INSERT OR REPLACE INTO proof (id, {columns(WorkerStatus)}) VALUES (1, {marks(WorkerStatus)})"
            connection.execute(sql, to_row(status))

    def note(self, status: WorkerStatus) -> bool:
        """The proof's own note of where it stands; whether it has to stop: it was asked to, or another took over."""
        with self.database.transaction() as connection:
            sql = f"UPDATE proof SET ({columns(WorkerStatus)}) = ({marks(WorkerStatus)}) WHERE pid = ?"
            noted = connection.execute(sql, (*to_row(status), status.pid))
            return not noted.rowcount or bool(connection.execute("SELECT cancel FROM proof").fetchone()[0])


def refuse_others(database: Database) -> None:
    """Within a transaction: lets nobody but the worker write, if the campaign has one.

    Raises:
        CampaignError: another worker took over.
    """
    pid = WorkerClaim(database).row().pid
    if pid not in (None, os.getpid()):
        raise CampaignError(
            "that this process is the campaign's worker", f"process {pid}, which took over", "let it finish"
        )


def refuse_workers(database: Database) -> None:
    """Within a transaction: goes on only while no other process works on the campaign.

    Raises:
        CampaignError: another worker, or a proof, is at it.
    """
    _refuse_workers(database)
    _refuse_proofs(database)


def _refuse_workers(database: Database) -> None:
    if _worker_at_it(database) not in (None, os.getpid()):
        raise CampaignError("a campaign without a worker", "one that is running", "wait for it, or cancel it first")


def _refuse_proofs(database: Database, *, but_awaited: bool = False) -> None:
    status = ProofClaim(database).status()
    if status is None or status.now not in ACTIVE or status.pid == os.getpid():
        return
    if not (but_awaited and status.pid is None):
        expected, fix = "a campaign without a running proof", "wait for the proof, or cancel it first"
        raise CampaignError(expected, "one with a proof at work", fix)


def _worker_at_it(database: Database) -> int | None:
    """Within a transaction: the process of a worker that is alive and at work, if there is one."""
    worker = WorkerClaim(database)
    return worker.row().pid if worker.state() in WORKING else None
