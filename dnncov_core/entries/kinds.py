"""The two kinds of entries, campaigns and measurements: the files of each, and what the user calls and notes of it.

Ids are looked up among the files of the folders, never joined into a path. Name and note are in a file of their own,
``ID.note``: a campaign's file is evidence, and a name given later must not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dnncov_core.campaign.file.moments import Stamp, stamp_of
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import SUFFIX, campaigns
from dnncov_core.errors import DataError, unwritable
from dnncov_core.jobs import CANCEL, STATUS
from dnncov_core.networks.companion import SUFFIX as TOML
from dnncov_core.networks.reference import FILES
from dnncov_core.outside_text import with_codes
from dnncov_core.record_files import read_record, write_record
from dnncov_core.registry.brought import ABOUT, CARD, FOLDERS, SUFFIXES, stems
from dnncov_core.resources import home
from dnncov_core.statistics.settings import names_apart
from dnncov_core.suites.library import ASKED, OPEN, RESULT, measurements
from dnncov_core.workers import no_text

NOTE = ".note"
MOST_LETTERS = {"name": 80, "text": 2000}


@dataclass(frozen=True)
class EntryKind:
    """One kind of entry.

    Attributes:
        folder: where all of them are, below the user's folder.
        found_by: suffixes of the files by which one is found.
        beside: suffixes of its other files.
        stems: the files of all, without a suffix, by id, newest first.
    """

    folder: str
    found_by: tuple[str, ...]
    beside: tuple[str, ...]
    stems: Callable[[], dict[str, Path]]

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of all files of one."""
        return self.found_by + self.beside


def _campaign_stems() -> dict[str, Path]:
    return {each: path.with_name(each) for each, path in campaigns().items()}


ENTRY_KINDS: Mapping[str, EntryKind] = {
    "campaign": EntryKind("campaigns", (SUFFIX,), (f"{SUFFIX}-wal", f"{SUFFIX}-shm", NOTE), _campaign_stems),
    "measurement": EntryKind("measurements", (RESULT, ASKED), (STATUS, CANCEL, OPEN, ".csv", NOTE), measurements),
}

BESIDE = tuple(f"{suffix}{TOML}" for suffix in FILES)
"""Suffixes of what a network's file does not say."""
BROUGHT_KINDS: Mapping[str, EntryKind] = {
    kind: EntryKind(FOLDERS[kind], SUFFIXES[kind], (ABOUT, CARD, *BESIDE), partial(stems, kind)) for kind in FOLDERS
}
"""Networks and data that were brought: no entries of lists, but they go to the trash as these do."""
KINDS = {**ENTRY_KINDS, **BROUGHT_KINDS}


def known_stem(kind: str, entry_id: str) -> Path:
    """The files of an entry, without a suffix.

    Raises:
        DataError: no such entry.
    """
    stem = KINDS[kind].stems().get(entry_id)
    if stem is None:
        raise DataError(f"the id of a {kind}", repr(entry_id), "choose one from the list")
    return stem


def left_out() -> list[str]:
    """Names of files that are no entries since they are no text, with codes for what is no letter."""
    folders = [(home() / kind.folder, suffix) for kind in ENTRY_KINDS.values() for suffix in kind.found_by]
    found = no_text(path for folder, suffix in folders for path in folder.glob(f"*{suffix}"))
    return sorted(with_codes(path.name) for path in found)


def files_of(kind: str, stem: Path) -> list[Path]:
    """The files of an entry that exist."""
    paths = [stem.with_name(stem.name + suffix) for suffix in KINDS[kind].suffixes]
    return [path for path in paths if path.is_file()]


def stamp(kind: str, stem: Path) -> Stamp:
    """What changes whenever an entry's files change, but not with what readers of a campaign leave behind."""
    return stamp_of(stem, [suffix for suffix in ENTRY_KINDS[kind].suffixes if not suffix.endswith("-shm")])


@dataclass(frozen=True)
class Note:
    """What the user calls an entry, and says of it; both empty where nothing was said."""

    name: str = ""
    text: str = ""


def read_note(stem: Path) -> Note:
    """The note of an entry's files; an empty one where there is none that can be read."""
    try:
        note = read_record(Note, stem.with_name(stem.name + NOTE), ignore_unknown=True)
    except (OSError, ValueError):
        return Note()
    return Note(note.name[: MOST_LETTERS["name"]], note.text[: MOST_LETTERS["text"]])


def write_note(kind: str, entry_id: str, note: Note) -> None:
    """Writes a note; an empty one takes the earlier one away.

    Raises:
        DataError: no such entry, a note that is too long, or a folder that cannot be written.
    """
    for field, most in MOST_LETTERS.items():
        if len(getattr(note, field)) > most:
            got = f"{len(getattr(note, field)):,}"
            raise DataError(f"a {'name' if field == 'name' else 'note'} of at most {most:,} letters", got, "shorten it")
    stem = known_stem(kind, entry_id)
    path, clean = stem.with_name(stem.name + NOTE), Note(" ".join(note.name.split()), note.text.strip())
    if clean != Note():
        write_record(path, clean)
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(error) from error


def own_name(store: CampaignStore) -> str:
    """The user's own name for a campaign; empty where there is none."""
    return read_note(store.path.with_suffix("")).name


def named_apart(stores: Iterable[CampaignStore]) -> dict[str, CampaignStore]:
    """Campaigns of different ids by names that tell them apart: the user's own, or what was asked of each."""
    by_id = {store.path.stem: store for store in stores}
    own = {each: own_name(store) for each, store in by_id.items()}
    names = names_apart({each: store.spec() for each, store in by_id.items()}, own)
    return {names[each]: store for each, store in by_id.items()}
