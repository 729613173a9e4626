"""Drafts: what is dropped is whole or not there, and is named by nobody's path."""

from __future__ import annotations

import os
import time
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import IO

import pytest

from dnncov_core import workers
from dnncov_core.brought import drafts, limits
from dnncov_core.brought.drafts import Draft, Part, choose, new_draft, read_draft, receive, start_check
from dnncov_core.errors import DataError, DnncovError, SpecificationError
from dnncov_core.jobs import CANCEL, STATUS, write_status
from dnncov_core.records import State
from dnncov_core.workers import WorkerStatus


def files(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


def test_a_dropped_file_lies_in_the_draft_under_a_name_of_ours(home: Path) -> None:
    draft_id = new_draft()
    receive(draft_id, "network", "My Net.ONNX", BytesIO(b"abc"))
    receive(draft_id, "data", "../../x.npz", BytesIO(b"abcd"))
    assert read_draft(draft_id) == Draft(Part("My Net.ONNX", "network.onnx"), Part("x.npz", "data.npz"))
    assert files(home) == [f"brought/drafts/{draft_id}/{name}" for name in ("data.npz", "draft.json", "network.onnx")]


def test_another_file_takes_the_place_of_the_first(home: Path) -> None:
    draft_id = new_draft()
    receive(draft_id, "data", "a.npz", BytesIO(b"a"))
    receive(draft_id, "data", "b.csv", BytesIO(b"b"))
    assert files(home) == [f"brought/drafts/{draft_id}/{name}" for name in ("data.csv", "draft.json")]
    choose(draft_id, "data", Part("mnist"))
    assert files(home) == [f"brought/drafts/{draft_id}/draft.json"]
    assert read_draft(draft_id) == Draft(None, Part("mnist"))


class Broken(BytesIO):
    """A browser that is closed amid an upload."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            raise ConnectionResetError("gone")
        return super().read(3)


@pytest.mark.parametrize(
    ("kind", "name", "content", "got"),
    [
        ("network", "net.pkl", BytesIO(b"abc"), "'net.pkl'"),
        ("network", "net.npz", BytesIO(b"abc"), "'net.npz'"),
        ("data", "a.onnx", BytesIO(b"abc"), "'a.onnx'"),
        ("data", "noending", BytesIO(b"abc"), "'noending'"),
        ("data", "a.npz", BytesIO(b""), "an empty one"),
        ("network", "vgg16.pth", BytesIO(b"abc"), "choose it in the menu"),
        ("data", "a.npz", Broken(b"abcdef"), ""),
    ],
)
def test_what_is_refused_leaves_nothing_and_the_earlier_file_stays(
    home: Path, kind: str, name: str, content: IO[bytes], got: str
) -> None:
    draft_id = new_draft()
    receive(draft_id, "data", "first.npz", BytesIO(b"abc"))
    before = files(home)
    with pytest.raises(DnncovError) as caught:
        receive(draft_id, kind, name, content)
    assert got in str(caught.value)
    assert files(home) == before
    assert read_draft(draft_id).data == Part("first.npz", "data.npz")


def test_weights_belong_to_a_network_of_torchvision() -> None:
    draft_id = new_draft()
    with pytest.raises(SpecificationError, match="got 'vgg99'"):
        receive(draft_id, "network", "w.pth", BytesIO(b"abc"), weights_of="vgg99")
    receive(draft_id, "network", "w.safetensors", BytesIO(b"abc"), weights_of="vgg16")
    part = read_draft(draft_id).network
    assert part is not None
    folder = drafts.folder_of(draft_id)
    assert part.reference(folder) == f"vgg16={folder / 'network.safetensors'}"


def test_a_file_beyond_the_quota(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draft_id = new_draft()
    receive(draft_id, "network", "a.onnx", BytesIO(bytes(2**20)))
    (home / "trash" / "brought" / "data").mkdir(parents=True)
    (home / "trash" / "brought" / "data" / "old.npz").write_bytes(bytes(2**20))
    monkeypatch.setenv(limits.QUOTA, str(5 / 1024))
    assert 2.9 * 2**20 < limits.room() < 3 * 2**20
    with pytest.raises(DataError, match="a file of at most 3 MB; got a larger one; delete files, empty the trash"):
        receive(draft_id, "data", "a.npz", BytesIO(bytes(2**22)))
    assert not list(home.rglob("data.*"))
    receive(draft_id, "data", "a.npz", BytesIO(bytes(2**21)))


@pytest.mark.parametrize("draft_id", ["none", "../drafts", "..", "/etc", ""])
def test_ids_are_looked_up_and_never_joined(draft_id: str) -> None:
    new_draft()
    for ask in (drafts.folder_of, drafts.standing, drafts.cancel, start_check):
        with pytest.raises(DataError, match="none: they were removed after a day"):
            ask(draft_id)
    assert read_draft(draft_id) == Draft()


def test_what_nobody_touched_for_a_day_is_removed() -> None:
    old, young = new_draft(), new_draft()
    receive(old, "data", "a.npz", BytesIO(b"abc"))
    folder = drafts.folder_of(old)
    os.utime(folder, (time.time() - 90_000,) * 2)
    assert set(drafts.drafts()) == {old, young}
    new = new_draft()
    assert set(drafts.drafts()) == {young, new}
    assert not folder.exists()


def test_a_check_needs_both_and_is_started_on_the_files(started: list[tuple[str, ...]]) -> None:
    draft_id = new_draft()
    receive(draft_id, "network", "a.onnx", BytesIO(b"abc"))
    with pytest.raises(DataError, match="drop the other one"):
        start_check(draft_id)
    assert drafts.standing(draft_id) == drafts.Standing(None)
    choose(draft_id, "data", Part("mnist"))
    start_check(draft_id)
    folder = drafts.folder_of(draft_id)
    stem = folder / read_draft(draft_id).check
    assert started == [("check", str(stem), f"--status={stem}.status", str(folder / "network.onnx"), "--data=mnist")]
    assert drafts.standing(draft_id).state is State.WAITING


def test_a_check_can_be_cancelled_and_begun_again(started: list[tuple[str, ...]]) -> None:
    draft_id = new_draft()
    choose(draft_id, "network", Part("mnist-n1"))
    choose(draft_id, "data", Part("mnist"))
    start_check(draft_id)
    first = read_draft(draft_id).check
    drafts.cancel(draft_id)
    assert drafts.standing(draft_id).state is State.CANCELLED
    assert (drafts.folder_of(draft_id) / first).with_suffix(CANCEL).exists()
    start_check(draft_id)
    assert drafts.standing(draft_id).state is State.WAITING
    assert read_draft(draft_id).check != first


def test_a_worker_that_is_gone_and_one_that_failed(started: list[tuple[str, ...]]) -> None:
    draft_id = new_draft()
    choose(draft_id, "network", Part("mnist-n1"))
    choose(draft_id, "data", Part("mnist"))
    start_check(draft_id)
    path = (drafts.folder_of(draft_id) / read_draft(draft_id).check).with_suffix(STATUS)
    write_status(path, WorkerStatus(**{**asdict(WorkerStatus.begun()), "beat": 0.0}))
    assert drafts.standing(draft_id).state is State.INTERRUPTED
    write_status(path, WorkerStatus(**{**asdict(WorkerStatus.begun()), "state": State.FAILED, "message": "why"}))
    found = drafts.standing(draft_id)
    assert found.status is not None
    assert (found.state, found.status.message) == (State.FAILED, "why")


def test_a_process_that_is_there_counts_though_it_says_nothing_for_minutes(
    started: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    draft_id = new_draft()
    choose(draft_id, "network", Part("mnist-n1"))
    choose(draft_id, "data", Part("mnist"))
    start_check(draft_id)
    path = (drafts.folder_of(draft_id) / read_draft(draft_id).check).with_suffix(STATUS)
    monkeypatch.setattr(
        workers, "has_started", lambda command, file: (command, file) == ("check", path.with_suffix(""))
    )
    for share, state in ((1.1, State.INTERRUPTED), (0.9, State.WAITING)):
        beat = time.time() - share * workers.SILENT_SECONDS
        write_status(path, WorkerStatus(**{**asdict(WorkerStatus.awaited()), "beat": beat}))
        assert drafts.standing(draft_id).state is state
    drafts.remove(draft_id)
    assert draft_id not in drafts.drafts()


def test_a_draft_is_removed_with_its_files(home: Path) -> None:
    draft_id = new_draft()
    receive(draft_id, "data", "a.npz", BytesIO(b"abc"))
    drafts.remove(draft_id)
    assert files(home) == []
    drafts.remove(draft_id)
