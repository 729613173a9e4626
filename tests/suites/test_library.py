"""The user's measurements and the workers that the app starts for them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from dnncov_core import jobs, workers
from dnncov_core.errors import DataError, DnncovError
from dnncov_core.records import State
from dnncov_core.suites import library
from dnncov_core.suites.library import standing
from dnncov_core.suites.spec import MeasurementSpec
from tests import runs
from tests.suites import made

TOY = MeasurementSpec("toy", "toy", "ss,n,s")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{runs.ROOT}{os.pathsep}{tmp_path}")
    monkeypatch.chdir(runs.ROOT)
    return tmp_path / "measurements"


@pytest.fixture
def slow(tmp_path: Path) -> MeasurementSpec:
    """A registered network that takes its time."""
    program = "import time\ndef build():\n    time.sleep(30)\n"
    (tmp_path / "slow_network.py").write_text(program)
    (tmp_path / "registry.toml").write_text(
        '[[network]]\nname = "slow"\nfactory = "slow_network:build"\ndata = "toy"\n'
    )
    return MeasurementSpec("slow", "toy", "n")


def worker_of(measurement_id: str) -> subprocess.Popen[bytes]:
    return next(worker for (_, file), worker in workers._started if file.name == measurement_id)


def state(measurement_id: str) -> State:
    return standing(measurement_id).state


def test_a_worker_that_counts_too_many_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "one.status"
    reporter = workers.Reporter(workers.WorkerStatus.begun(), partial(jobs.write_status, path))
    for done, share in ((0, 0), (1, 0.5), (3, 1)):
        reporter.tell("signs", done, 2)
        reporter.note()
        status = jobs.Job("measure", tmp_path / "one").status
        assert status is not None
        assert status.share == share


def test_start_to_the_end(home: Path) -> None:
    measurement_id = library.start(TOY, witnesses=True)
    assert state(measurement_id) in (State.WAITING, State.PREPARING, State.RUNNING)
    assert worker_of(measurement_id).wait(timeout=60) == 0
    assert state(measurement_id) is State.FINISHED
    found = library.open_measurement(measurement_id)
    assert found.spec == TOY
    assert found.inputs == 6
    assert [each.text for each in found.criteria] == ["ss", "n", "s"]
    assert set(found.fingerprints) == {"network", "suite"}
    assert library.file_of(measurement_id, ".csv").read_text().startswith("criterion,condition_layer")
    status = standing(measurement_id).status
    assert status is not None
    covering = 4 * 6 * 10 + 3 * 3 + 6 * 2  # values of 10 neurons, and those of joined inputs
    effects = 2 * 6 * 10 + (1 * 3 + 3 * 2) + (1 * 6 + 2 * 5)  # again, weights, and both layers of what is tried
    assert status.done == status.total == covering + effects
    workers.reap()
    assert not any(file.name == measurement_id for (_, file), _ in workers._started)
    assert not list(home.glob(".*"))


def test_the_test_pairs_of_a_campaign(home: Path, campaign: Path) -> None:
    file = home.parent / "campaigns" / "one.dnncov"
    file.parent.mkdir()
    file.write_bytes(campaign.read_bytes())
    measurement_id = library.start(MeasurementSpec("toy", "one.dnncov", "ss"))
    assert worker_of(measurement_id).wait(timeout=60) == 0
    assert library.open_measurement(measurement_id).spec.suite == "one.dnncov"
    assert str(home.parent) not in library.file_of(measurement_id, ".json").read_text()


def test_cancel_ends_the_worker(slow: MeasurementSpec) -> None:
    measurement_id = library.start(slow)
    worker = worker_of(measurement_id)
    runs.until(lambda: state(measurement_id) is State.PREPARING)
    library.cancel(measurement_id)
    assert worker.wait(timeout=60) != 0
    assert state(measurement_id) is State.CANCELLED


def test_a_worker_of_another_process_is_cancelled_too(slow: MeasurementSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    measurement_id = library.start(slow)
    worker = worker_of(measurement_id)
    runs.until(lambda: state(measurement_id) is State.PREPARING)
    monkeypatch.setattr(workers, "_started", [])
    library.cancel(measurement_id)
    assert worker.wait(timeout=60) == 130
    assert state(measurement_id) is State.CANCELLED


def test_no_worker_outlives_the_process_that_started_it(slow: MeasurementSpec) -> None:
    program = (
        "import os, signal, sys, time\n"
        "from dnncov_core import workers\n"
        "from dnncov_core.suites import library\n"
        "from dnncov_core.suites.spec import MeasurementSpec\n"
        "from dnncov_core.records import State\n"
        "found = library.start(MeasurementSpec('slow', 'toy', 'n'))\n"
        "while library.standing(found).state is not State.PREPARING: time.sleep(0.1)\n"
        "print(found, workers._started[0][1].pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    server = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert server.returncode == -signal.SIGKILL, server.stderr
    measurement_id, _ = server.stdout.split()
    runs.until(lambda: state(measurement_id) is State.CANCELLED, 5)


def test_a_failure_is_kept_without_folders(home: Path) -> None:
    (home.parent / "registry.toml").write_text('[[network]]\nname = "gone"\nfactory = "nowhere:build"\ndata = "toy"\n')
    measurement_id = library.start(MeasurementSpec("gone", "toy", "n"))
    assert worker_of(measurement_id).wait(timeout=60) == 2
    found = standing(measurement_id)
    assert found.state is State.FAILED
    assert "nowhere" in found.message
    assert str(runs.ROOT) not in found.message


def test_a_worker_that_is_gone(home: Path, slow: MeasurementSpec) -> None:
    measurement_id = library.start(slow)
    worker = worker_of(measurement_id)
    runs.until(lambda: state(measurement_id) is State.PREPARING)
    worker.kill()
    worker.wait()
    assert state(measurement_id) is State.INTERRUPTED


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (MeasurementSpec("antigravity:main", "toy"), "a network, one of"),
        (MeasurementSpec("net.pt2", "toy"), "a network, one of"),
        (MeasurementSpec("toy", "/etc"), "a suite, one of"),
        (MeasurementSpec("toy", "../one.dnncov"), "a suite, one of"),
        (MeasurementSpec("toy", "toy", "nb", reference="/etc"), "reference data, one of"),
        (MeasurementSpec("toy", "toy", "magic"), "a criterion, one of"),
    ],
)
def test_only_names_start_anything(home: Path, spec: MeasurementSpec, message: str) -> None:
    with pytest.raises(DnncovError, match=message):
        library.start(spec)
    assert not home.exists()


@pytest.mark.parametrize("measurement_id", ["", ".", "..", "../secret", "/etc/passwd", "a/b", "one.json", "*", "ONE"])
def test_what_is_no_id_is_looked_up_and_not_found(home: Path, measurement_id: str) -> None:
    made.save(home / "one.json", made.patterns(3))
    made.save(home.parent / "secret.json", made.patterns(3))
    for use in (library.open_measurement, library.standing, library.cancel):
        with pytest.raises(DataError, match="id of a measurement"):
            use(measurement_id)


def test_ids_come_newest_first(home: Path) -> None:
    for name in ("20260102-000000-aaaaaa", "20260103-000000-000000", "20260101-235959-ffffff"):
        made.save(home / f"{name}.json", made.patterns(3))
    assert [name[:8] for name in library.measurements()] == ["20260103", "20260102", "20260101"]


def test_a_worker_that_did_not_begin(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "start", lambda *_: None)
    measurement_id = library.start(TOY)
    assert state(measurement_id) is State.WAITING
    monkeypatch.setattr(workers, "STALE_SECONDS", -1.0)
    assert state(measurement_id) is State.INTERRUPTED
    library.file_of(measurement_id, ".status").unlink()
    assert state(measurement_id) is State.INTERRUPTED


def test_damaged_files_are_said(home: Path) -> None:
    home.mkdir()
    (home / "one.json").write_text("{")
    (home / "two.asked").write_text("{")
    made.save(home / "new.json", made.patterns(3))
    newer = json.loads((home / "new.json").read_text()) | {"schema": 9}
    (home / "new.json").write_text(json.dumps(newer))
    for name, message in (("one", "damaged"), ("two", "cannot be read"), ("new", "schema 9")):
        with pytest.raises(DataError, match=message):
            standing(name)


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "file"))
    with pytest.raises(DataError, match="a folder that can be written"):
        library.start(TOY)
