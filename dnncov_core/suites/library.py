"""The user's measurements: their folder, and the workers that the app starts for them.

A measurement's id is the stem of its files: ``.asked`` what was asked, ``.status`` how far its worker is, ``.cancel`` a
request to end, ``.json`` the result, ``.csv`` its witnesses, ``.npz`` the test conditions that are not covered. Ids are
looked up among the files of the folder, never joined into a path.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dnncov_core import workers
from dnncov_core.campaign.library import viewable as viewable_campaigns
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DataError, SpecificationError, unknown_name, unwritable
from dnncov_core.example import with_example
from dnncov_core.outside_text import json_value
from dnncov_core.record_files import read_record
from dnncov_core.records import State
from dnncov_core.registry import data_names, networks
from dnncov_core.resources import home
from dnncov_core.suites.measurement_file import StoredMeasurement, write
from dnncov_core.suites.measurement_reader import read
from dnncov_core.suites.open_conditions import is_about, is_listed
from dnncov_core.suites.spec import MeasurementSpec

RESULT, ASKED, STATUS, CANCEL, OPEN = ".json", ".asked", ".status", ".cancel", ".npz"


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
    stem = viewable().get(measurement_id)
    if stem is None:
        raise DataError("the id of a measurement", repr(measurement_id), "choose one from the list of measurements")
    return stem.with_name(stem.name + suffix)


def standing(measurement_id: str) -> Standing:
    """Where a measurement stands; a worker that is gone without a result counts as interrupted.

    Raises:
        DataError: no such measurement, or its files cannot be read.
    """
    path = file_of(measurement_id, STATUS)
    status = read_status(path)
    if file_of(measurement_id, RESULT).exists():
        return Standing(State.FINISHED, open_measurement(measurement_id).spec, status)
    state = State.INTERRUPTED if status is None else status.now_of("measure", path.with_suffix(""))
    if state not in (State.FAILED, State.FINISHED) and file_of(measurement_id, CANCEL).exists():
        state = State.CANCELLED
    return Standing(state, _asked(measurement_id), status, status.message if status else "")


def _asked(measurement_id: str) -> MeasurementSpec:
    path = file_of(measurement_id, ASKED)
    try:
        return MeasurementSpec.read(json_value(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, SpecificationError) as error:
        got = f"{path.name}, which cannot be read"
        raise DataError("what a measurement was asked", got, "measure again") from error


def read_status(path: Path) -> workers.WorkerStatus | None:
    """A worker's status; None where there is none yet."""
    try:
        return read_record(workers.WorkerStatus, path, ignore_unknown=True)
    except (OSError, ValueError):
        return None


def write_status(path: Path | None, status: workers.WorkerStatus) -> bool:
    """Writes a worker's status; returns whether a file beside it that ends in ``.cancel`` asks the worker to stop.

    Args:
        path: the file; None for none.
        status: where the worker stands.

    Raises:
        DataError: it cannot be written.
    """
    if path is None:
        return False
    write(path, {**asdict(status), "state": status.state.value}, option="--status")
    return path.with_suffix(CANCEL).exists()


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
    write_status(stem.with_suffix(STATUS), workers.WorkerStatus.awaited())
    asked = {"out": RESULT, "open": OPEN, "status": STATUS, **({"witnesses": ".csv"} if witnesses else {})}
    files = [f"--{name}={stem}{suffix}" for name, suffix in asked.items()]
    workers.start("measure", stem, *files, *options)
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
    request = file_of(measurement_id, CANCEL)
    if file_of(measurement_id, RESULT).exists():
        return
    try:
        request.touch()
    except OSError as error:
        raise unwritable(error) from error
    workers.stop("measure", measurements()[measurement_id])
