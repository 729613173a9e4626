"""A folder of campaigns, and pages that start no process."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.campaign import library


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of campaigns, empty."""
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    (tmp_path / "campaigns").mkdir()
    return tmp_path / "campaigns"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Campaigns that a page would have given a worker; no process starts."""
    ids: list[str] = []
    monkeypatch.setattr(library, "resume", ids.append)
    return ids
