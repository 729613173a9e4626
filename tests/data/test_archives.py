"""A ZIP of images reads as its folder, and whatever could lead out of it or fill the memory is refused unread."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.data import archives, load_data
from dnncov_core.data.archives import folder_of
from dnncov_core.data.files import described, file_names
from tests.data.made import assert_refused, folder


def packed(tmp_path: Path, *, below: str = "", name: str = "animals.zip") -> Path:
    """The folder of three pictures, as an archive, in which all may lie in a folder of their own."""
    path = tmp_path / name
    source = folder(tmp_path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(source.rglob("*.png")):
            archive.write(file, f"{below}{file.relative_to(source)}")
    return path


@pytest.mark.parametrize("below", ["", "animals/"])
def test_a_zip_has_what_its_folder_has(tmp_path: Path, below: str) -> None:
    path = packed(tmp_path, below=below)
    from_zip, from_folder = load_data(path, (1, 5, 7)), load_data(tmp_path / "animals", (1, 5, 7))
    np.testing.assert_array_equal(from_zip.images, from_folder.images)
    np.testing.assert_array_equal(from_zip.labels, from_folder.labels)
    assert from_zip.classes == ("ant", "cat")
    assert described(path) == "animals.zip, a ZIP of 3 images"
    inside = folder_of(path)
    assert inside is not None
    assert file_names(inside) == file_names(tmp_path / "animals") == ["ant/a.png", "cat/a.png", "cat/b.png"]


def test_what_operating_systems_add_is_passed_over(tmp_path: Path) -> None:
    path = packed(tmp_path, below="animals/")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("__MACOSX/animals/._a.png", b"x")
        archive.writestr("animals/cat/.DS_Store", b"x")
        archive.writestr("animals/cat/Thumbs.db", b"x")
    assert len(load_data(path, (1, 5, 7))) == 3


def test_nothing_is_written(tmp_path: Path) -> None:
    path = packed(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    load_data(path, (1, 5, 7))
    assert sorted(tmp_path.rglob("*")) == before


def add(name: str, content: bytes = b"x", mode: int = 0o100644) -> Callable[[zipfile.ZipFile], None]:
    def write(archive: zipfile.ZipFile) -> None:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        archive.writestr(entry, content)

    return write


@pytest.mark.parametrize(
    ("write", "got"),
    [
        (add("../cat/c.png"), "leads out of the folder"),
        (add("cat/../../c.png"), "leads out of the folder"),
        (add("/tmp/c.png"), "leads out of the folder"),
        (add("C:/c.png"), "leads out of the folder"),
        (add("cat\\..\\c.png"), "leads out of the folder"),
        (add("cat/link.png", b"/etc/passwd", stat.S_IFLNK | 0o777), "a link"),
        (lambda archive: archive.writestr("cat/c.png", b"x", zipfile.ZIP_LZMA), "compression method 14"),
        (lambda archive: archive.writestr("cat/c.png", bytes(2**27 + 1), zipfile.ZIP_DEFLATED), "134,217,729 bytes"),
        (add("cat/a.png"), "one name twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_entry_that_must_not_be_read(tmp_path: Path, write: Callable[[zipfile.ZipFile], None], got: str) -> None:
    path = packed(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        write(archive)
    assert_refused(path, "", got, (1, 5, 7))


def test_an_encrypted_entry(tmp_path: Path) -> None:
    path = packed(tmp_path)
    content = bytearray(path.read_bytes())
    struct.pack_into("<H", content, content.index(b"PK\x01\x02") + 8, 1)
    path.write_bytes(content)
    assert_refused(path, "a ZIP of plain images in folders", "which is encrypted", (1, 5, 7))


def test_a_bomb_is_refused_by_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(20):
            archive.writestr(f"cat/{n}.png", bytes(2**26))
    assert path.stat().st_size < 2**21
    assert_refused(path, "images in", "1.25 GiB", (1, 5, 7))
    monkeypatch.setattr(archives, "MOST_ENTRIES", 19)
    assert_refused(path, "at most 19 entries", "20", (1, 5, 7))


def test_a_bomb_that_says_less_is_read_no_further(tmp_path: Path) -> None:
    path = tmp_path / "liar.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("cat/a.png", bytes(2**26))
    content = bytearray(path.read_bytes())
    struct.pack_into("<L", content, content.index(b"PK\x01\x02") + 24, 1000)
    path.write_bytes(content)
    assert_refused(path, "an image at", "a damaged one (BadZipFile", (1, 5, 7))


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"no archive"])
def test_damaged_and_empty(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "some.zip"
    path.write_bytes(content)
    assert_refused(path, "", "", (1, 5, 7))
