"""``dnncov resume``, ``cancel`` and ``show`` on one campaign."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.records import State
from tests import runs
from tests.cli.fields import SUMMARY, has_types
from tests.command import call

pytestmark = pytest.mark.usefixtures("folder")


class TestResumeCancelShow:
    def test_cancel_resume_show(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = runs.create(folder / "c.dnncov", runs.toy_spec(pairs=3))
        assert call("cancel", path) == 0
        assert "asked to stop" in capsys.readouterr().out
        assert call("show", path, "--json") == 0
        shown = json.loads(capsys.readouterr().out)
        assert (shown["state"], shown["pairs"], shown["coverage"], shown["seeds"]) == ("cancelled", 0, None, None)
        assert call("resume", path, "--json") == 0
        assert has_types(json.loads(capsys.readouterr().out), SUMMARY)
        assert call("show", path, "--json") == 0
        assert json.loads(capsys.readouterr().out)["state"] == "finished"
        assert call("show", path) == 0
        out = capsys.readouterr().out
        assert "of 3 test conditions have a replayable witness (" in out
        assert "The test conditions are a random sample of 3 of 15 feature pairs (random seed 0).\n" in out
        assert call("cancel", path) == 0
        assert capsys.readouterr().out == "already finished\n"

    def test_show_changes_nothing(self, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
        before = runs.content(campaign)
        assert call("show", campaign) == call("show", campaign, "--json") == 0
        assert runs.content(campaign) == before

    def test_an_interrupt_gives_130(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("dnncov_core.generators.lp_search.LinearProgramSearch.attempting", interrupt)
        assert call("run", "toy", "--out", "c.dnncov") == 130
        assert call("show", "c.dnncov") == 0

    def test_a_file_of_another_network_needs_its_own(self, campaign: Path) -> None:
        assert call("verify", campaign, "--network", "mnist-n9") == 2
        assert call("verify", campaign, "--network", "toy") == 0


def test_a_campaign_of_another_machine_is_resumed_here_when_that_is_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    path, spec = folder / "a.dnncov", CampaignSpec("toy", "toy", device="cuda", generator="targeted", pairs=2)
    CampaignStore.create(path, spec.resolved(), {}).close()
    assert call("resume", path) == 2
    assert "of this machine (cpu); got cuda; choose device auto or cpu (--device)\n" in capsys.readouterr().err
    assert call("resume", path, "--device", "cpu", "--workers", "2") == 0
    with CampaignStore(path) as store:
        assert (store.state(), store.worker.device(), store.spec().device) == (State.FINISHED, "cpu", "cuda")
