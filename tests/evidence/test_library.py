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
from tests.builders import campaign


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


def test_a_campaign_that_was_written_to_since_is_told_from_one_that_was_not(
    started: list[tuple[object, ...]], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        campaign(tmp_path / "campaigns" / f"{name}.dnncov").close()
    since = time.time()
    before, after = (since - 60,) * 2, (since + 60,) * 2
    for path in (tmp_path / "campaigns").iterdir():
        os.utime(path, before)
    assert not library.has_changed("campaign", ["one", "two"], since)
    os.utime(tmp_path / "campaigns" / "two.dnncov", after)
    assert library.has_changed("campaign", ["one", "two"], since)
    assert not library.has_changed("campaign", ["one"], since)
    (tmp_path / "campaigns" / "one.dnncov-wal").write_bytes(b"not yet in the file itself")
    assert library.has_changed("campaign", ["one"], since)
    assert library.has_changed("measurement", [ID], 0.0)
    with pytest.raises(DataError, match="the id of a campaign"):
        library.has_changed("campaign", ["three"], since)


def test_packs_of_yesterday_are_removed(started: list[tuple[object, ...]]) -> None:
    old, new = (library.job_of(library.start("campaign", [ID])).file(library.PACK) for _ in range(2))
    for each in (old, new):
        each.write_bytes(b"")
    os.utime(old, (time.time() - 2 * jobs.DAY,) * 2)
    library.start("campaign", [ID])
    assert (old.exists(), new.exists()) == (False, True)
