"""Kills the command at random moments of each kind of work.

    python -m tests.hostile.kills [--kills 200] [--only PHASE]

A campaign is killed up to `KILLS_EACH` times and then resumed to its end. It is a loss if a stored test pair is gone
after a kill, a difference if the finished campaign is not the one of a run that nobody disturbed, a left process if one
outlives its worker. Prints a row for each kind of work; the exit status is 1 if there was anything of that.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dnncov_core import cli
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.worker import work
from dnncov_core.errors import DnncovError
from dnncov_core.records import State
from tests import runs
from tests.hostile.phases import PHASES, Phase, content, exported, new, pairs, unbroken

KILLS_EACH = 5
PATIENCE = 60.0
LEFT_AFTER = 10.0
"""Seconds after which a process that outlives its worker counts as left: one may be importing PyTorch just then."""
SIGNALS: Mapping[str, signal.Signals] = {each.name: each for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
"""Beside SIGKILL, in one phase."""
SIGNALLED = "linear programming"


@dataclass
class Row:
    """What came of the kills of one phase."""

    kills: int = 0
    missed: int = 0
    lost: int = 0
    different: int = 0
    left: int = 0
    unclear: list[str] = field(default_factory=list)

    @property
    def bad(self) -> int:
        """How much of it must not be."""
        return self.lost + self.different + self.left + len(self.unclear)

    def __str__(self) -> str:
        unclear = f"; {'; '.join(self.unclear[:5])}" if self.unclear else ""
        return (
            f"{self.kills} kills ({self.missed} more came too late), {self.lost} with a loss,"
            f" {self.different} different ends, {self.left} processes left{unclear}"
        )


class _Started:
    """A process of the command."""

    def __init__(self, command: tuple[str, ...], *, apart: bool) -> None:
        self._process: Any = runs.dnncov(*command) if apart else runs.forked(runs.command, *command)
        self.pid: int = self._process.pid

    def ended(self) -> bool:
        process = self._process
        return process.poll() is not None if isinstance(process, subprocess.Popen) else not process.is_alive()

    def kill(self, number: int) -> list[int]:
        """Sends a signal, waits for the end, and returns processes that outlive it by `LEFT_AFTER`."""
        family = _descendants(self.pid)
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)
        self.wait()
        end = time.monotonic() + runs.allowed(LEFT_AFTER)
        while (left := [pid for pid in family if runs.alive(pid)]) and time.monotonic() < end:
            time.sleep(0.05)
        return left

    def wait(self) -> None:
        if isinstance(self._process, subprocess.Popen):
            self._process.wait(PATIENCE)
        else:
            self._process.join(PATIENCE)


def _descendants(pid: int) -> list[int]:
    children = runs.children_of(pid)
    return [*children, *(below for child in children for below in _descendants(child))]


def kill_often(name: str, kills: int, base: Path, number: int = signal.SIGKILL) -> Row:
    """Kills a phase so often, a few times each campaign, and compares each campaign's end."""
    phase, row, rng = PHASES[name], Row(), random.Random(f"{name} {number}")
    whole, files = unbroken(name, base)
    while row.kills < kills:
        path = new(name, base / f"{row.kills}-{row.missed}-{name.replace(' ', '-').replace(',', '')}-{number}")
        for _ in range(min(KILLS_EACH, kills - row.kills)):
            if not _killed(phase, path, row, rng, number):
                break
        _end(phase, path, row, whole, files)
        shutil.rmtree(path.parent)
    return row


def _killed(phase: Phase, path: Path, row: Row, rng: random.Random, number: int) -> bool:
    """One kill; False if the work was over before it came."""
    started = _Started(phase.command(path), apart=phase.apart)
    end = time.monotonic() + PATIENCE
    while not started.ended() and not (not phase.watched or phase.begun(path)):
        if time.monotonic() > end:
            row.unclear.append("never began")
            break
    time.sleep(rng.uniform(0, phase.seconds))
    before = pairs(path) if phase.watched else set()
    if started.ended():
        row.missed += 1
        started.wait()
        return False
    row.left += len(started.kill(number))
    row.kills += 1
    if not before <= pairs(path):
        row.lost += 1
    with CampaignStore(path) as store:
        if store.state() in (State.PREPARING, State.RUNNING):
            row.unclear.append(f"{store.state().value} after it was killed")
    return True


def _end(phase: Phase, path: Path, row: Row, whole: Any, files: Mapping[str, str]) -> None:
    with suppress(DnncovError):
        if phase.command(path)[0] == "resume":
            work(path)
        else:
            cli.main(phase.command(path))
    if content(path) != whole or exported(path.parent / "out") != files:
        row.different += 1


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--only", choices=(*PHASES, *SIGNALS))
    options = parser.parse_args()
    asked = [(phase, signal.SIGKILL, round(PHASES[phase].kills * options.kills / 200)) for phase in PHASES]
    asked += [(SIGNALLED, number, options.kills // 20) for number in SIGNALS.values()]
    bad, out = 0, sys.stdout
    with (
        open(os.devnull, "w") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
        tempfile.TemporaryDirectory() as name,
    ):
        os.environ["DNNCOV_HOME"] = str(Path(name) / "home")
        for phase, number, kills in asked:
            if options.only in (None, phase, number.name):
                row = kill_often(phase, max(1, kills), Path(name).resolve(), number)
                print(f"{phase}, {number.name}: {row}", file=out, flush=True)
                bad += row.bad
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
