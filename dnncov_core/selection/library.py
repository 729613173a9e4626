"""The selections that the app makes: their folder, and the workers that make them.

A selection's id is the stem of its files: ``.json`` all of it, ``.npz`` the selected inputs. It is made anew from a
measurement's suite at any time, so that it stays for a day only.
"""

from __future__ import annotations

from pathlib import Path

from dnncov_core import workers
from dnncov_core.jobs import Job, stem_for_a_day
from dnncov_core.records import State
from dnncov_core.resources import home
from dnncov_core.selection.selection import Selection
from dnncov_core.selection.selection_file import read
from dnncov_core.suites.library import resolved
from dnncov_core.suites.spec import MeasurementSpec

RESULT, INPUTS = ".json", ".npz"


def start(spec: MeasurementSpec, *, by: str, criterion: str, budget: int) -> str:
    """Starts a worker that orders the suite of a measurement; returns the selection's id.

    Args:
        spec: of the measurement: network, suite and reference data.
        by: orders with commas; the first one selects.
        criterion: whose coverage is told along the orders.
        budget: inputs to select.

    Raises:
        DnncovError: a network or data without such a name, or a folder that cannot be written.
    """
    known = resolved(spec)
    stem = stem_for_a_day("selections")
    asked = {"pool": known.suite, "by": by, "criterion": criterion, "budget": budget, "device": known.device}
    files = {"result": f"{stem}{RESULT}", "out": f"{stem}{INPUTS}"}
    given = asked | files | ({} if known.reference is None else {"reference": known.reference})
    Job("select", stem).start(*(f"--{name}={value}" for name, value in given.items()), "--", known.network)
    return stem.name


def inputs_file(selection_id: str) -> Path:
    """The selected inputs, which need not exist; ``selection_id`` is one that `start` returned."""
    return home() / "selections" / f"{selection_id}{INPUTS}"


def open_selection(selection_id: str) -> Selection:
    """The selection.

    Raises:
        DataError: there is none.
    """
    return read(inputs_file(selection_id).with_suffix(RESULT))


def standing(selection_id: str) -> workers.WorkerStatus:
    """How far the worker of a selection is; one that is gone without its last word counts as interrupted."""
    status = Job("select", inputs_file(selection_id).with_suffix("")).status
    return status or workers.WorkerStatus(State.INTERRUPTED, None, 0.0, 0.0)
