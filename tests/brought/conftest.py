"""An empty folder of a user, files to be dropped, and a check in this process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.brought import drafts, limits, work
from dnncov_core.errors import DnncovError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder."""
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(limits.QUOTA, raising=False)
    return tmp_path / "home"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What checks were started with; no process starts."""
    seen: list[tuple[str, ...]] = []
    monkeypatch.setattr(workers, "start", lambda command, file, *options: seen.append((command, str(file), *options)))
    return seen


Check = Callable[[str], drafts.Standing]


@pytest.fixture
def check(started: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> Check:
    """Checks a draft in this process, without its limits, which would stay."""
    monkeypatch.setattr(work, "confine", lambda: None)

    def run(draft_id: str) -> drafts.Standing:
        drafts.start_check(draft_id)
        _, _, status, network, data = started[-1]
        path = Path(status.removeprefix("--status="))
        with suppress(DnncovError):
            work.check_draft(path, network, data.removeprefix("--data="), attended=False)
        return drafts.standing(draft_id)

    return run


def dropped(draft_id: str, kind: str, path: Path, name: str = "") -> None:
    """Drops a file."""
    drafts.receive(draft_id, kind, name or path.name, BytesIO(path.read_bytes()))
