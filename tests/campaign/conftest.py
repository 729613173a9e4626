"""Campaigns that many tests only read."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.criteria import CRITERIA
from tests import runs


@pytest.fixture(scope="session")
def free_campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SS with free condition features on the network toy; copy it before changing it."""
    return runs.free_campaign(tmp_path_factory.mktemp("free") / "free.dnncov")


@pytest.fixture(scope="session")
def toy_campaigns(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A finished campaign on the network toy by criterion; copy one before changing it."""
    folder = tmp_path_factory.mktemp("toy")
    return {key: runs.finished(folder / f"{key}.dnncov", runs.toy_spec(key)) for key in CRITERIA}
