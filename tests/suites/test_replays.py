"""The user's replays and the workers that the app starts for them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.errors import CampaignError, DataError, SpecificationError
from dnncov_core.record_files import write_record
from dnncov_core.records import State
from dnncov_core.suites import replays
from tests import runs
from tests.builders import campaign
from tests.command import call
from tests.statistics.replays import replay


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{runs.ROOT}{os.pathsep}{tmp_path}")
    monkeypatch.chdir(runs.ROOT)
    (tmp_path / "campaigns").mkdir()
    return tmp_path


def test_what_is_started_is_followed_and_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs.finished(home / "campaigns" / "c.dnncov", runs.toy_spec())
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(workers, "start", lambda command, file, *options: started.append((command, *options)))
    assert replays.job_of("c", "toy").status is None
    assert replays.result_of("c", "toy") is None
    replays.start("c", "toy")
    status = replays.job_of("c", "toy").status
    assert status is not None
    assert status.state is State.WAITING
    replays.job_of("c", "toy").cancel()
    replays.start("c", "toy")
    assert len(started) == 1, "the one that is at work goes on"
    (cancelled,) = (home / "replays").glob("*.cancel")
    cancelled.unlink()
    assert call(*started[0]) == 0
    status = replays.job_of("c", "toy").status
    assert status is not None
    assert (status.state, status.message, status.done, status.total) == (State.FINISHED, "", 12, 12)
    found = replays.result_of("c", "toy")
    assert found is not None
    assert found.network == "toy"
    assert all(each.own for each in found.conditions if each.labels)
    assert replays.result_of("c", "mnist-n1") is None
    replays.job_of("c", "toy").cancel()
    replays.start("c", "toy")
    assert not list((home / "replays").glob("*.cancel"))
    assert replays.result_of("c", "toy") == found, "it stays until there is another one"


def test_replays_of_last_month_are_removed_when_another_one_starts(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign(home / "campaigns" / "c.dnncov").close()
    monkeypatch.setattr(workers, "start", lambda *asked: None)
    old, new = (replays.job_of("c", name) for name in ("mnist-n1", "mnist-n2"))
    old.stem.parent.mkdir()
    for job, days in ((old, 30.1), (new, 29.9)):
        for suffix in (".status", ".json"):
            job.file(suffix).write_text("{}", encoding="utf-8")
            os.utime(job.file(suffix), (time.time() - days * 86_400,) * 2)
    replays.start("c", "toy")
    left = {new.file(".status"), new.file(".json"), replays.job_of("c", "toy").file(".status")}
    assert set(old.stem.parent.iterdir()) == left


def test_ids_and_names_get_into_no_path(home: Path) -> None:
    with pytest.raises(CampaignError, match="expected the id of a campaign"):
        replays.start("../c", "toy")
    with pytest.raises(SpecificationError, match="network"):
        replays.start("c", "../toy.pt2")
    assert replays.job_of("../c", "/etc/passwd").status is None
    assert not (home / "replays").exists()


def test_a_cancelled_worker_is_told_and_leaves_no_result(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs.finished(home / "campaigns" / "c.dnncov", runs.toy_spec())
    (home / "slow_network.py").write_text("import time\ndef build():\n    time.sleep(30)\n")
    (home / "registry.toml").write_text('[[network]]\nname = "slow"\nfactory = "slow_network:build"\ndata = "toy"\n')
    replays.start("c", "slow")
    replays.job_of("c", "slow").cancel()
    end = time.monotonic() + 60
    while (status := replays.job_of("c", "slow").status) and status.state in workers.ACTIVE:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert status is not None
    assert status.state in (State.CANCELLED, State.INTERRUPTED)
    assert replays.result_of("c", "slow") is None


def test_a_damaged_result_is_named(home: Path) -> None:
    with campaign(home / "campaigns" / "c.dnncov") as store:
        found = replay(store)
    path = replays.job_of("c", "toy").file(".json")
    write_record(path, found)
    assert replays.result_of("c", "toy") == found
    path.write_text(path.read_text().replace('"covered": true', '"covered": 1'))
    with pytest.raises(DataError, match=r"expected a replay that can be read; got .*; replay again"):
        replays.result_of("c", "toy")
