"""How far a measurement's worker is: a small file, that the worker rewrites and the app reads."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from dnncov_core.records import State
from dnncov_core.suites.stored import write
from dnncov_core.workers import WorkerStatus

STATUS, CANCEL = ".status", ".cancel"


def read_status(path: Path) -> WorkerStatus | None:
    """The status; None where there is none yet."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return WorkerStatus(**{**fields, "state": State(fields["state"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_status(path: Path | None, status: WorkerStatus) -> bool:
    """Writes it; whether a file beside it that ends in ``.cancel`` asks the worker to stop.

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
