"""``dnncov verify``: replayed pairs, and an exit status that says whether all hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import call

pytestmark = pytest.mark.usefixtures("folder")


class TestVerify:
    def test_json(self, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("verify", campaign, "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert list(found) == ["pairs", "holding", "near_zero", "failing"]
        assert (found["pairs"], found["holding"], found["failing"]) == (12, 12, {})

    def test_text(self, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("verify", campaign) == 0
        assert "12 of 12 stored test pairs hold when replayed" in capsys.readouterr().out
