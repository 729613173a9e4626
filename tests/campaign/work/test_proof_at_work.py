"""Proofs as work at a campaign file: in processes of their own, never beside a worker, with a last word that stays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.campaign import library
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.worker import proof_at, work
from dnncov_core.errors import CampaignError
from dnncov_core.records import State
from dnncov_core.workers import WorkerStatus
from tests import builders, runs
from tests.command import call, refused

BUSY = "expected a campaign without a running proof; got one with a proof at work; wait for the proof, or cancel"
ENDLESS = """
import sys, time
from pathlib import Path
from dnncov_core.campaign.work.worker import proof_at
with proof_at(Path(sys.argv[1]), attended=True) as reporter:
    reporter.tell("linear", 2, 7)
    time.sleep(300)
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    monkeypatch.chdir(runs.ROOT)
    (tmp_path / "campaigns").mkdir()
    return tmp_path / "campaigns"


@pytest.fixture
def toy(home: Path, campaign: Path) -> Path:
    """A finished campaign of the app."""
    return Path(shutil.copy(campaign, home / "toy.dnncov"))


def proof(path: Path) -> WorkerStatus:
    with CampaignStore(path) as store:
        found = store.proof.status()
    assert found is not None
    return found


def proving(path: Path) -> bool:
    with CampaignStore(path) as store:
        return library.is_proving(store)


def endless(path: Path) -> subprocess.Popen[bytes]:
    """A proof in a process of its own that goes on until it is told to stop."""
    found = subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], stdin=subprocess.PIPE)
    runs.until(lambda: proving(path) and proof(path).total == 7)
    return found


def test_to_the_end_and_its_last_word_is_in_the_file(toy: Path) -> None:
    with CampaignStore(toy) as store:
        assert store.proof.status() is None
    library.start_proof("toy")
    assert proving(toy)
    library.start_proof("toy")
    assert len([1 for job, _ in workers._started if job == ("prove", toy)]) == 1
    runs.until(lambda: not proving(toy))
    found = proof(toy)
    assert (found.state, found.doing) == (State.FINISHED, "pairs")
    assert found.done == found.total
    assert found.message == (
        "0 of 8 neurons (0 %) have a sign that is proved constant; 0 of 15 test conditions (0 %) are proved infeasible"
    )
    assert runs.state_of(toy) is State.FINISHED


def test_an_error_is_kept_without_folders_and_the_next_proof_replaces_it(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "none.pt2" in refused(capsys, "prove", toy, "--network", str(tmp_path / "none.pt2"))
    assert proof(toy).state is State.FAILED
    assert "none.pt2" in proof(toy).message
    assert str(tmp_path) not in proof(toy).message
    assert call("prove", toy) == 0
    assert proof(toy).state is State.FINISHED


def test_progress_and_cancel(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for cancel in (lambda: library.cancel("toy"), lambda: call("cancel", toy)):
        process = endless(toy)
        assert (proof(toy).doing, proof(toy).done, proof(toy).total) == ("linear", 2, 7)
        cancel()
        assert process.wait(timeout=60) == workers.CANCELLED
        assert (proof(toy).now, proof(toy).message) == (State.CANCELLED, "")
    assert "'dnncov prove' continues from there" in capsys.readouterr().out


def test_it_ends_when_its_input_closes(toy: Path) -> None:
    process = endless(toy)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=60) == workers.CANCELLED
    assert proof(toy).now is State.CANCELLED


def test_cancelled_before_it_has_begun(toy: Path) -> None:
    library.start_proof("toy")
    library.cancel("toy")
    runs.until(lambda: not proving(toy))
    assert proof(toy).now is State.CANCELLED


def test_one_that_was_killed_is_interrupted_and_hinders_nobody(toy: Path) -> None:
    process = endless(toy)
    process.kill()
    process.wait()
    assert proof(toy).now is State.INTERRUPTED
    assert call("prove", toy) == 0


def test_no_worker_starts_beside_a_proof(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "a.dnncov"
    spec = CampaignSpec(network="mnist-n1", data="mnist", max_seeds=10)
    builders.campaign(path, pending=2, state=State.CANCELLED, spec=spec).close()
    process = endless(path)
    before = runs.content(path)
    for start in (lambda: library.resume("a"), lambda: library.try_again("a", max_seeds=20), lambda: work(path)):
        with pytest.raises(CampaignError, match=BUSY):
            start()
    for command in (("resume", path), ("retry", path, "--max-seeds", "20"), ("prove", path)):
        assert BUSY in refused(capsys, *command)
    assert "which exists; resume it with 'dnncov resume', or choose another --out" in refused(
        capsys, "run", "mnist-n1", "--out", path
    )
    assert runs.content(path) == before
    assert not any(job == ("resume", path) for job, _ in workers._started)
    process.kill()
    process.wait()


def test_no_worker_starts_beside_a_proof_that_is_being_started(home: Path) -> None:
    with builders.campaign(home / "a.dnncov", pending=2, state=State.CANCELLED) as store:
        store.proof.claim(WorkerStatus.awaited())
    with pytest.raises(CampaignError, match=BUSY):
        library.resume("a")
    with proof_at(home / "a.dnncov"):
        assert proof(home / "a.dnncov").pid == os.getpid()


def test_no_proof_starts_beside_a_worker(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = home / "a.dnncov"
    with builders.campaign(path, pending=2, state=State.RUNNING) as store:
        store.database._connection.execute("UPDATE worker SET pid = ?", (os.getppid(),))
    with pytest.raises(CampaignError, match="a campaign without a worker; got one that is running; wait for it"):
        library.start_proof("a")
    assert "got one that is running; wait for it" in refused(capsys, "prove", path)
    builders.campaign(home / "b.dnncov", pending=2, state=State.WAITING).close()
    with pytest.raises(CampaignError, match="a campaign without a worker; got one that is starting"):
        library.start_proof("b")
    for name in "ab":
        with CampaignStore(home / f"{name}.dnncov") as store:
            assert store.proof.status() is None


def test_one_that_another_took_over_from_ends(toy: Path) -> None:
    process = endless(toy)
    with CampaignStore(toy) as store, store.database.transaction() as connection:
        connection.execute("UPDATE proof SET pid = 1, message = 'mine'")
    assert process.wait(timeout=60) == workers.CANCELLED
    assert (proof(toy).pid, proof(toy).message) == (1, "mine")


def test_unknown_networks_are_refused(home: Path) -> None:
    builders.campaign(home / "a.dnncov", spec=CampaignSpec(network="evil:make", data="mnist")).close()
    with pytest.raises(CampaignError, match="an embedded or registered network; got evil:make"):
        library.start_proof("a")
