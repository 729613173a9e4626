"""``dnncov verify``: replayed pairs, and an exit status that says whether all hold."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.campaign import old_versions
from tests.command import call

Output = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("folder")


class TestVerify:
    def test_json(self, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("verify", campaign, "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert list(found) == ["pairs", "holding", "near_zero", "effects", "without_effect", "failing"]
        assert (found["effects"], found["without_effect"]) == (12, 0)
        assert (found["pairs"], found["holding"], found["failing"]) == (12, 12, {})

    def test_text(self, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("verify", campaign) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "12 of 12 stored test pairs hold when replayed"
        assert lines[2:] == ["12 have an effect stored, which was compared too"]

    def test_pairs_without_an_effect_are_counted(self, campaign: Path, folder: Path, capsys: Output) -> None:
        path = old_versions.write(folder / "old.dnncov", campaign, 1)
        assert call("verify", path) == 0
        assert capsys.readouterr().out.splitlines()[2:] == [
            "0 have an effect stored, which was compared too",
            "12 have none stored, as an earlier version left them; dnncov resume FILE finds it",
        ]

    @pytest.mark.parametrize("gone", ["vgg16=gone/vgg16.pth", "gone/net.onnx", "gone/net.pt2"])
    def test_a_network_whose_file_has_moved_is_given_or_put_back(
        self, campaign: Path, folder: Path, capsys: Output, gone: str
    ) -> None:
        path = folder / "moved.dnncov"
        path.write_bytes(campaign.read_bytes())
        with sqlite3.connect(path) as connection:
            (spec,) = connection.execute("SELECT spec FROM campaign").fetchone()
            named = json.dumps(json.loads(spec) | {"network": gone})
            connection.execute("UPDATE campaign SET spec = ?", (named,))
        assert call("verify", path) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith("; give it with --network, or put the file there")
        assert f"the network of this campaign, {gone}; got no file gone/" in line
        assert call("verify", path, "--network", "toy") == 0
