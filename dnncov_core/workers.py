"""Worker processes: what the app does to start, stop and find them, and what they do to be found.

A worker is ``python -m dnncov_core COMMAND ... --attended``. Its standard input stays open as long as the process that
started it lives, and it ends when it closes. Where it stands, and how it ended, is kept where its results are: in the
campaign file, or beside the measurement. So both outlive it, and the app.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dnncov_core.errors import DataError, DnncovError
from dnncov_core.networks.reference import named_weights
from dnncov_core.records import State
from dnncov_core.registry import place_of
from dnncov_core.resources import home
from dnncov_core.types import Count, ProcessId, UnixTime

TARGETS_A_PROCESS = 40
"""Fewer test conditions are not worth the seconds that a process takes to start."""
HEARTBEAT_SECONDS = 0.5
STALE_SECONDS = 10.0
SILENT_SECONDS = 600.0
"""A worker that was silent for longer counts as gone though its process is there: stopped, or stuck for ever."""
COMMANDS = ("dnncov", "dnncov_core")
"""What the command line of a worker names, after folders."""
CANCELLED = 130
"""Exit status of a worker that was told to stop."""
ACTIVE = (State.WAITING, State.PREPARING, State.RUNNING)
"""States that change by themselves."""

_started: list[tuple[tuple[str, Path], subprocess.Popen[bytes]]] = []
"""Workers of this process with command and file; one that ends may have a successor already."""
_lock = threading.Lock()
"""Held while they change: sessions of the app are threads, and a worker whose pipe nobody holds any more ends."""


def new_stem(kind: str) -> Path:
    """A new name in the user's folder of this kind, without a suffix; names of later seconds come later.

    Raises:
        DataError: the folder cannot be written.
    """
    folder = home() / kind
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError("a folder that can be written", str(error.strerror), "choose another DNNCOV_HOME") from error
    return folder / f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"


def newest_first(files: Iterable[Path]) -> list[Path]:
    """Files of the user's folder by the time in the names that `new_stem` gives; of other names, by the file's time.

    Without files whose names are no text, which no page can show; see `no_text`.
    """

    def made(path: Path) -> str:
        if re.match(r"\d{8}-\d{6}-", path.name):
            return path.name
        try:
            seconds = path.stat().st_mtime
        except OSError:  # it has just gone
            seconds = 0.0
        return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(seconds))} {path.name}"

    files = list(files)
    return sorted(set(files) - set(no_text(files)), key=made, reverse=True)


def no_text(files: Iterable[Path]) -> list[Path]:
    """The files whose names have bytes that are no letters in UTF-8."""
    return [path for path in files if path.name != path.name.encode(errors="ignore").decode()]


def start(command: str, file: Path, *options: str) -> None:
    """Starts a worker with a command of `dnncov` and its options; by the file that it works on it is found again."""
    reap()
    worker = subprocess.Popen(
        [sys.executable, "-m", "dnncov_core", command, "--attended", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with _lock:
        _started.append(((command, file), worker))


def has_started(command: str, file: Path) -> bool:
    """Whether a worker that this process started is still there, however long a busy machine keeps it from beating."""
    reap()
    return any(job == (command, file) for job, _ in [*_started])


def is_there(command: str, file: Path, pid: int | None, beat: float | None) -> bool:
    """Whether a worker that this process may have started is there; one of its own counts by `SILENT_SECONDS` alone."""
    silent = beat is not None and time.time() - beat > SILENT_SECONDS
    return alive(pid, beat) or (has_started(command, file) and not silent)


def stop(command: str, file: Path) -> None:
    """Asks a worker to end, at once, if this process started it."""
    for job, worker in [*_started]:
        if job == (command, file) and worker.stdin is not None:
            worker.stdin.close()


def reap() -> None:
    """Collects workers that have ended, so that none stays behind as a zombie."""
    with _lock:
        _started[:] = [(job, worker) for job, worker in _started if worker.poll() is None]


def alive(pid: int | None, beat: float | None) -> bool:
    """Whether a worker is there: its process exists, and its last heartbeat is no more than `STALE_SECONDS` away.

    A heartbeat further in the future is of a clock that was set back since, and not of a worker that beats now. One
    that is longer ago, by no more than `SILENT_SECONDS`, counts where the process is known to have given it: a busy
    machine kept it from giving another.

    Without a process yet the heartbeat decides: it was when the worker was started.
    """
    if beat is None:
        return False
    recent = abs(time.time() - beat) <= STALE_SECONDS
    if pid is None or os.name != "posix":
        return recent
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return recent
    return recent or _has_given(pid, beat)


def _has_given(pid: int, beat: float) -> bool:
    """Whether a process is a worker that had begun when this heartbeat was given; known on Linux alone."""
    about = Path("/proc") / str(pid)
    try:
        words = about.joinpath("cmdline").read_text(errors="replace").split("\0")
        ticks = int(about.joinpath("stat").read_text(errors="replace").rpartition(")")[2].split()[19])
        now = time.time()  # before the uptime: a pause between the two may only make the process older
        seconds = float(Path("/proc/uptime").read_text().split()[0]) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return False
    begun = now - seconds - 1  # these are rounded
    return begun <= beat <= now <= beat + SILENT_SECONDS and any(Path(word).name in COMMANDS for word in words)


@dataclass(frozen=True)
class WorkerStatus:
    """Where a worker stands.

    Attributes:
        state: by its own word.
        pid: its process; None until it has begun.
        beat: when it wrote this, in seconds since the epoch.
        started: when it began.
        doing: what it does, in a word; empty while it loads.
        done: so many parts of that.
        total: how many parts there are; 0 while it loads.
        message: what came of it, or why it failed.
    """

    state: State
    pid: ProcessId | None
    beat: UnixTime
    started: UnixTime
    doing: str = ""
    done: Count = 0
    total: Count = 0
    message: str = ""

    @classmethod
    def awaited(cls) -> WorkerStatus:
        """The status of a worker that is being started."""
        return cls(State.WAITING, None, time.time(), time.time())

    @classmethod
    def begun(cls) -> WorkerStatus:
        """The status of this process when it begins to work."""
        return cls(State.PREPARING, os.getpid(), time.time(), time.time())

    @property
    def share(self) -> float:
        """The part of the work that is done, at most 1 whatever a file says; 0 while it loads."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    @property
    def now(self) -> State:
        """The state; a worker that is gone without its last word counts as interrupted."""
        return State.INTERRUPTED if self.state in ACTIVE and not alive(self.pid, self.beat) else self.state

    def now_of(self, command: str, file: Path) -> State:
        """The state where this process may have started the worker; see `is_there`."""
        return self.state if is_there(command, file, self.pid, self.beat) else self.now


class Reporter:
    """Writes a worker's status at every heartbeat."""

    def __init__(self, status: WorkerStatus, write: Callable[[WorkerStatus], bool]) -> None:
        self._status, self._write, self._lock = status, write, threading.Lock()

    def tell(self, doing: str, done: int, total: int) -> None:
        """Keeps how far the work is for the next status."""
        self._status = replace(self._status, state=State.RUNNING, doing=doing, done=done, total=total)

    def conclude(self, message: str) -> None:
        """Keeps what came of the work for the last status."""
        self._status = replace(self._status, message=message)

    def note(self, **last: Any) -> bool:
        """Writes where it stands, with these last words; whether somebody asked it to stop."""
        with self._lock, suppress(DnncovError):  # a full disk, say: the work itself reports it
            return self._write(replace(self._status, beat=time.time(), **last))
        return False

    def exit(self) -> None:
        """Ends the process at once: what it has stored is whole at any time."""
        self.note(state=State.CANCELLED)
        os._exit(CANCELLED)

    def beat(self, done: threading.Event) -> None:
        """Writes until it is done, and ends the process if somebody asks for that."""
        while True:
            if self.note():
                self.exit()
            if done.wait(HEARTBEAT_SECONDS):
                return


@contextmanager
def reporting(reporter: Reporter, *hidden: str | None, attended: bool) -> Iterator[Reporter]:
    """Reports as long as the work goes on, and how it ended.

    Args:
        reporter: is told of progress.
        hidden: networks and data whose folders do not get into messages.
        attended: end the process when standard input closes.
    """
    if attended:
        when_input_closes(reporter.exit)
    try:
        with beside(reporter.beat):
            yield reporter
    except KeyboardInterrupt:
        reporter.note(state=State.CANCELLED)
        raise
    except Exception as error:
        reporter.note(state=State.FAILED, message=reason(error, *hidden))
        raise
    reporter.note(state=State.FINISHED)


@contextmanager
def beside(do: Callable[[threading.Event], None]) -> Iterator[None]:
    """Does something else, in a thread of its own, while the work goes on; it gets what is set at the end."""
    done = threading.Event()
    thread = threading.Thread(target=do, args=(done,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def when_input_closes(then: Callable[[], object]) -> None:
    """Calls, in a thread of its own, when standard input closes."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1024):
                pass
        then()

    threading.Thread(target=wait, daemon=True).start()


def reason(error: Exception, *hidden: str | None) -> str:
    """Why work failed, without folders of this machine, since files with results are handed on.

    Left out are the working folder, the user's folder, and those of what is to be hidden.
    """
    message = str(error) if isinstance(error, DnncovError) else f"{type(error).__name__}: {error}"
    files = {named[1] if (named := named_weights(text)) else Path(text) for text in map(place_of, filter(None, hidden))}
    folders = {str(file.parent) for file in files} | {str(Path.cwd()), str(home())}
    for folder in sorted(folders - {"/", "."}, key=len, reverse=True):
        message = without(folder, message)
    return message


def without(folder: str, text: str) -> str:
    """The text with paths in a folder shortened by it; other folders whose names begin alike stay as they are.

    >>> without("/x/work", "no a.npz in /x/work; see /x/work/b.npz, /x/work-in/c.npz and /home/x/work/d.npz")
    'no a.npz in the working folder; see b.npz, /x/work-in/c.npz and /home/x/work/d.npz'
    """
    before, after = r"(?<![\w.~-])", r"(?=[\s;:,'\")\]]|\.?(\s|$))"
    inside = re.sub(rf"{before}{re.escape(folder + os.sep)}(?=\S)", "", text)
    return re.sub(rf"{before}{re.escape(folder)}{re.escape(os.sep)}?{after}", "the working folder", inside)
