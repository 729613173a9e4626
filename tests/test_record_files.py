"""Records in files: whole or as they were, and judged when they are read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from dnncov_core.errors import DataError
from dnncov_core.record_files import read_record, write_record


@dataclass(frozen=True)
class Point:
    x: int
    name: str = ""


def test_what_was_written_is_read_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "point.json"
    write_record(path, Point(3, "ü"))
    assert read_record(Point, path) == Point(3, "ü")
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "point.json"
    write_record(path, Point(3))

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DataError, match="expected a folder that can be written; got No space left on device"):
        write_record(path, Point(4))
    assert read_record(Point, path) == Point(3)
    assert list(tmp_path.iterdir()) == [path]


def test_several_write_a_file_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "point.json"
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda x: write_record(path, Point(x)), range(400)))
    assert read_record(Point, path).x in range(400)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"x": "3"}', '{"x": 1e400}', '{"x": 1, "y": 2}'])
def test_what_is_no_such_record_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "point.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"."):
        read_record(Point, path)


def test_unknown_fields_are_left_out_where_that_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "point.json"
    path.write_text('{"x": 1, "y": 2}', encoding="utf-8")
    assert read_record(Point, path, ignore_unknown=True) == Point(1)
