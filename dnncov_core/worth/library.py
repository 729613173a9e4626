"""The user's worths: their folder, the seeded faults beside it, and the workers that the app starts for them.

A worth's files are those of its id, beside those of its `Job` ``.worth``, what is measured. Ids are looked up among the
files of the folders, never joined into a path.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from dnncov_core import workers
from dnncov_core.errors import DataError
from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.faults.spec import SUFFIX as FAULTS
from dnncov_core.jobs import STATUS, Job
from dnncov_core.registry import data_names
from dnncov_core.resources import home
from dnncov_core.worth.spec import SUFFIX

WORTH = "worth"
"""The command of the workers, and the folder of their files; faults are in the folder of theirs."""


def worths() -> dict[str, Path]:
    """The user's worths by id, newest first: those measured, and those that a worker was started for."""
    found = [path for suffix in (SUFFIX, STATUS) for path in (home() / WORTH).glob(f"*{suffix}")]
    newest = workers.newest_first(found)
    return {path.stem: path.with_suffix(SUFFIX) for path in newest if not path.name.startswith(".")}


def fault_files() -> dict[str, Path]:
    """The user's files of seeded faults by id, newest first."""
    return {path.stem: path for path in workers.newest_first((home() / "faults").glob(f"*{FAULTS}"))}


def start(faults: str, reference: str | None) -> str:
    """Starts a worker that measures what coverage is worth, or goes on with what it left; returns the worth's id.

    Of one that is at work already no second one is started. Of seeded faults that have grown it is a new worth.

    Raises:
        DnncovError: no such faults or data, or a folder that cannot be written.
    """
    known = fault_files()
    if faults not in known:
        raise DataError("seeded faults of the folder of faults", repr(faults), "choose one from the list")
    if reference is not None and reference not in data_names():
        raise DataError("data of the list", repr(reference), "choose one from the list")
    with FaultFile(known[faults]) as file:
        asked = f"{file.fingerprint()} {reference or ''}"
    path = home() / WORTH / f"{faults}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}{SUFFIX}"
    given = [] if reference is None else [f"--reference={reference}"]
    job = Job(WORTH, path.with_suffix(""))
    if (status := job.status) is None or status.state not in workers.ACTIVE:
        job.start(f"--out={path}", *given, "--", str(known[faults]))
    return path.stem


def standing(worth_id: str) -> workers.WorkerStatus | None:
    """Where the worker of a worth stands; None if it never had one.

    Raises:
        DataError: no such worth.
    """
    return _job(worth_id).status


def cancel(worth_id: str) -> None:
    """Ends the worker of a worth; what is measured stays.

    Raises:
        DataError: no such worth, or a folder that cannot be written.
    """
    _job(worth_id).cancel()


def _job(worth_id: str) -> Job:
    found = worths().get(worth_id)
    if found is None:
        raise DataError("the id of a worth", repr(worth_id), "choose one from the list")
    return Job(WORTH, found.with_suffix(""))
