"""The selections that the app makes: their folder, and the workers that make them.

A selection's id is the stem of its files: ``.json`` all of it, ``.npz`` the selected inputs, ``.status`` how far its
worker is. It is made anew from a measurement's suite at any time, so that it stays for a day only.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from dnncov_core import workers
from dnncov_core.records import State
from dnncov_core.resources import home
from dnncov_core.selection.selection import Selection
from dnncov_core.selection.selection_file import read
from dnncov_core.suites.library import read_status, resolved, write_status
from dnncov_core.suites.spec import MeasurementSpec

RESULT, INPUTS, STATUS = ".json", ".npz", ".status"
KEPT_SECONDS = 86_400.0


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
    stem = workers.new_stem("selections")
    for old in stem.parent.glob("*-*.*"):
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > KEPT_SECONDS:
                old.unlink()
    write_status(stem.with_suffix(STATUS), workers.WorkerStatus.awaited())
    asked = {"pool": known.suite, "by": by, "criterion": criterion, "budget": budget, "device": known.device}
    files = {"result": f"{stem}{RESULT}", "out": f"{stem}{INPUTS}", "status": f"{stem}{STATUS}"}
    given = asked | files | ({} if known.reference is None else {"reference": known.reference})
    workers.start("select", stem, *(f"--{name}={value}" for name, value in given.items()), "--", known.network)
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
    stem = inputs_file(selection_id).with_suffix("")
    status = read_status(stem.with_suffix(STATUS)) or workers.WorkerStatus(State.INTERRUPTED, None, 0.0, 0.0)
    return replace(status, state=status.now_of("select", stem))
