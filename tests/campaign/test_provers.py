"""Proofs that the app runs in processes of their own."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from dnncov_core.campaign import provers
from dnncov_core.campaign.provers import Proof, cancel_proof, is_proving, proof_of, start_proof
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.records import State
from tests import builders, runs

ENDLESS = "print('linear 2 7', file=sys.stderr, flush=True); sys.stdin.read(); sys.exit(130)"
FAILING = "print('dnncov: expected a network; got none; give one', file=sys.stderr); sys.exit(2)"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    monkeypatch.chdir(runs.ROOT)
    monkeypatch.setattr(provers, "_proofs", {})
    (tmp_path / "campaigns").mkdir()
    return tmp_path / "campaigns"


def instead(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Another program in place of `dnncov prove`."""
    real = provers.subprocess.Popen
    monkeypatch.setattr(
        provers.subprocess,
        "Popen",
        lambda _, **options: real([sys.executable, "-c", f"import sys; {program}"], **options),
    )


def proof(campaign_id: str) -> Proof:
    found = proof_of(campaign_id)
    assert found is not None
    return found


def test_to_the_end(home: Path, campaign: Path) -> None:
    shutil.copy(campaign, home / "toy.dnncov")
    start_proof("toy")
    runs.until(lambda: not is_proving("toy"))
    runs.until(lambda: proof("toy").method == "mip")
    assert (proof("toy").process.returncode, proof("toy").message, proof("toy").cancelled) == (0, "", False)
    assert proof("toy").done == proof("toy").total
    with CampaignStore(home / "toy.dnncov") as store:
        assert store.state() is State.FINISHED


def test_progress_and_cancel(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, ENDLESS)
    builders.campaign(home / "a.dnncov").close()
    assert proof_of("a") is None
    start_proof("a")
    runs.until(lambda: proof("a").method == "linear")
    assert (proof("a").done, proof("a").total, proof("a").running) == (2, 7, True)
    first = proof("a").process
    start_proof("a")
    assert proof("a").process is first
    cancel_proof("a")
    runs.until(lambda: not is_proving("a"))
    assert (proof("a").cancelled, proof("a").message) == (True, "")


def test_an_error_is_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, FAILING)
    builders.campaign(home / "a.dnncov").close()
    start_proof("a")
    runs.until(lambda: proof("a").message != "")
    assert proof("a").message == "expected a network; got none; give one"
    assert not proof("a").cancelled


def test_the_command_ends_when_its_input_closes(home: Path, campaign: Path) -> None:
    shutil.copy(campaign, home / "toy.dnncov")
    process = runs.dnncov("prove", home / "toy.dnncov", "--attended")  # its input is closed from the start
    assert process.wait() in (0, 130)


def test_not_beside_a_worker(home: Path) -> None:
    for state in (State.WAITING, State.RUNNING):
        builders.campaign(home / f"{state.value}.dnncov", pending=2, state=state).close()
        with pytest.raises(CampaignError, match="without a worker; got one that is running; wait for it"):
            start_proof(state.value)
        assert proof_of(state.value) is None


def test_unknown_networks_and_campaigns_are_refused(home: Path) -> None:
    builders.campaign(home / "a.dnncov", spec=CampaignSpec(network="evil:make", data="mnist")).close()
    with pytest.raises(CampaignError, match="an embedded or registered network; got evil:make"):
        start_proof("a")
    with pytest.raises(CampaignError, match="the id of a campaign"):
        start_proof("../a")
