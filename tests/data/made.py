"""Files of images, and what is asked of how they are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from dnncov_core.data import load_data
from dnncov_core.errors import DataError

Write = Callable[[Path], object]


def picture(path: Path, height: int = 5, width: int = 7, mode: str = "L", value: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    colour = value if mode in ("L", "I;16", "1") else (value,) * len(mode)
    Image.new(mode, (width, height), colour).save(path)


def folder(tmp_path: Path, mode: str = "L") -> Path:
    for name, value in (("cat/b.png", 2), ("ant/a.png", 1), ("cat/a.png", 3)):
        picture(tmp_path / "animals" / name, mode=mode, value=value)
    return tmp_path / "animals"


def assert_refused(path: Path | str, expected: str, got: str, input_shape: tuple[int, ...] | None = None) -> None:
    with pytest.raises(DataError) as caught:
        load_data(path, input_shape)
    before, _, after = str(caught.value).partition("; got ")
    assert expected in before
    assert got in f"got {after}"
    assert "\n" not in str(caught.value)
