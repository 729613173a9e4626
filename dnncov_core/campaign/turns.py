"""Whose turn it is at a campaign file: the present or last worker, its state, its heartbeat, and requests to stop."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from dnncov_core.campaign.sql import Database
from dnncov_core.errors import CampaignError
from dnncov_core.records import State

if TYPE_CHECKING:
    from sqlite3 import Connection

HEARTBEAT_SECONDS = 0.5
STALE_SECONDS = 10.0
WORKING = (State.PREPARING, State.RUNNING)


class Turns(Database):
    """The worker's row of a campaign file.

    A worker that was silent for too long may find that another took its place; it then changes nothing any more.
    """

    def state(self) -> State:
        """Where the campaign stands; a worker that is gone counts as interrupted."""
        with self._decoding():
            state, pid, heartbeat = self._row("SELECT state, pid, heartbeat FROM worker")
            gone = State(state) in WORKING and not alive(pid, heartbeat)
            return State.INTERRUPTED if gone else State(state)

    def message(self) -> str:
        """Why the last worker failed; empty if it did not."""
        return str(self._row("SELECT message FROM worker")[0])

    def device(self) -> str:
        """The device of the last worker."""
        return str(self._row("SELECT device FROM worker")[0])

    def claim(self, *, keep_cancel: bool = False) -> None:
        """Makes this process the campaign's worker.

        Args:
            keep_cancel: honour a cancel request that came before the claim, instead of forgetting it.

        Raises:
            CampaignError: another worker is at it.
        """
        with self._transaction() as connection, self._decoding():
            refuse_workers(connection)
            connection.execute(
                "UPDATE worker SET state = ?, pid = ?, heartbeat = ?, message = '', cancel = cancel AND ?",
                (State.PREPARING.value, os.getpid(), time.time(), keep_cancel),
            )

    def await_worker(self) -> bool:
        """Says that a worker is about to start, and forgets an old cancel request; False if one is at it already."""
        with self._transaction() as connection, self._decoding():
            if _worker_at_it(connection) is not None:
                return False
            connection.execute("UPDATE worker SET state = ?, cancel = 0, message = ''", (State.WAITING.value,))
        return True

    def enter(self, state: State, *, message: str = "", device: str | None = None) -> None:
        """The worker's own note of where it stands."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE worker SET state = ?, message = ?, device = coalesce(?, device), heartbeat = ? WHERE pid = ?",
                (state.value, message, device, time.time(), os.getpid()),
            )

    def leave(self, state: State, *, message: str = "") -> State:
        """The worker's last note; with an outcome for all targets the campaign is finished, whatever ended the work."""
        with self._transaction() as connection:
            if connection.execute("SELECT min(outcome <> 'pending') FROM target").fetchone()[0]:
                state, message = State.FINISHED, ""
            connection.execute(
                "UPDATE worker SET state = ?, message = ?, heartbeat = ?, cancel = 0 WHERE pid = ?",
                (state.value, message, time.time(), os.getpid()),
            )
        return state

    def beat(self, seconds: float) -> None:
        """Says that the worker lives, and adds ``seconds`` of working time."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE worker SET heartbeat = ?, seconds = seconds + ? WHERE pid = ?",
                (time.time(), seconds, os.getpid()),
            )

    def request_cancel(self) -> None:
        """Asks the worker to stop; it does within two seconds. A waiting campaign is cancelled at once."""
        with self._transaction() as connection:
            connection.execute("UPDATE worker SET cancel = 1")
            connection.execute(
                "UPDATE worker SET state = ? WHERE state = ?", (State.CANCELLED.value, State.WAITING.value)
            )

    def cancel_requested(self) -> bool:
        """Whether somebody asked the worker to stop."""
        return bool(self._row("SELECT cancel FROM worker")[0])


def refuse_others(connection: Connection) -> None:
    """Within a transaction: lets nobody but the worker write, if the campaign has one.

    Raises:
        CampaignError: another worker took over.
    """
    (pid,) = connection.execute("SELECT pid FROM worker").fetchone()
    if pid not in (None, os.getpid()):
        raise CampaignError("to be this campaign's worker", f"process {pid}, which took over", "let it finish")


def refuse_workers(connection: Connection) -> None:
    """Within a transaction: goes on only while no other process works on the campaign.

    Raises:
        CampaignError: another worker is at it.
    """
    if _worker_at_it(connection) not in (None, os.getpid()):
        raise CampaignError("a campaign without a worker", "one that is running", "wait for it, or cancel it first")


def _worker_at_it(connection: Connection) -> int | None:
    """Within a transaction: the process of a worker that is alive and at work, if there is one."""
    state, pid, heartbeat = connection.execute("SELECT state, pid, heartbeat FROM worker").fetchone()
    return pid if State(state) in WORKING and alive(pid, heartbeat) else None


def alive(pid: int | None, heartbeat: float | None) -> bool:
    """Whether a worker is there: its process exists, and its last heartbeat is no more than `STALE_SECONDS` ago."""
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
