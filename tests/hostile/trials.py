"""One run of the command on a file that was made to break it, in this process or in one of its own, and a verdict."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

from dnncov_core import cli
from tests import runs

SECONDS = 20.0
MEBIBYTES = 2048
CANARY = "canary"
"""The file that a hostile file creates in its folder if its code is executed."""
STATUSES = (0, 1, 2)
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Case:
    """A hostile file in its folder.

    Attributes:
        words: what was done to it.
        commands: arguments of ``dnncov``, run one after the other with the folder as working folder.
    """

    words: str
    commands: tuple[tuple[str, ...], ...]


Maker = Callable[[random.Random, Path], Case]
"""Writes one hostile file into an empty folder."""
KINDS = ("campaigns", "images", "measurements", "networks", "npz", "onnx_files", "registries")
"""The kinds of hostile files: the modules beside this one that have a `Maker` named ``make``."""


@dataclass(frozen=True)
class Trial:
    """What one run of the command did.

    Attributes:
        words: what was done to the file.
        command: arguments of ``dnncov``.
        status: exit status; None if it was ended from outside after `SECONDS`.
        errors: standard error.
        seconds: on the clock.
        mebibytes: the most memory that was held; 0 where it was not measured.
        executed: whether the file's code ran.
    """

    words: str
    command: tuple[str, ...]
    status: int | None
    errors: str
    seconds: float
    mebibytes: float
    executed: bool

    @property
    def fault(self) -> str:
        """What is wrong with how it ended; empty if it ended as it has to."""
        lines = [line for line in self.errors.replace("\r", "\n").splitlines() if line.startswith("dnncov")]
        said = {
            "code executed": self.executed,
            "hang": self.status is None,
            "traceback": "Traceback" in self.errors,
            "exit status": self.status not in (None, *STATUSES),
            "not one line": self.status == 2 and len(lines) != 1,
            "memory": self.mebibytes > MEBIBYTES,
        }
        return ", ".join(name for name, holds in said.items() if holds)


def case_of(kind: str, number: int, folder: Path) -> Case:
    """Hostile file ``number`` of a kind, written into the folder."""
    make: Maker = importlib.import_module(f"tests.hostile.{kind}").make
    return make(random.Random(number), folder)


def here(case: Case, folder: Path) -> Iterator[Trial]:
    """Runs a case's commands in this process, whose working folder must be the case's."""
    for command in case.commands:
        begun, errors = time.monotonic(), io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()), _alarm():
            status = _status(command)
        yield Trial(
            case.words, command, status, errors.getvalue(), time.monotonic() - begun, 0.0, (folder / CANARY).exists()
        )


def _status(command: tuple[str, ...]) -> int | None:
    try:
        return cli.main(command)
    except SystemExit as error:
        return int(error.code or 0)
    except _Late:
        return None
    except BaseException:
        traceback.print_exc()
        return 70


class _Late(BaseException):
    """The time is up."""


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def apart(kind: str, number: int) -> list[Trial]:
    """Runs the commands of hostile file ``number``, each in a process of its own, in a new folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        case = case_of(kind, number, folder)
        return [_one(case.words, command, folder) for command in case.commands]


def _one(words: str, command: tuple[str, ...], folder: Path) -> Trial:
    context = runs.processes()
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(command, folder, theirs), daemon=True)
    begun = time.monotonic()
    process.start()
    theirs.close()
    peak = 0.0
    while process.is_alive() and not ours.poll(POLL_SECONDS):
        peak = max(peak, _mebibytes(process.pid))
        if time.monotonic() - begun > SECONDS or peak > 4 * MEBIBYTES:
            process.kill()
    status, errors, most = _received(ours)
    seconds = time.monotonic() - begun
    process.join()
    if status is None and seconds < SECONDS:
        status = process.exitcode
    with contextlib.suppress(OSError):
        errors = errors or (folder / ".errors").read_text(errors="replace")
    return Trial(words, command, status, errors, seconds, max(peak, most), (folder / CANARY).exists())


def _received(ours: Connection) -> tuple[int | None, str, float]:
    try:
        received: tuple[int | None, str, float] = ours.recv()
        return received
    except EOFError:
        return None, "", 0.0


def _child(command: tuple[str, ...], folder: Path, theirs: Connection) -> None:
    import torch

    torch.set_num_threads(1)  # else two threads may ask for PyTorch's pool at once, which no fork has, and one fails
    os.chdir(folder)
    os.environ["DNNCOV_HOME"] = str(folder / "home")
    with open(".errors", "w") as errors, open(os.devnull, "w") as nowhere:
        os.dup2(errors.fileno(), 2)
        os.dup2(nowhere.fileno(), 1)
        sys.stderr, sys.stdout = errors, nowhere
        status = _status(command)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    theirs.send((status, Path(".errors").read_text(errors="replace"), peak))
    theirs.close()
    os._exit(status or 0)


def _mebibytes(pid: int) -> float:
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) / 1024
    return 0.0
