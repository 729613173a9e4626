"""The worker process: it stops within two seconds, leaves the right state, and never runs twice."""

from __future__ import annotations

import itertools
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work import worker as worker_module
from dnncov_core.campaign.work.plan import in_batches
from dnncov_core.campaign.work.worker import Stop, Stopped, work
from dnncov_core.errors import CampaignError, DataError, NetworkError
from dnncov_core.generators.lp_search import LinearProgramSearch
from dnncov_core.records import State
from dnncov_core.workers import reason
from tests import runs

CANCEL_SECONDS = 2.0


def stuck(path: Path) -> None:
    """A worker whose first attempt takes long."""
    LinearProgramSearch.attempting = lambda *_: time.sleep(30)  # type: ignore[method-assign]
    runs.command("resume", path)


def cancelled_after(path: Path, worker: Any) -> float:
    """Seconds from the request that `dnncov cancel` makes to the end of the worker's process."""
    with CampaignStore(path) as store:
        start = time.monotonic()
        store.worker.request_cancel()
    worker.join(30)
    return time.monotonic() - start


class TestCancel:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return runs.create(tmp_path / "c.dnncov", runs.MNIST_N9)

    def test_between_targets_and_resumed(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        from dnncov_core.cli import main

        worker = runs.forked(runs.command, "resume", path)
        runs.until(lambda: runs.done(path) > 0)
        with pytest.raises(CampaignError, match="one that is running"):
            work(path)
        start = time.monotonic()
        assert main(["cancel", str(path)]) == 0
        worker.join(30)
        assert worker.exitcode == 130
        assert time.monotonic() - start < runs.allowed(CANCEL_SECONDS)
        assert runs.state_of(path) is State.CANCELLED
        assert 0 < runs.done(path) < 8
        assert work(path) is State.FINISHED
        assert runs.done(path) == 8

    def test_in_the_middle_of_one_attempt(self, path: Path) -> None:
        worker = runs.forked(stuck, path)
        runs.until(lambda: runs.state_of(path) is State.RUNNING)
        assert cancelled_after(path, worker) < runs.allowed(CANCEL_SECONDS)
        assert worker.exitcode == 130
        assert runs.state_of(path) is State.CANCELLED

    def test_while_it_prepares(self, path: Path) -> None:
        worker = runs.forked(runs.command, "resume", path)
        runs.until(lambda: runs.state_of(path) is State.PREPARING)
        assert cancelled_after(path, worker) < runs.allowed(CANCEL_SECONDS)
        assert worker.exitcode == 130
        assert runs.state_of(path) is State.CANCELLED


def test_a_file_of_weights_is_named_without_its_folder(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", CampaignSpec(network="vgg16=w.pth", data="mnist"))
    with pytest.raises(NetworkError, match=f"{tmp_path}/deep/w.pth: No such file"):
        work(path, network=f"vgg16={tmp_path}/deep/w.pth")
    with CampaignStore(path) as store:
        assert "got w.pth: No such file" in store.worker.message()
        assert str(tmp_path) not in store.worker.message()


def test_the_worker_ends_when_its_standard_input_closes(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", runs.ENDLESS)
    worker = runs.dnncov("resume", path, "--attended", stdin=subprocess.PIPE)
    runs.until(lambda: runs.state_of(path) is State.RUNNING)
    start = time.monotonic()
    worker.stdin.close()
    assert worker.wait(timeout=30) == 130
    assert time.monotonic() - start < runs.allowed(CANCEL_SECONDS)
    assert runs.state_of(path) is State.CANCELLED


def test_a_cancel_before_the_start_counts_for_an_attended_worker_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "when_input_closes", lambda stop: None)
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec())
    with CampaignStore(path) as store:
        store.worker.request_cancel()
    assert work(path, attended=True) is State.CANCELLED
    assert runs.done(path) == 0
    with CampaignStore(path) as store:
        store.worker.request_cancel()
    assert work(path) is State.FINISHED


def test_a_cancel_after_the_last_target_changes_nothing(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec(pairs=2))

    def cancel_at_the_end(progress: object) -> None:
        if runs.done(path) == 2:
            raise KeyboardInterrupt

    assert work(path, on_progress=cancel_at_the_end) is State.FINISHED
    assert runs.state_of(path) is State.FINISHED


def test_an_interrupt_from_the_keyboard_cancels(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec())

    def interrupt(progress: object) -> None:
        raise KeyboardInterrupt

    assert work(path, on_progress=interrupt) is State.CANCELLED
    assert runs.state_of(path) is State.CANCELLED


def test_bad_input_is_kept_as_the_campaigns_message(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec())
    with pytest.raises(DataError) as error:
        work(path, data="nonsense")
    with CampaignStore(path) as store:
        assert store.state() is State.FAILED
        assert store.worker.message() == str(error.value)
    assert work(path) is State.FINISHED
    with CampaignStore(path) as store:
        assert store.worker.message() == ""


def test_messages_name_no_folder_of_the_machine(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec())
    (tmp_path / "data.npz").write_bytes(b"")
    with pytest.raises(DataError, match=str(tmp_path)):
        work(path, data=str(tmp_path / "data.npz"))
    with CampaignStore(path) as store:
        assert "data.npz" in store.worker.message()
        assert str(tmp_path) not in store.worker.message()


def test_progress_is_told_before_the_first_and_after_each_batch(tmp_path: Path) -> None:
    told: list[int] = []
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec(pairs=3))
    work(path, on_progress=lambda p: told.append(p.done))
    with CampaignStore(path) as store:
        batches = in_batches(store.targets.all(), store.prepared.batch())
    assert told == [0, *itertools.accumulate(map(len, batches))]


def test_the_work_is_timed_over_all_workers(tmp_path: Path) -> None:
    path = runs.finished(tmp_path / "c.dnncov", runs.toy_spec(pairs=2))
    with CampaignStore(path) as store:
        first = store.counts.progress().seconds
        assert first > 0
    runs.reopen(path)
    work(path)
    with CampaignStore(path) as store:
        assert store.counts.progress().seconds > first


def test_a_worker_that_is_gone_keeps_nobody_out(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec(pairs=2))
    gone = subprocess.Popen(["true"])
    gone.wait()
    with CampaignStore(path) as store:
        store.worker.claim()
        store.database._connection.execute("UPDATE worker SET pid = ?", (gone.pid,))
        assert store.state() is State.INTERRUPTED
    assert work(path) is State.FINISHED
    assert os.getpid() != gone.pid


def test_a_worker_whose_place_was_taken_changes_nothing_any_more(tmp_path: Path) -> None:
    path, taken = runs.create(tmp_path / "c.dnncov", runs.toy_spec()), list[int]()

    def taken_over(progress: CampaignProgress) -> None:
        if progress.done and not taken:
            taken.append(progress.done)
            with CampaignStore(path) as store:
                store.database._connection.execute("UPDATE worker SET pid = ?", (os.getppid(),))

    with pytest.raises(CampaignError, match="which took over"):
        work(path, on_progress=taken_over)
    with CampaignStore(path) as store:
        assert (store.state(), store.worker.message()) == (State.RUNNING, "")
        assert [store.counts.progress().done] == taken


def test_stop() -> None:
    stop = Stop()
    stop.check()
    stop.set()
    with pytest.raises(Stopped):
        stop.check()


def test_only_whole_folders_are_left_out_of_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, beside = tmp_path / "work", tmp_path / "work-in"
    for folder in (work, beside):
        folder.mkdir()
    monkeypatch.chdir(work)
    text = f"a.npz in {work}; {work}/b.npz, {beside}/c.npz, {beside}"
    assert reason(ValueError(text)) == f"ValueError: a.npz in the working folder; b.npz, {beside}/c.npz, {beside}"
    hidden = reason(ValueError(text), str(beside / "c.npz"))
    assert hidden == "ValueError: a.npz in the working folder; b.npz, c.npz, the working folder"


def test_registered_files_are_named_without_their_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    far = tmp_path / "far"
    far.mkdir()
    (far / "broken.npz").write_bytes(b"")
    (tmp_path / "registry.toml").write_text(f"[[data]]\nname = 'ours'\npath = '{far / 'broken.npz'}'\n")
    monkeypatch.delenv("DNNCOV_REGISTRY", raising=False)
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    error = DataError(f"a readable .npz file at {far / 'broken.npz'}", f"0 bytes in {tmp_path / 'data'}", "save it")
    assert reason(error, "toy", "ours") == "expected a readable .npz file at broken.npz; got 0 bytes in data; save it"
