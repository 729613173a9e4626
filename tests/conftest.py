"""What tests share: one PyTorch thread, random numbers that are each test's own, a fixed hypothesis profile, a working
folder, and a finished campaign."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

from tests import runs

torch.set_num_threads(1)
settings.register_profile(
    "dnncov",
    deadline=None,
    derandomize=True,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("dnncov")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Random weights are the same in each run of a test, whatever ran before it and in which process."""
    torch.manual_seed(zlib.crc32(item.nodeid.encode()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and a user's folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SS on the network toy, every pair: read only."""
    return runs.finished(tmp_path_factory.mktemp("toy") / "toy.dnncov", runs.toy_spec())
