"""Workers that this process started: none is lost, and one that is there counts, however long it says nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dnncov_core import jobs, workers
from dnncov_core.campaign import library as campaigns
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import State
from dnncov_core.suites import library as measurements
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.workers import WorkerStatus

POPEN = subprocess.Popen


class Process:
    """A process that goes on until it is ended."""

    stdin = None

    def __init__(self, *_: object, **__: object) -> None:
        self.pid, self.status = 2**22 + 1, None  # a number that no process has

    def poll(self) -> int | None:
        return self.status


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    monkeypatch.setattr(workers, "_started", [])
    monkeypatch.setattr(subprocess, "Popen", Process)
    return tmp_path


def end_all() -> None:
    for _, worker in workers._started:
        worker.status = 0  # type: ignore[attr-defined]


def test_two_sessions_that_collect_at_a_time_lose_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of the app are threads; a worker that is lost is told to end, as its pipe closes."""
    other = threading.Thread(target=workers.reap)

    def poll(process: Process) -> int | None:
        if other.ident is None:
            other.start()
            other.join(0.2)
        return process.status

    for name in "abc":
        workers.start("measure", Path(name))
    workers._started[0][1].status = 0  # type: ignore[attr-defined]
    monkeypatch.setattr(Process, "poll", poll)
    workers.reap()
    other.join()
    assert [workers.has_started("measure", Path(name)) for name in "abc"] == [False, True, True]


LONG, TOO_LONG = 0.9 * workers.SILENT_SECONDS, 1.1 * workers.SILENT_SECONDS
"""How long workers were silent, in seconds, without and with being gone."""


def long_ago(status: WorkerStatus, seconds: float = LONG) -> WorkerStatus:
    """The status as it stands so long after the last heartbeat, of a process that this machine does not have."""
    return replace(status, beat=time.time() - seconds, pid=None if status.pid is None else 2**22 + 1)


@pytest.mark.parametrize("status", [WorkerStatus.awaited(), WorkerStatus.begun()])
def test_a_measurement_is_under_way_while_its_process_is_there(status: WorkerStatus) -> None:
    measurement_id = measurements.start(MeasurementSpec("toy", "toy"))
    path = measurements.file_of(measurement_id, jobs.STATUS)
    jobs.write_status(path, long_ago(status, TOO_LONG))
    assert measurements.standing(measurement_id).state is State.INTERRUPTED
    jobs.write_status(path, long_ago(status))
    assert measurements.standing(measurement_id).state is status.state
    end_all()
    assert measurements.standing(measurement_id).state is State.INTERRUPTED


def test_a_campaign_is_under_way_while_its_process_is_there(home: Path, campaign: Path) -> None:
    (home / "campaigns").mkdir()
    path = Path(shutil.copy(campaign, home / "campaigns" / "one.dnncov"))
    campaigns.resume("one")
    with CampaignStore(path) as store:
        silent: tuple[Any, ...] = (2**22 + 1, time.time() - LONG)
        with store.database.transaction() as connection:
            connection.execute("UPDATE worker SET state = 'running', pid = ?, heartbeat = ?", silent)
        assert store.state() is State.RUNNING
        with store.database.transaction() as connection:
            connection.execute("UPDATE worker SET heartbeat = ?", (time.time() - TOO_LONG,))
        assert store.state() is State.INTERRUPTED
        with store.database.transaction() as connection:
            connection.execute("UPDATE worker SET heartbeat = ?", silent[1:])
        assert store.state() is State.RUNNING
        end_all()
        assert store.state() is State.INTERRUPTED


@pytest.mark.parametrize("status", [WorkerStatus.awaited(), WorkerStatus.begun()])
def test_a_proof_is_under_way_while_its_process_is_there(home: Path, campaign: Path, status: WorkerStatus) -> None:
    (home / "campaigns").mkdir()
    path = Path(shutil.copy(campaign, home / "campaigns" / "one.dnncov"))
    campaigns.start_proof("one")
    with CampaignStore(path) as store:
        silent = long_ago(status)
        with store.database.transaction() as connection:
            connection.execute(
                "UPDATE proof SET state = ?, pid = ?, beat = ?", (silent.state.value, silent.pid, silent.beat)
            )
        assert campaigns.is_proving(store)
        end_all()
        assert not campaigns.is_proving(store)


def wait_for_words(pid: int) -> None:
    """Waits until a process has its command line: the kernel gives it a moment after the program has started."""
    words, until = Path("/proc") / str(pid) / "cmdline", time.monotonic() + 60
    while not words.read_bytes():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.skipif(not Path("/proc/uptime").exists(), reason="begins of processes are known on Linux alone")
def test_a_worker_of_another_program_counts_while_its_process_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of `dnncov resume` in a terminal: it may say nothing for minutes, and no other process takes its place."""
    worker = POPEN(["/any/bin/dnncov", "60"], executable=shutil.which("sleep"))
    other = POPEN(["sleep", "60"])
    try:
        wait_for_words(worker.pid)
        wait_for_words(other.pid)
        beat = time.time()
        monkeypatch.setattr(workers, "STALE_SECONDS", -1.0)
        assert workers.alive(worker.pid, beat)
        monkeypatch.setattr(workers, "SILENT_SECONDS", 0.0)  # as of a process that is stopped, or stuck
        assert not workers.alive(worker.pid, beat)
        monkeypatch.setattr(workers, "SILENT_SECONDS", 600.0)
        assert not workers.alive(other.pid, beat)
        assert not workers.alive(worker.pid, beat - 3600)  # of one that had its number before
        assert not workers.alive(worker.pid, beat + 3600)
        assert not workers.alive(None, beat)
    finally:
        worker.kill()
        other.kill()
        other.wait()
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
    assert not workers.alive(worker.pid, beat)  # it has ended, and nobody has collected it yet
    worker.wait()
    assert not workers.alive(worker.pid, beat)
