"""A Ray cluster gives what one process gives, whoever of it is lost, and little is done twice."""

from __future__ import annotations

import importlib
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign.work import executors, ray_cluster
from dnncov_core.campaign.work.executors import handed_out
from dnncov_core.campaign.work.ray_cluster import HERE, RayCluster, imported
from dnncov_core.errors import CampaignError, DataError
from dnncov_core.records import Target
from tests import runs
from tests.campaign.work.slow_work import BrokenWork, SlowWork
from tests.command import call, refused

if "CI" not in os.environ:
    pytest.importorskip("ray")
N = 96
CHUNK = 4


def test_without_ray_it_is_said_how_to_install_it(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "find_spec", lambda name: None)
    assert "pip install 'dnncov-explorer[ray]'" in refused(capsys, "run", "toy", "--executor", "ray")
    assert "no --address without --executor ray" in refused(capsys, "run", "toy", "--address", "127.0.0.1:6379")
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1", "nowhere"])
@pytest.mark.usefixtures("folder")
def test_an_address_where_nobody_answers_is_refused(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = refused(capsys, "run", "toy", "--executor", "ray", "--address", address)
    assert f"expected a Ray cluster at {address}; got " in line
    assert not [*Path().iterdir()]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two machines, as far as Ray knows, with two cores each; this process is connected to them."""
    ray, made = imported(HERE), importlib.import_module("ray.cluster_utils").Cluster()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_worker_niceness", "0")  # on a busy machine they would wait for ever
        while len(made.list_all_nodes()) < 2:
            add_node(made)
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()


def add_node(made: Any, tries: int = 4) -> None:
    """On a busy machine a node may take longer to start than Ray waits for it."""
    lean = {"include_log_monitor": False, "include_dashboard": False, "no_monitor": True}
    try:
        made.add_node(num_cpus=2, object_store_memory=2**27, **lean)
    except Exception:
        if tries == 1:
            raise
        add_node(made, tries - 1)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process leaves all work to others, in small chunks."""
    monkeypatch.setattr(RayCluster, "chunk", CHUNK)
    monkeypatch.setattr(executors, "CHUNKS", N // CHUNK)
    monkeypatch.setattr(RayCluster, "has_begun", lambda self: True)


def work_of(cluster: RayCluster) -> list[Any]:
    batches = [[Target(ordinal, 2, 3, (0,), (0,))] for ordinal in range(N)]
    results = handed_out(cluster, batches, lambda: None, task=None, reuse=None)  # type: ignore[arg-type]
    return [result for some in results for result in some]


def kill_some(slow: SlowWork, kills: int, seed: int, killed: list[int]) -> None:
    """Ends processes at random moments, each while it works."""
    moments = random.Random(seed)
    for _ in range(kills):
        before = len(slow.noted())
        runs.until(lambda before=before: len(slow.noted()) >= before + CHUNK)  # type: ignore[misc]
        time.sleep(moments.uniform(0, 2 * CHUNK * slow.seconds))
        pid, _ = moments.choice(slow.noted()[-2:])
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)


@pytest.mark.parametrize("workers", [4, 2, 1])  # in this order, processes of the first serve the next
@pytest.mark.usefixtures("cluster")
def test_half_of_the_processes_killed_cost_no_more_than_their_chunks(tmp_path: Path, workers: int) -> None:
    slow, killed = SlowWork(tmp_path / "notes", 0.02), list[int]()
    executor = RayCluster(slow, workers=workers)  # type: ignore[arg-type]
    killer = threading.Thread(target=kill_some, args=(slow, -(-workers // 2), workers, killed))
    killer.start()
    assert sorted(work_of(executor)) == [*range(N)]
    killer.join()
    assert killed
    assert executor.repeated <= len(killed)
    assert len(slow.noted()) <= N + CHUNK * len(killed)
    assert executor.most == workers


def test_a_lost_machine_costs_no_more_than_the_chunks_on_it(cluster: Any, tmp_path: Path) -> None:
    slow = SlowWork(tmp_path / "notes", 0.02)
    executor = RayCluster(slow)  # type: ignore[arg-type]
    loss = threading.Thread(target=lambda: (runs.until(lambda: len(slow.noted()) > N // 4), lose(cluster)))
    loss.start()
    assert sorted(work_of(executor)) == [*range(N)]
    loss.join()
    assert executor.repeated <= executor.most
    assert len(slow.noted()) <= N + CHUNK * executor.most


def lose(cluster: Any) -> None:
    cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)


def test_a_campaign_whose_driver_was_killed_is_finished_by_the_same_command(cluster: Any, tmp_path: Path) -> None:
    spec = replace(runs.MNIST_N9, pairs=12)
    path = runs.create(tmp_path / "c.dnncov", spec)
    asked = ("--pairs", "12", "--seeds", "40", "--max-seeds", "3", "--layers", "3,4", "--generator", "lp-reference")
    ray = ("--executor", "ray", "--address", cluster.address, "--workers", "1")
    first = runs.forked(runs.command, "run", "mnist-n9", *asked, "--out", path, *ray)
    runs.until(lambda: runs.done(path) > 0)
    first.kill()
    first.join()
    assert 0 < runs.done(path) < 12
    assert call("run", "mnist-n9", *asked, "--out", path, *ray) == 0
    assert runs.content(path) == runs.content(runs.finished(tmp_path / "one.dnncov", spec))


@pytest.mark.usefixtures("cluster")
def test_what_keeps_a_process_from_its_work_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="expected data; got none; bring some"):
        work_of(RayCluster(BrokenWork(tmp_path, 0.0), workers=1))  # type: ignore[arg-type]
    monkeypatch.setattr(ray_cluster, "TRIES", 1)
    with pytest.raises(CampaignError, match="a process that finishes its test conditions; got 1 that were lost"):
        work_of(RayCluster(BrokenWork(tmp_path, 0.0, begins=True), workers=1))  # type: ignore[arg-type]
