"""A folder of campaigns, and pages that start no process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

# imported amid a test, these would keep what that test put into the library
import pages.gaps.retry
import pages.measure.campaign_form
import pages.measure.plan
import pages.run.plan
import pages.shared.job_buttons  # noqa: F401
from dnncov_core.campaign import library


@pytest.fixture(scope="session", autouse=True)
def components() -> Iterator[None]:
    """Streamlit looks once for components among the installed packages, not for each test: that takes 0.1 s."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        yield


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
