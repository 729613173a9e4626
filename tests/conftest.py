"""What every test shares: one PyTorch thread, and a fixed hypothesis profile."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and a user's folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "home"))
    return tmp_path
