"""The user's own names and notes of campaigns and measurements, and what campaigns are called beside each other.

Name and note are in a file of their own, ``ID.note``: a campaign's file is evidence, and a name given later must not
change it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.entries.kinds import NOTE, known_stem
from dnncov_core.errors import DataError
from dnncov_core.statistics import names_apart

MOST_LETTERS = {"name": 80, "text": 2000}


@dataclass(frozen=True)
class Note:
    """What the user calls an entry, and says of it; both empty where nothing was said."""

    name: str = ""
    text: str = ""


def read_note(stem: Path) -> Note:
    """The note of an entry's files; an empty one where there is none that can be read."""
    try:
        fields = json.loads(stem.with_name(stem.name + NOTE).read_text(encoding="utf-8"))
        return Note(str(fields["name"]), str(fields["text"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Note()


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
    path, new = stem.with_name(stem.name + NOTE), stem.with_name(f"{stem.name}{NOTE}.new")
    clean = Note(" ".join(note.name.split()), note.text.strip())
    try:
        if clean == Note():
            path.unlink(missing_ok=True)
        else:
            new.write_text(json.dumps(asdict(clean)), encoding="utf-8")
            new.replace(path)
    except OSError as error:
        raise DataError("a folder that can be written", str(error.strerror), "make room or mend its rights") from error


def own_name(store: CampaignStore) -> str:
    """The user's own name for a campaign; empty where there is none."""
    return read_note(store.path.with_suffix("")).name


def named_apart(stores: Iterable[CampaignStore]) -> dict[str, CampaignStore]:
    """Campaigns of different ids by names that tell them apart: the user's own, or what was asked of each."""
    by_id = {store.path.stem: store for store in stores}
    own = {each: own_name(store) for each, store in by_id.items()}
    names = names_apart({each: store.spec() for each, store in by_id.items()}, own)
    return {names[each]: store for each, store in by_id.items()}
