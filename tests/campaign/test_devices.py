"""A device that this machine does not have: not offered, refused before anything is stored, and left on resume."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.campaign import library
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameter_kinds import Choice
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import ParameterError
from dnncov_core.records import State
from tests.builders import campaign
from tests.command import call

ELSEWHERE = CampaignSpec("mnist-n1", "mnist", device="cuda")


@pytest.fixture(autouse=True)
def without_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnncov_core.resources.gpu_is_here", lambda: False)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    return tmp_path / "campaigns"


def test_it_is_not_offered() -> None:
    row = PARAMETERS["device"]
    assert isinstance(row, Choice)
    assert row.offered == ["auto", "cpu"]


def test_the_app_refuses_it_before_there_is_a_file(folder: Path) -> None:
    with pytest.raises(ParameterError, match="device must be one that this machine has: auto, cpu; got cuda"):
        library.start(ELSEWHERE)
    assert not list(folder.glob("*"))


def test_the_command_refuses_it_before_there_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.dnncov"
    assert call("run", "mnist-n1", "--device", "cuda", "--out", path) == 2
    assert "expected a device of this machine (cpu); got cuda; choose device auto or cpu" in capsys.readouterr().err
    assert not path.exists()


@pytest.mark.parametrize(("device", "options"), [("cuda", ["--device", "auto"]), ("auto", []), ("cpu", [])])
def test_the_app_resumes_on_what_there_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, device: str, options: list[str]
) -> None:
    started: list[str] = []
    monkeypatch.setattr(workers, "start", lambda command, file, *rest: started.extend(rest[1:]))
    spec = CampaignSpec("mnist-n1", "mnist", device=device)
    campaign(folder / "a.dnncov", spec=spec, pending=2, state=State.FAILED).close()
    library.resume("a")
    assert started == options


def test_the_command_resumes_elsewhere_and_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, spec = tmp_path / "a.dnncov", CampaignSpec("toy", "toy", device="cuda", generator="targeted", pairs=2)
    CampaignStore.create(path, spec.resolved(), {}).close()
    assert call("resume", path) == 2
    assert "'dnncov resume FILE --device cpu' goes on with a campaign" in capsys.readouterr().err
    assert call("resume", path, "--device", "cpu", "--workers", "2") == 0
    with CampaignStore(path) as store:
        assert (store.state(), store.worker.device(), store.spec().device) == (State.FINISHED, "cpu", "cuda")
