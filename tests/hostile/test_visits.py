"""Some pages visited with a few hostile files in each run of the tests; all with hundreds by `tests.hostile.visits`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.visits import faults, furnish, hostile

FILES = (0, 1, 3, 4)


@pytest.mark.parametrize("number", FILES)
def test_a_hostile_file_is_explained_and_disturbs_no_other_entry(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    furnish(tmp_path)
    words, visits = hostile(number, tmp_path)
    assert list(faults(visits[number % 3 :: 3])) == [], words
