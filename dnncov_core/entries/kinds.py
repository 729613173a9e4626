"""The two kinds of entries, campaigns and measurements, and the files of each.

Ids are looked up among the files of the folders, never joined into a path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dnncov_core.campaign.file.moments import Stamp, stamp_of
from dnncov_core.campaign.library import SUFFIX, campaigns
from dnncov_core.errors import DataError
from dnncov_core.suites.library import ASKED, CANCEL, RESULT, STATUS, measurements

NOTE = ".note"


@dataclass(frozen=True)
class EntryKind:
    """One kind of entry.

    Attributes:
        name: of one, as pages and addresses say it.
        folder: of all, below the user's folder.
        suffixes: of the files of one; those by which it is found come first.
        found_by: how many of these it is found by.
        stems: the files of all, without a suffix, by id, newest first.
    """

    name: str
    folder: str
    suffixes: tuple[str, ...]
    found_by: int
    stems: Callable[[], dict[str, Path]]


def _campaign_stems() -> dict[str, Path]:
    return {each: path.with_name(each) for each, path in campaigns().items()}


KINDS: Mapping[str, EntryKind] = {
    "campaign": EntryKind(
        "campaign", "campaigns", (SUFFIX, f"{SUFFIX}-wal", f"{SUFFIX}-shm", NOTE), 1, _campaign_stems
    ),
    "measurement": EntryKind(
        "measurement", "measurements", (RESULT, ASKED, STATUS, CANCEL, ".csv", NOTE), 2, measurements
    ),
}


def known_stem(kind: str, entry_id: str) -> Path:
    """The files of an entry, without a suffix.

    Raises:
        DataError: no such entry.
    """
    stem = KINDS[kind].stems().get(entry_id)
    if stem is None:
        raise DataError(f"the id of a {kind}", repr(entry_id), "choose one from the list")
    return stem


def files_of(kind: str, stem: Path) -> list[Path]:
    """The files of an entry that exist."""
    paths = [stem.with_name(stem.name + suffix) for suffix in KINDS[kind].suffixes]
    return [path for path in paths if path.is_file()]


def stamp(kind: str, stem: Path) -> Stamp:
    """What changes whenever an entry's files change, but not with what readers of a campaign leave behind."""
    return stamp_of(stem, [suffix for suffix in KINDS[kind].suffixes if not suffix.endswith("-shm")])
