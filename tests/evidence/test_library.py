"""The packs that the app makes: which worker starts, what becomes of it, and that old packs go."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from dnncov_core import jobs, workers
from dnncov_core.errors import DataError
from dnncov_core.evidence import library
from dnncov_core.example import FOLDER, ID
from dnncov_core.records import State


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What workers were started with, in a folder of their own."""
    found: list[tuple[object, ...]] = []
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    monkeypatch.setattr(workers, "start", lambda *asked: found.append(asked))
    return found


@pytest.mark.parametrize(("kind", "suffix"), [("campaign", ".dnncov"), ("measurement", ".json")])
def test_a_worker_is_started_on_the_file(started: list[tuple[object, ...]], kind: str, suffix: str) -> None:
    pack = library.start(kind, [ID])
    stem = library.job_of(pack).stem
    assert started == [
        ("evidence", stem, f"--status={stem}.status", str(FOLDER / f"{ID}{suffix}"), f"--out={stem}.zip")
    ]
    status = library.job_of(pack).status
    assert status is not None
    assert status.state is State.WAITING


def test_nothing_is_started_on_a_file_that_is_none(started: list[tuple[object, ...]]) -> None:
    with pytest.raises(DataError, match="the id of a campaign"):
        library.start("campaign", ["../secret"])
    assert not started


def test_packs_of_yesterday_are_removed(started: list[tuple[object, ...]]) -> None:
    old, new = (library.job_of(library.start("campaign", [ID])).file(library.PACK) for _ in range(2))
    for each in (old, new):
        each.write_bytes(b"")
    os.utime(old, (time.time() - 2 * jobs.KEPT_SECONDS,) * 2)
    library.start("campaign", [ID])
    assert (old.exists(), new.exists()) == (False, True)
