"""Visits of the app's pages with a hostile file in the user's folder: it is explained, and disturbs no other entry.

python -m tests.hostile.visits --files 200 [--first 0]
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests import builders
from tests.hostile import campaigns, measurements
from tests.hostile.values import changed
from tests.pages.looking import BESIDE_EACH_OTHER, RESULTS, entry, opened, words

HEALTHY, HOSTILE = "20260101-000001-healthy", "20260101-000002-hostile"


@dataclass(frozen=True)
class Visit:
    """A page by its address; ``healthy`` if the address names nothing hostile, so that no error may be there."""

    page: str
    address: tuple[tuple[str, str], ...]
    healthy: bool


CAMPAIGN = (
    *(Visit(path, (("campaign", HOSTILE),), False) for path in (entry("run"), *RESULTS)),
    Visit(entry("compare"), (("campaigns", f"{HEALTHY},{HOSTILE}"),), False),
    *(Visit(path, (), False) for path in BESIDE_EACH_OTHER),
    *(Visit(path, (("campaign", HEALTHY),), True) for path in (entry("run"), *RESULTS)),
    Visit(entry("compare"), (("campaigns", HEALTHY),), True),
    Visit(entry("measure"), (), True),
    Visit(entry("playground"), (), True),
)
MEASUREMENT = (
    Visit(entry("measure"), (("measurement", HOSTILE),), False),
    Visit(entry("overview"), (), False),
    Visit(entry("measure"), (("measurement", HEALTHY),), True),
    Visit(entry("compare"), (("campaigns", HEALTHY),), True),
)


@functools.cache
def healthy() -> bytes:
    """A campaign file."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "c.dnncov"
        builders.mixed(path).close()
        return path.read_bytes()


def furnish(home: Path) -> None:
    """A healthy campaign and measurement in the user's folder."""
    for kind in ("campaigns", "measurements"):
        (home / kind).mkdir(parents=True)
    (home / "campaigns" / f"{HEALTHY}.dnncov").write_bytes(healthy())
    (home / "measurements" / f"{HEALTHY}.json").write_bytes(measurements.whole())


ASKED = {"network": "toy", "suite": "toy", "criteria": "ss", "device": "cpu", "omega": 0.1}
STATUS = {"state": "running", "pid": 1, "beat": 1.8e9, "started": 1.8e9, "doing": "signs", "done": 1, "total": 2}


def hostile(number: int, home: Path) -> tuple[str, tuple[Visit, ...]]:
    """Puts hostile file ``number`` beside the healthy ones, and into the trash, with an odd note.

    Every fifth is one of a measurement, of these some without a result. Returns what was done, and where to look.
    """
    rng = random.Random(number)
    kind, suffix = ("campaigns", ".dnncov") if number % 5 else ("measurements", ".json")
    note, about = changed(rng, {"name": "mine", "text": "of last week"})
    with tempfile.TemporaryDirectory() as name:
        case = (campaigns if number % 5 else measurements).make(rng, Path(name))
        (written,) = (path for path in Path(name).iterdir() if path.is_file())
        for folder in (home / kind, home / "trash" / kind):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{HOSTILE}{suffix}").write_bytes(written.read_bytes())
            (folder / f"{HOSTILE}.note").write_text(json.dumps(note))
    if number % 10 == 0:
        (home / kind / f"{HOSTILE}{suffix}").unlink()
        for ending, whole in ((".asked", ASKED), (".status", STATUS)):
            value, more = changed(rng, whole)
            about = f"{about}, {ending}: {more}"
            (home / kind / f"{HOSTILE}{ending}").write_text(json.dumps(value))
    return f"{case.words}; note: {about}", CAMPAIGN if number % 5 else MEASUREMENT


def shown(test: AppTest) -> list[str]:
    """The lines of a page."""
    return words(test).splitlines()


@functools.cache
def undisturbed(visit: Visit) -> list[str]:
    """What a page of a healthy entry says where nothing hostile is beside it."""
    before = os.environ["DNNCOV_HOME"]
    with tempfile.TemporaryDirectory() as name:
        os.environ["DNNCOV_HOME"] = name
        furnish(Path(name))
        said = shown(opened(visit.page, **dict(visit.address)).run(timeout=60))
    os.environ["DNNCOV_HOME"] = before
    return said


def faults(visits: tuple[Visit, ...]) -> Iterator[str]:
    """What is wrong with what the pages show."""
    for visit in visits:
        begun = time.monotonic()
        where = f"{visit.page} {dict(visit.address)}"
        try:
            test: AppTest = opened(visit.page, **dict(visit.address)).run(timeout=60)
        except Exception:
            yield f"{where}: {traceback.format_exc()[-600:]}"
            continue
        for exception in test.exception:
            yield f"{where}: {exception.value} {' '.join(exception.stack_trace)[-700:]}"
        missing = set(undisturbed(visit)) - set(shown(test)) if visit.healthy else set()
        if missing or (visit.healthy and test.error):
            yield f"{where}: says {[error.value for error in test.error]} and does not say {missing}"
        if time.monotonic() - begun > 20:
            yield f"{where}: {time.monotonic() - begun:.0f} s"


def main() -> int:
    """Prints faults as they come, then how many there were."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.visits", description=__doc__)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    n, visited, longest = 0, 0, 0.0
    for number in range(options.first, options.first + options.files):
        with tempfile.TemporaryDirectory() as name:
            os.environ["DNNCOV_HOME"] = name
            furnish(Path(name))
            done, visits = hostile(number, Path(name))
            begun = time.monotonic()
            for fault in faults(visits):
                print(f"{number} ({done}): {fault}", flush=True)
                n += 1
            longest, visited = max(longest, time.monotonic() - begun), visited + len(visits)
    print(f"{options.files} files, {visited} visits, {n} faults; longest file {longest:.1f} s")
    return int(n > 0)


if __name__ == "__main__":
    sys.exit(main())
