"""Hostile data that are only offered, on the pages Run and Measure: a line that says what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.data.files import class_order, described
from tests.hostile.trials import case_of

FILES = 8


@pytest.mark.parametrize("number", range(FILES))
@pytest.mark.parametrize(("kind", "name"), [("npz", "d.npz"), ("images", "photos")])
def test_a_description_never_fails(kind: str, name: str, number: int, folder: Path) -> None:
    case_of(kind, number, folder)
    words = described(folder / name)
    assert words.startswith(f"{name}, a")
    assert len(words) < 100
    if kind == "images":
        assert len(class_order(folder / name, "0123456789").splitlines()) <= 1
