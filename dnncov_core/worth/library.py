"""The user's worths: their folder, the seeded faults beside it, and the workers that the app starts for them.

A worth's files are those of its id, beside those of its `Job` ``.worth``, what is measured. Ids are looked up among the
files of the folders, never joined into a path.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from dnncov_core import workers
from dnncov_core.errors import DataError
from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.faults.spec import SUFFIX as FAULTS
from dnncov_core.jobs import STATUS, Job
from dnncov_core.records import State
from dnncov_core.registry import data_names, networks
from dnncov_core.resources import home
from dnncov_core.worth.spec import SUFFIX

WORTH = "worth"
"""The command of the workers, and the folder of their files."""
SEEDING = "faults"
"""Likewise of the workers that seed faults."""


def worths() -> dict[str, Path]:
    """The user's worths by id, newest first: those measured, and those that a worker was started for."""
    found = [path for suffix in (SUFFIX, STATUS) for path in (home() / WORTH).glob(f"*{suffix}")]
    newest = workers.newest_first(found)
    return {path.stem: path.with_suffix(SUFFIX) for path in newest if not path.name.startswith(".")}


def fault_files() -> dict[str, Path]:
    """The user's files of seeded faults by id, newest first, without those that a worker has not finished."""
    found, unfinished = workers.newest_first((home() / SEEDING).glob(f"*{FAULTS}")), seeding()
    return {path.stem: path for path in found if path.stem not in unfinished}


def seed(network: str, data: str) -> str:
    """Starts a worker that seeds faults, or goes on with what it left; returns the faults' id.

    Raises:
        DataError: no such network or data, or a folder that cannot be written.
    """
    known = networks()
    if network not in known or data not in data_names():
        raise DataError("network and data of the lists", f"{network!r} and {data!r}", "choose them from the lists")
    card = known[network]
    parts = [network, data, *([] if card is None else [card.fingerprint[:8]])]
    job = Job(SEEDING, home() / SEEDING / re.sub(r"[^\w.-]", "-", "-".join(parts)))
    if (status := job.status) is None or status.state not in workers.ACTIVE:
        job.start(f"--suite={data}", f"--out={job.file(FAULTS)}", "--", network)
    return job.stem.name


def seeding() -> dict[str, workers.WorkerStatus]:
    """Where the app's workers stand that have not seeded all their faults, by the faults' id."""
    found = {path.stem: Job(SEEDING, path.with_suffix("")).status for path in (home() / SEEDING).glob(f"*{STATUS}")}
    return {each: status for each, status in found.items() if status and status.state is not State.FINISHED}


def cancel_seeding(faults: str) -> None:
    """Ends the worker that seeds these faults; its mutants stay.

    Raises:
        DataError: it is at work no longer, or a folder that cannot be written.
    """
    if faults not in seeding():
        raise DataError("faults that are being seeded", repr(faults), "choose one from the list")
    Job(SEEDING, home() / SEEDING / faults).cancel()


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
