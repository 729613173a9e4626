"""A few files of each kind in each run of the tests; thousands by the package's command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.trials import KINDS, case_of, here

FILES = 16


@pytest.mark.parametrize("number", range(FILES))
@pytest.mark.parametrize("kind", KINDS)
def test_one_line_and_nothing_worse(kind: str, number: int, folder: Path) -> None:
    case = case_of(kind, number, folder)
    for trial in here(case, folder):
        assert not trial.fault, f"{trial.fault}: {' '.join(trial.command)} ({trial.words})\n{trial.errors[-2000:]}"
