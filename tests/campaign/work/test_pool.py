"""Several processes give what one gives, and none of them is left behind."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work import pool
from dnncov_core.campaign.work.plan import CPU
from dnncov_core.campaign.work.pool import processes_for
from dnncov_core.campaign.work.worker import work
from dnncov_core.errors import CampaignError, DnncovError, NetworkError
from dnncov_core.records import State, Target
from tests import runs

SPEC = CampaignSpec(network="mnist-n9", data="mnist", pairs=24, seeds=2, max_seeds=1)
"""With so few seeds, a test condition goes on to others."""


def pool_of(pid: int) -> list[int]:
    """The processes that work for a worker: they are forked from a server, which is its child."""
    return [process for child in runs.children_of(pid) for process in runs.children_of(child)]


def test_results_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    one = runs.finished(tmp_path / "one.dnncov", SPEC)
    two = runs.finished(tmp_path / "two.dnncov", SPEC, processes=2)
    assert runs.content(one) == runs.content(two)
    assert runs.content(one)["n_attempts"] > SPEC.pairs


def test_processes_that_start_anew_give_the_same_as_forked_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "START", "spawn")
    path = runs.create(tmp_path / "two.dnncov", SPEC)
    assert work(path, processes=2) is State.FINISHED
    assert runs.content(path) == runs.content(runs.finished(tmp_path / "one.dnncov", SPEC))


def test_a_fork_server_finds_what_it_imports_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # one of them replaces it
    for module in pool.PRELOADED:
        importlib.import_module(module)


def test_cancel_and_kill_leave_no_process_behind(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", runs.ENDLESS)
    for ending in ("cancel", "kill"):
        worker = runs.dnncov("resume", path, "--workers", "2")
        runs.until(lambda worker=worker: len(pool_of(worker.pid)) == 2)
        before = runs.done(path)
        runs.until(lambda before=before: runs.done(path) > before + 2)
        workers = pool_of(worker.pid)
        assert len(workers) == 2
        children = [*runs.children_of(worker.pid), *workers]
        if ending == "cancel":
            with CampaignStore(path) as store:
                store.worker.request_cancel()
            assert worker.wait(timeout=60) == 130
        else:
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        runs.until(lambda children=children: not any(map(runs.alive, children)))
    assert runs.state_of(path) is State.INTERRUPTED


def test_a_process_that_is_ended_fails_the_campaign_with_a_clear_line(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", runs.ENDLESS)
    worker = runs.dnncov("resume", path, "--workers", "2", stderr=subprocess.PIPE)
    runs.until(lambda: runs.done(path) > 1 and bool(pool_of(worker.pid)))
    os.kill(pool_of(worker.pid)[0], signal.SIGKILL)
    _, said = worker.communicate(timeout=120)
    assert worker.returncode == 2
    assert b"all processes of the campaign to work until its end" in said
    assert runs.state_of(path) is State.FAILED


@pytest.mark.parametrize(("targets", "asked", "expected"), [(10_000, 3, 3), (10, None, 1), (0, None, 1), (10, 2, 2)])
def test_how_many_processes(targets: int, asked: int | None, expected: int) -> None:
    batches = [[Target(ordinal, 2, 3, (0,), (0,))] for ordinal in range(targets)]
    assert processes_for(batches, asked, CPU) == expected
    assert 1 <= processes_for(batches, None, CPU) <= (os.cpu_count() or 1)


@pytest.mark.parametrize("kind", [DnncovError, NetworkError, CampaignError])
def test_errors_travel_between_processes(kind: type[DnncovError]) -> None:
    error = pickle.loads(pickle.dumps(kind("this", "that", "do something")))
    assert (type(error), str(error)) == (kind, "expected this; got that; do something")
