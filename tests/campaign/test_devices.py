"""A device that this machine does not have: not offered, refused before anything is stored, and left on resume."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.campaign import library
from dnncov_core.campaign.parameter_kinds import Choice
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import ParameterError
from dnncov_core.records import State
from tests.builders import campaign

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
