"""A hostile file of each kind that is cheap to check, dropped in each run of the tests; hundreds by the commands."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.brought import drafts, work
from dnncov_core.errors import DnncovError
from tests.hostile.upload_kinds import KINDS
from tests.hostile.uploads import tried

CHEAP = [number for number, kind in enumerate(KINDS.values()) if not kind.slow]


@pytest.mark.parametrize("number", CHEAP, ids=lambda number: [*KINDS][number].encode("ascii", "replace").decode())
def test_one_line_and_nothing_worse(number: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(work, "confine", lambda: None)
    monkeypatch.setattr(workers, "start", lambda command, stem, *options: started.append(options))

    def run(draft_id: str) -> None:
        drafts.start_check(draft_id)
        status, network, data = (each.removeprefix("--data=").removeprefix("--status=") for each in started[-1])
        with suppress(DnncovError):
            work.check_draft(Path(status), network, data, attended=False)

    dropped, outcome = tried(number, run)
    assert not outcome.fault, dropped
    assert not list((folder / "home").rglob("drafts/*"))
