"""Jobs of the app: a worker that keeps where it stands in files, and what the app asks of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from dnncov_core import workers
from dnncov_core.errors import unwritable
from dnncov_core.record_files import read_record, write_whole
from dnncov_core.workers import Reporter, WorkerStatus

STATUS, CANCEL = ".status", ".cancel"
DAY = 86_400.0
"""In seconds: how long files stay that can be made anew at any time."""


@dataclass(frozen=True)
class Job:
    """The work of one worker.

    Attributes:
        command: of `dnncov`, with a hidden option ``--status``.
        stem: what its files have in common: ``.status`` how far the worker is, ``.cancel`` a request to end, and with
            other suffixes what comes of it.
    """

    command: str
    stem: Path

    def file(self, suffix: str) -> Path:
        """One of its files, which need not exist."""
        return self.stem.with_name(f"{self.stem.name}{suffix}")

    @property
    def status(self) -> WorkerStatus | None:
        """Where the worker stands; None before it was started. See `WorkerStatus.now_of`."""
        try:
            status = read_record(WorkerStatus, self.file(STATUS), ignore_unknown=True)
        except (OSError, ValueError):
            return None
        return replace(status, state=status.now_of(self.command, self.stem))

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked the worker to end."""
        return self.file(CANCEL).exists()

    def start(self, *options: str) -> None:
        """Starts a worker with these options; an earlier request to end is forgotten.

        Raises:
            DataError: the folder cannot be written.
        """
        try:
            self.stem.parent.mkdir(parents=True, exist_ok=True)
            self.file(CANCEL).unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(error) from error
        write_status(self.file(STATUS), WorkerStatus.awaited())
        workers.start(self.command, self.stem, f"--status={self.file(STATUS)}", *options)

    def cancel(self) -> None:
        """Ends the worker: its own at once, one that another process started within a second.

        Raises:
            DataError: the folder cannot be written.
        """
        try:
            self.file(CANCEL).touch()
        except OSError as error:
            raise unwritable(error) from error
        workers.stop(self.command, self.stem)


def stem_for_a_day(kind: str) -> Path:
    """A new stem in the user's folder of this kind, where older files of other jobs are removed.

    Raises:
        DataError: the folder cannot be written.
    """
    stem = workers.new_stem(kind)
    remove_old(stem.parent.glob("*-*.*"), DAY)
    return stem


def remove_old(files: Iterable[Path], seconds: float) -> None:
    """Removes those of these files that nobody has written to for so long."""
    for file in files:
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > seconds:
                file.unlink()


def write_status(path: Path | None, status: WorkerStatus) -> bool:
    """Writes where a worker stands into its file, if it has one; returns whether somebody asks the worker to end.

    Raises:
        DataError: it cannot be written.
    """
    if path is None:
        return False
    try:
        write_whole(path, json.dumps({**asdict(status), "state": status.state.value}))
    except OSError as error:
        raise unwritable(error) from error
    return path.with_suffix(CANCEL).exists()


@contextmanager
def reporting(path: Path | None, *hidden: str | None, attended: bool) -> Iterator[Reporter]:
    """Reports into a file as long as the work goes on, and how it ended; see `workers.reporting`."""
    reporter = Reporter(WorkerStatus.begun(), partial(write_status, path))
    with workers.reporting(reporter, *hidden, attended=attended):
        yield reporter
