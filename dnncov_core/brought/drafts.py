"""Drafts: a network and data that were dropped into the app and have no names yet, in a folder of their own.

A file gets its name in the folder when it is whole. What was dropped, the worker's status and the report of the check
lie beside it. Drafts that nobody touched for a day are removed.
"""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from dnncov_core import workers
from dnncov_core.brought.limits import check_room, room
from dnncov_core.brought.report import REPORT, Report
from dnncov_core.errors import DataError, DnncovError, SpecificationError, unwritable
from dnncov_core.jobs import Job
from dnncov_core.networks.companion import path_beside
from dnncov_core.networks.pretrained import PRETRAINED
from dnncov_core.record_files import read_or_refuse, read_record, write_record
from dnncov_core.records import State
from dnncov_core.registry.brought import SUFFIXES
from dnncov_core.resources import home

FOLDER = "brought/drafts"
STALE_SECONDS = 24 * 3600.0
CHUNK = 2**20
WEIGHTS = SUFFIXES["network"][2:]
_DRAFT = "draft.json"


@dataclass(frozen=True)
class Part:
    """A network or data of a draft.

    Attributes:
        name: of the file as it was called, or the name of what is here already.
        file: its name in the draft's folder; empty for what is here already.
        weights_of: of a file of weights, the network of torchvision that they belong to.
    """

    name: str
    file: str = ""
    weights_of: str = ""

    def reference(self, folder: Path) -> str:
        """How the check is given it."""
        path = str(folder / self.file)
        return f"{self.weights_of}={path}" if self.weights_of else path if self.file else self.name


@dataclass(frozen=True)
class Draft:
    """What was dropped or chosen so far, and the name of the files of its check; empty before there is one."""

    network: Part | None = None
    data: Part | None = None
    check: str = ""

    def in_own_names(self, message: str) -> str:
        """A message with each file called as it was when it was dropped."""
        for part in (self.network, self.data):
            message = message.replace(part.file, part.name) if part is not None and part.file else message
        return message


@dataclass(frozen=True)
class Standing:
    """Where the check of a draft stands: its state, None before it; what its worker last wrote; and what it found."""

    state: State | None
    status: workers.WorkerStatus | None = None
    report: Report | None = None


def drafts() -> dict[str, Path]:
    """The folders of all drafts by id."""
    return {path.name: path for path in (home() / FOLDER).glob("*") if path.is_dir()}


def folder_of(draft_id: str) -> Path:
    """The folder of a draft.

    Raises:
        DataError: there is none.
    """
    folder = drafts().get(draft_id)
    if folder is None:
        raise DataError("files that are here", "none: they were removed after a day", "drop them again")
    return folder


def new_draft() -> str:
    """Makes a folder for a draft, and removes those that are stale; returns its id.

    Raises:
        DataError: the user's folder cannot be written.
    """
    for folder in drafts().values():
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
    stem = workers.new_stem(FOLDER)
    try:
        stem.mkdir()
    except OSError as error:
        raise unwritable(error) from error
    return stem.name


@contextmanager
def in_draft(draft_id: str | None) -> Iterator[str]:
    """The id of a draft, or of a new one, of which nothing stays where what it should get is refused.

    Raises:
        DataError: the user's folder cannot be written.
    """
    own = draft_id or new_draft()
    try:
        yield own
    except DnncovError:
        if draft_id is None:
            remove(own)
        raise


def read_draft(draft_id: str) -> Draft:
    """What a draft has; nothing where it is gone."""
    with suppress(OSError, ValueError, DataError):
        return read_record(Draft, folder_of(draft_id) / _DRAFT)
    return Draft()


def receive(draft_id: str, kind: str, name: str, content: IO[bytes], *, weights_of: str = "") -> None:
    """Writes a file of a network or of data into a draft, in place of an earlier one; an earlier check is forgotten.

    Args:
        draft_id: the draft.
        kind: ``network`` or ``data``.
        name: what the file was called, of which only the ending counts.
        content: the file's.
        weights_of: the network of torchvision that a file of weights belongs to.

    Raises:
        DataError: there is no such draft, the file has another ending, is empty or too large, or cannot be written.
        SpecificationError: weights of a network that there is not.
    """
    folder, suffix = folder_of(draft_id), _suffix(kind, name)
    if (suffix in WEIGHTS) != bool(weights_of) or (weights_of and weights_of not in PRETRAINED):
        fix = "choose it in the menu"
        raise SpecificationError("the network that a file of weights belongs to", repr(weights_of), fix)
    part = folder / f"{kind}.part"
    try:
        _copy(content, part, room())
        path = part.replace(folder / f"{kind}{suffix}")
    except OSError as error:
        raise unwritable(error) from error
    finally:
        part.unlink(missing_ok=True)
    choose(draft_id, kind, Part(Path(name).name[:200], path.name, weights_of))


def _suffix(kind: str, name: str) -> str:
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES[kind]:
        what = "a network" if kind == "network" else "data"
        expected = f"a file of {what}, {', '.join(SUFFIXES[kind])}"
        raise DataError(expected, repr(Path(name).name[:80]), "save it as one of these")
    return suffix


def _copy(content: IO[bytes], path: Path, left: int) -> None:
    n_bytes = 0
    with path.open("wb") as file:
        while chunk := content.read(CHUNK):
            n_bytes += len(chunk)
            check_room(n_bytes, left)
            file.write(chunk)
    if not n_bytes:
        raise DataError("a file with content", "an empty one", "choose the file again")


def choose(draft_id: str, kind: str, part: Part | None) -> None:
    """Makes it the network or the data of a draft; files that it no longer names go, and so does an earlier check.

    Raises:
        DataError: there is no such draft, or the folder cannot be written.
    """
    folder, draft = folder_of(draft_id), read_draft(draft_id)
    cancel(draft_id)
    draft = replace(draft, network=part) if kind == "network" else replace(draft, data=part)
    kept = {_DRAFT, *(each.file for each in (draft.network, draft.data) if each is not None)}
    if kind == "data" and draft.network is not None:
        kept.add(path_beside(folder / draft.network.file).name)
    write_record(folder / _DRAFT, replace(draft, check=""))
    for path in folder.iterdir():
        if path.name not in kept:
            path.unlink(missing_ok=True)


def start_check(draft_id: str) -> None:
    """Starts a process that checks the network on the data; an earlier check is forgotten.

    Raises:
        DataError: there is no such draft, or it lacks one of the two.
    """
    folder, draft = folder_of(draft_id), read_draft(draft_id)
    network, data = draft.network, draft.data
    if network is None or data is None:
        raise DataError("a network and data", "one of them", "drop the other one, too")
    cancel(draft_id)
    check = secrets.token_hex(4)
    write_record(folder / _DRAFT, replace(draft, check=check))
    Job("check", folder / check).start(network.reference(folder), f"--data={data.reference(folder)}")


def standing(draft_id: str) -> Standing:
    """Where the check of a draft stands.

    Raises:
        DataError: there is no such draft, or its report is missing or damaged.
    """
    job = _job(draft_id)
    status = None if job is None else job.status
    if job is None or status is None:
        return Standing(None)
    state = State.CANCELLED if job.is_cancelled else status.state
    status = replace(status, message=read_draft(draft_id).in_own_names(status.message))
    if state is not State.FINISHED:
        return Standing(state, status)
    return Standing(state, status, read_or_refuse(Report, job.file(REPORT), "the report of the check", "check again"))


def _job(draft_id: str) -> Job | None:
    """The check of a draft; None before there is one."""
    folder, check = folder_of(draft_id), read_draft(draft_id).check
    return Job("check", folder / Path(check).name) if check else None


def cancel(draft_id: str) -> None:
    """Ends the process that checks a draft, if there is one.

    Raises:
        DataError: there is no such draft.
    """
    job, found = _job(draft_id), standing(draft_id)
    if job is not None and found.state in workers.ACTIVE:
        job.cancel()


def remove(draft_id: str) -> None:
    """Removes a draft with its files."""
    with suppress(DataError):
        cancel(draft_id)
        shutil.rmtree(folder_of(draft_id), ignore_errors=True)
