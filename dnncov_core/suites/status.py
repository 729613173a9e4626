"""How far a worker is: a small file, that the worker rewrites and the app reads."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dnncov_core.campaign.worker import when_input_closes, without_folders
from dnncov_core.errors import DnncovError
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.suites.stored import write

if TYPE_CHECKING:
    from dnncov_core.suites.measure import Progress

EVERY_SECONDS = 0.5
CANCELLED = 130


@dataclass(frozen=True)
class Status:
    """Where a worker stands.

    Attributes:
        pid: its process.
        beat: when it wrote this, in seconds since the epoch.
        started: when it began.
        doing: what it does, in words; empty while it loads.
        done: inputs sent through the network.
        total: of all that have to be; 0 while it loads.
        cancelled: whether it was told to stop.
        message: why it failed; empty if it did not.
    """

    pid: int
    beat: float
    started: float
    doing: str = ""
    done: int = 0
    total: int = 0
    cancelled: bool = False
    message: str = ""


def read_status(path: Path) -> Status | None:
    """The status; None where there is none yet."""
    try:
        return Status(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


@contextmanager
def reporting(path: Path | None, spec: MeasurementSpec, *, attended: bool) -> Iterator[Callable[[Progress], None]]:
    """Keeps the file as long as the work goes on; gives what is to be told of progress.

    Args:
        path: the file; None for none. A file beside it that ends in ``.cancel`` asks the worker to end.
        spec: what is measured; its folders do not get into messages.
        attended: end the process when standard input closes.
    """
    reporter = _Reporter(path)
    if attended:
        threading.Thread(target=when_input_closes, args=(reporter.exit,), daemon=True).start()
    try:
        with reporter.beating():
            yield reporter.tell
        reporter.write()
    except KeyboardInterrupt:
        reporter.write(cancelled=True)
        raise
    except Exception as error:
        text = str(error) if isinstance(error, DnncovError) else f"{type(error).__name__}: {error}"
        reporter.write(message=without_folders(text, spec.network, spec.suite, spec.reference))
        raise


class _Reporter:
    """Writes the file; its own thread does, so that it beats through long steps, at most twice a second."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._lock = path, threading.Lock()
        self._status = Status(os.getpid(), time.time(), time.time())

    def tell(self, progress: Progress) -> None:
        self._status = replace(self._status, doing=progress.doing, done=progress.done, total=progress.total)

    def write(self, *, cancelled: bool = False, message: str = "") -> None:
        if self._path is None:
            return
        with self._lock, suppress(DnncovError):  # a full disk, say: the work itself reports it
            status = replace(self._status, beat=time.time(), cancelled=cancelled, message=message)
            write(self._path, asdict(status), option="--status")

    def exit(self) -> None:
        """Ends the process at once: the files of a measurement are whole at any time."""
        self.write(cancelled=True)
        os._exit(CANCELLED)

    @contextmanager
    def beating(self) -> Iterator[None]:
        done = threading.Event()
        thread = threading.Thread(target=self._beat, args=(done,), daemon=True)
        if self._path is not None:
            thread.start()
        try:
            yield
        finally:
            done.set()
            if thread.is_alive():
                thread.join()

    def _beat(self, done: threading.Event) -> None:
        assert self._path is not None
        request = self._path.with_suffix(".cancel")
        self.write()
        while not done.wait(EVERY_SECONDS):
            if request.exists():
                self.exit()
            self.write()
