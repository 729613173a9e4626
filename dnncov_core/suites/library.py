"""The user's measurements: their folder, and the workers that the app starts for them.

A measurement's id is the stem of its files: beside those of its `Job` ``.asked`` what was asked, ``.json`` the result,
``.csv`` its witnesses, ``.npz`` the test conditions that are not covered. Ids are looked up among the files of the
folder, never joined into a path.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dnncov_core import workers
from dnncov_core.campaign.library import viewable as viewable_campaigns
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DataError, SpecificationError, unknown_name
from dnncov_core.example import with_example
from dnncov_core.jobs import Job
from dnncov_core.outside_text import json_value
from dnncov_core.records import State
from dnncov_core.registry import data_names, networks
from dnncov_core.resources import home
from dnncov_core.suites.measurement_file import StoredMeasurement, write
from dnncov_core.suites.measurement_reader import read
from dnncov_core.suites.open_conditions import is_about, is_listed
from dnncov_core.suites.spec import MeasurementSpec

RESULT, ASKED, OPEN = ".json", ".asked", ".npz"
MEASURE = "measure"
"""The command of the workers."""


@dataclass(frozen=True)
class Standing:
    """Where a measurement stands.

    Attributes:
        state: waiting, preparing, running, interrupted, cancelled, failed or finished.
        spec: what was asked.
        status: what its worker last wrote; None where only the result is there.
        message: why it failed; empty if it did not.
    """

    state: State
    spec: MeasurementSpec
    status: workers.WorkerStatus | None
    message: str = ""


def measurements() -> dict[str, Path]:
    """The stems of the user's measurements' files by id, newest first."""
    workers.reap()
    folder = home() / "measurements"
    found = [path for suffix in (RESULT, ASKED) for path in folder.glob(f"*{suffix}") if path.is_file()]
    stems = [path.stem for path in workers.newest_first(found)]
    return {stem: folder / stem for stem in stems if not stem.startswith(".")}


def viewable() -> dict[str, Path]:
    """The stems of the user's measurements, and last that of the program's own example, unless it is hidden."""
    return with_example(measurements(), "")


def open_measurement(measurement_id: str) -> StoredMeasurement:
    """The result of a measurement.

    Raises:
        DataError: no such measurement, or no result that can be read.
    """
    return read(file_of(measurement_id, RESULT))


def measurement_behind(spec: CampaignSpec) -> str | None:
    """The id of the newest measurement that left open what a campaign asks; None where there is none, or none left."""
    for measurement_id in viewable() if spec.suite_gaps is not None else ():
        try:
            found = open_measurement(measurement_id)
        except DataError:
            continue
        if any(each.total and is_listed(each.text) and is_about(spec, found, each) for each in found.criteria):
            return measurement_id
    return None


def file_of(measurement_id: str, suffix: str) -> Path:
    """One of a measurement's files, which need not exist.

    Raises:
        DataError: no such measurement.
    """
    return _job(measurement_id).file(suffix)


def _job(measurement_id: str) -> Job:
    stem = viewable().get(measurement_id)
    if stem is None:
        raise DataError("the id of a measurement", repr(measurement_id), "choose one from the list of measurements")
    return Job(MEASURE, stem)


def standing(measurement_id: str) -> Standing:
    """Where a measurement stands; a worker that is gone without a result counts as interrupted.

    Raises:
        DataError: no such measurement, or its files cannot be read.
    """
    job = _job(measurement_id)
    status = job.status
    if job.file(RESULT).exists():
        return Standing(State.FINISHED, open_measurement(measurement_id).spec, status)
    state = State.INTERRUPTED if status is None else status.state
    if state not in (State.FAILED, State.FINISHED) and job.is_cancelled:
        state = State.CANCELLED
    return Standing(state, _asked(measurement_id), status, status.message if status else "")


def _asked(measurement_id: str) -> MeasurementSpec:
    path = file_of(measurement_id, ASKED)
    try:
        return MeasurementSpec.read(json_value(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, SpecificationError) as error:
        got = f"{path.name}, which cannot be read"
        raise DataError("what a measurement was asked", got, "measure again") from error


def start(spec: MeasurementSpec, *, witnesses: bool = False) -> str:
    """Starts a worker; returns the measurement's id.

    Args:
        spec: names of networks and data that are embedded or registered; the suite may be the file name of one of the
            user's campaigns, ``ID.dnncov``.
        witnesses: whether the worker writes them too.

    Raises:
        SpecificationError: something that cannot be measured, or a network without such a name.
        DataError: data without such a name, or a folder that cannot be written.
        CampaignError: a campaign without such an id.
    """
    spec.asked()
    options = resolved(spec).options
    stem = workers.new_stem("measurements")
    write(stem.with_suffix(ASKED), asdict(spec), option="DNNCOV_HOME")
    asked = {"out": RESULT, "open": OPEN, **({"witnesses": ".csv"} if witnesses else {})}
    Job(MEASURE, stem).start(*(f"--{name}={stem}{suffix}" for name, suffix in asked.items()), *options)
    return stem.name


def resolved(spec: MeasurementSpec) -> MeasurementSpec:
    """The specification with the path of its campaign.

    Nothing else in it may be a path, so that nobody names code or files through the app.
    """
    if spec.network not in networks():
        raise unknown_name("network", spec.network, networks())
    known = data_names()
    if spec.reference is not None and spec.reference not in known:
        raise DataError(f"reference data, one of {', '.join(known)}", repr(spec.reference), "choose one of these names")
    if spec.suite in known:
        return spec
    path = {file.name: file for file in viewable_campaigns().values()}.get(spec.suite)
    if path is None:
        expected = f"a suite, one of {', '.join(known)}, or a campaign"
        raise DataError(expected, repr(spec.suite), "choose one of these names")
    return replace(spec, suite=str(path))


def cancel(measurement_id: str) -> None:
    """Ends a measurement's worker: its own at once, one that another process started within a second.

    Raises:
        DataError: no such measurement, or a folder that cannot be written.
    """
    job = _job(measurement_id)
    if not job.file(RESULT).exists():
        job.cancel()
