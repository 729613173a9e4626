"""What a user has: campaigns and measurements as one list. Reading order:

``kinds`` -- the two kinds, the files of an entry, the user's own names and notes, and names that tell campaigns apart;
``rows`` -- an entry in a line; ``trash`` -- what is deleted and not yet gone; ``ready_made`` -- entries to begin with.
"""

from __future__ import annotations

from dnncov_core.entries.kinds import (
    ENTRY_KINDS,
    EntryKind,
    Note,
    files_of,
    known_stem,
    named_apart,
    own_name,
    read_note,
    stamp,
    write_note,
)
from dnncov_core.entries.ready_made import READY_MADE, ReadyMade, start_ready_made
from dnncov_core.entries.rows import CriterionCoverage, EntryRow, entries, entry_row
from dnncov_core.entries.trash import Trashed, discard, empty_trash, restore, trashed

__all__ = [
    "ENTRY_KINDS",
    "READY_MADE",
    "CriterionCoverage",
    "EntryKind",
    "EntryRow",
    "Note",
    "ReadyMade",
    "Trashed",
    "discard",
    "empty_trash",
    "entries",
    "entry_row",
    "files_of",
    "known_stem",
    "named_apart",
    "own_name",
    "read_note",
    "restore",
    "stamp",
    "start_ready_made",
    "trashed",
    "write_note",
]
