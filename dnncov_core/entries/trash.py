"""What was deleted: in the folder ``trash`` of the user's folder, until it is emptied."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import SUFFIX
from dnncov_core.entries.kinds import ENTRY_KINDS, KINDS, files_of, known_stem, read_note
from dnncov_core.entries.rows import entry_row
from dnncov_core.errors import DataError, DnncovError, unwritable
from dnncov_core.resources import home
from dnncov_core.statistics.settings import title_of


@dataclass(frozen=True)
class Trashed:
    """One deleted entry: its kind, its id, its files without a suffix, and the bytes that they take."""

    kind: str
    id: str
    stem: Path
    size: int


def trashed() -> list[Trashed]:
    """The entries that can be restored, newest ids first within each kind."""
    found = []
    for kind in KINDS:
        for entry_id, stem in sorted(_stems(kind).items(), reverse=True):
            found.append(Trashed(kind, entry_id, stem, sum(map(_size, files_of(kind, stem)))))
    return found


def name_of(entry: Trashed) -> str:
    """The name of an entry in the trash, read from its files; its id where they are gone or cannot be read."""
    if name := read_note(entry.stem).name:
        return name
    if entry.kind != "campaign":
        return entry.id
    try:
        with CampaignStore(entry.stem.with_name(entry.stem.name + SUFFIX)) as store:
            return title_of(store.spec())
    except DnncovError:
        return entry.id


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # what readers leave behind goes with the last of them
        return 0


def discard(kind: str, entry_id: str) -> None:
    """Moves an entry's files to the trash.

    Raises:
        DataError: no such entry, one with a worker at it, one of the same id in the trash, or a folder that cannot be
            written.
    """
    stem = known_stem(kind, entry_id)
    if kind in ENTRY_KINDS and entry_row(kind, entry_id, stem).busy:
        raise DataError(f"a {kind} without a worker", "one that is at work", "cancel it first")
    if entry_id in _stems(kind):
        raise DataError("an id that is not in the trash", repr(entry_id), "empty the trash first")
    _move(kind, stem, _folder(kind))


def restore(kind: str, entry_id: str) -> None:
    """Moves an entry's files back.

    Raises:
        DataError: nothing of this id in the trash, one of the same id that is there again, or a folder that cannot be
            written.
    """
    stem = _stems(kind).get(entry_id)
    if stem is None:
        raise DataError(f"the id of a {kind} in the trash", repr(entry_id), "choose one from the trash")
    if entry_id in KINDS[kind].stems():
        raise DataError("an id that is free", f"another {kind} {entry_id!r}", "delete that one first")
    _move(kind, stem, home() / KINDS[kind].folder)


def empty_trash() -> int:
    """Removes everything in the trash for good; returns how many entries.

    Raises:
        DataError: a folder that cannot be written.
    """
    removed = 0
    for kind in KINDS:
        for stem in _stems(kind).values():
            try:
                for path in reversed(files_of(kind, stem)):
                    path.unlink()
            except OSError as error:
                raise unwritable(error) from error
            removed += 1
    return removed


def _folder(kind: str) -> Path:
    return home() / "trash" / KINDS[kind].folder


def _stems(kind: str) -> dict[str, Path]:
    """The files of everything in the trash, without a suffix, by id."""
    folder = _folder(kind)
    found = {path.stem for suffix in KINDS[kind].found_by for path in folder.glob(f"*{suffix}") if path.is_file()}
    return {stem: folder / stem for stem in found}


def _move(kind: str, stem: Path, folder: Path) -> None:
    """All files of an entry; a move that breaks off is taken back."""
    moved: list[tuple[Path, Path]] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in files_of(kind, stem):
            moved.append((path, path.rename(folder / path.name)))
    except OSError as error:
        for before, after in moved:
            with suppress(OSError):
                after.rename(before)
        raise unwritable(error) from error
