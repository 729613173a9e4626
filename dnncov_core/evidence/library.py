"""The packs that the app makes: their folder, and the workers that write them.

A pack's id is the stem of its files, ``.zip`` the pack. A pack is made anew from its campaigns at any time, so that it
stays for a day only.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from dnncov_core.campaign.file.moments import stamp_of
from dnncov_core.campaign.library import viewable as campaigns
from dnncov_core.errors import DataError
from dnncov_core.jobs import Job, stem_for_a_day
from dnncov_core.resources import home, how_to_install
from dnncov_core.suites.library import RESULT
from dnncov_core.suites.library import viewable as measurements

PACK = ".zip"
PACKAGES = ("onnx", "onnxruntime", "onnxscript", "reportlab")
"""What a pack needs beside the program's own packages."""


def missing() -> list[str]:
    """Packages that a pack needs and this machine lacks."""
    return [name for name in PACKAGES if find_spec(name) is None]


def need() -> None:
    """Refuses to make a pack, before any work, where a package is missing.

    Raises:
        DataError: one is.
    """
    if lacking := missing():
        expected = f"the packages {', '.join(PACKAGES)}, to make a pack"
        raise DataError(expected, f"no {', '.join(lacking)}", how_to_install(*lacking))


def start(kind: str, ids: Sequence[str]) -> str:
    """Starts a worker that makes the pack of some campaigns, or of a measurement; returns the pack's id.

    Raises:
        DataError: no such campaign or measurement, or a folder that cannot be written.
    """
    files = [str(_file(kind, each)) for each in ids]
    stem = stem_for_a_day("evidence")
    Job("evidence", stem).start(*files, f"--out={stem}{PACK}")
    return stem.name


def has_changed(kind: str, ids: Sequence[str], since: float) -> bool:
    """Whether a campaign of these, or the measurement, was written to later than that, in seconds since the epoch.

    Raises:
        DataError: no such campaign or measurement.
    """
    return any(changed / 1e9 > since for each in ids for _, changed, _ in stamp_of(_file(kind, each)))


def _file(kind: str, entry_id: str) -> Path:
    known = (
        campaigns()
        if kind == "campaign"
        else {key: stem.with_name(f"{key}{RESULT}") for key, stem in measurements().items()}
    )
    if entry_id not in known:
        raise DataError(f"the id of a {kind}", repr(entry_id), "choose one from the list")
    return known[entry_id]


def job_of(pack_id: str) -> Job:
    """The work on a pack; ``pack_id`` is one that `start` returned."""
    return Job("evidence", home() / "evidence" / pack_id)
