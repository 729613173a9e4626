"""A ZIP of images as the folder that it holds: nothing is written, and every entry is judged before one is read."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path, PurePosixPath

from dnncov_core.arrays import check_size
from dnncov_core.errors import DataError, DnncovError

ARCHIVE = ".zip"
Folder = Path | zipfile.Path
"""A folder of images, or what stands for one within an archive."""
MOST_ENTRIES = 200_000
MOST_BYTES = 2**27
"""Of one image, uncompressed."""
LITTER = ("__MACOSX",)
"""Folders that operating systems add."""


def folder_of(path: Path) -> Folder | None:
    """The folder at a path, or the folder that a ZIP there holds; None for any other file.

    Where all entries lie in a single folder that has folders itself, it is that one.

    Raises:
        DataError: a ZIP that is damaged, or has an entry that must not be read.
    """
    if path.suffix.lower() != ARCHIVE or path.is_dir():
        return path if path.is_dir() else None
    try:
        archive = zipfile.ZipFile(path)
        _check(archive.infolist(), path)
        top = zipfile.Path(archive)
        inside = [each for each in top.iterdir() if each.name not in LITTER and not each.name.startswith(".")]
    except DnncovError:
        raise
    except Exception as error:  # whatever a damaged archive makes zipfile raise
        got = f"{type(error).__name__}: {error}"
        raise DataError(f"a readable ZIP of images at {path}", got, "make the archive again") from error
    only = inside[0] if len(inside) == 1 and inside[0].is_dir() else None
    return only if only is not None and any(each.is_dir() for each in only.iterdir()) else top


def _check(entries: list[zipfile.ZipInfo], path: Path) -> None:
    """Refuses entries that lie outside, are links, are encrypted, come twice, or are too many or too large."""
    if len(entries) > MOST_ENTRIES:
        raise DataError(f"at most {MOST_ENTRIES:,} entries in {path}", f"{len(entries):,}", "take fewer images")
    wrong = next(((entry, reason) for entry in entries if (reason := _reason(entry))), None)
    if wrong is not None:
        got = f"{wrong[0].filename[:80]!r}, {wrong[1]}"
        raise DataError(f"a ZIP of plain images in folders at {path}", got, "make the archive again without it")
    if len({entry.filename for entry in entries}) < len(entries):
        raise DataError(f"entries with a name each in {path}", "one name twice", "make the archive again")
    check_size(sum(entry.file_size for entry in entries), "images", path)


def _reason(entry: zipfile.ZipInfo) -> str:
    """Why an entry must not be read; empty if it may."""
    name = PurePosixPath(entry.filename)
    if name.is_absolute() or ".." in name.parts or "\\" in entry.orig_filename or ":" in entry.filename:
        return "which leads out of the folder"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "a link"
    if entry.flag_bits & 1:
        return "which is encrypted"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"with compression method {entry.compress_type}"
    return f"of {entry.file_size:,} bytes" if entry.file_size > MOST_BYTES else ""
