"""Kills the command at random moments of each kind of work, and takes its file, its disk or its folder away.

    python -m tests.hostile.interruptions [--kills 200] [--only PHASE]

A campaign is killed up to `KILLS_EACH` times and then resumed to its end. It is a loss if a stored test pair is gone
after a kill, a difference if the finished campaign is not the one of a run that nobody disturbed, a left process if one
outlives its worker. Prints a row for each kind of work; the exit status is 1 if there was anything of that.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from dnncov_core import cli
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.run import LAST_STEP
from dnncov_core.campaign.work.worker import work
from dnncov_core.errors import DnncovError
from dnncov_core.records import State
from dnncov_core.workers import STALE_SECONDS
from tests import runs
from tests.campaign import old_versions

KILLS_EACH = 5
PATIENCE = 60.0
LEFT_AFTER = 10.0
"""Seconds after which a process that outlives its worker counts as left: one may be importing PyTorch just then."""
LP = CampaignSpec(
    network="mnist-n1", data="mnist", pairs=150, seeds=40, max_seeds=3, generator="lp", seed_order="random"
)
TARGETED = replace(LP, generator="targeted", batch=4, pairs=60, passes=60)
BASELINE = replace(TARGETED, pairs=60, batch=60, passes=40, seed_order="random")
PROOF = replace(LP, pairs=4, network="mnist-n2")


@dataclass(frozen=True)
class Phase:
    """A kind of work that is killed.

    Attributes:
        spec: of the campaign.
        begun: whether it is at it, by its file; a kill comes after that.
        seconds: a kill comes so much later at most.
        command: arguments of ``dnncov`` for the campaign file.
        kills: of 200.
        apart: whether the command gets a process that has imported nothing beforehand.
        before: makes the file that the command gets from a new campaign.
    """

    spec: CampaignSpec
    begun: Callable[[Path], bool]
    seconds: float
    command: Callable[[Path], tuple[str, ...]] = lambda path: ("resume", str(path))
    kills: int = 20
    apart: bool = False
    before: Callable[[Path], object] = lambda path: None


def _in_state(*states: State) -> Callable[[Path], bool]:
    return lambda path: runs.state_of(path) in states


def _some_done(path: Path) -> bool:
    return runs.state_of(path) is State.RUNNING and runs.done(path) > 0


def _last_step(path: Path) -> bool:
    with CampaignStore(path) as store:
        return store.state() is State.RUNNING and store.worker.message() == LAST_STEP


def _proving(path: Path) -> bool:
    with CampaignStore(path) as store:
        status = store.proof.status()
        return status is not None and status.now is State.RUNNING


def _at_once(_path: Path) -> bool:
    return True


def _finish(path: Path) -> None:
    work(path)


def _age(path: Path) -> None:
    """Makes it a file of the first version, of so many rows that its migration takes a while."""
    work(path)
    old = old_versions.write(path.with_suffix(".old"), path, 1)
    connection = sqlite3.connect(old)
    spec = CampaignSpec.from_json(old_versions.SPEC_1)
    connection.execute("UPDATE campaign SET spec = ?", (replace(spec, network="mnist-n1", data="mnist").to_json(),))
    names = [row[1] for row in connection.execute("PRAGMA table_info(attempt)") if row[1] != "place"]
    columns = ", ".join(names)
    connection.execute(
        f"INSERT INTO attempt (place, {columns}) SELECT 1000 + value, {columns} FROM attempt,"
        " (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 9000)"
        " SELECT value FROM n) WHERE place = 0"
    )
    connection.commit()
    connection.close()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    old.replace(path)


PHASES: Mapping[str, Phase] = {
    "preparing": Phase(LP, _in_state(State.PREPARING), 0.2, kills=30),
    "linear programming": Phase(LP, _some_done, 1.0, kills=40),
    "linear programming, two processes": Phase(
        LP, _some_done, 1.0, lambda path: ("resume", str(path), "--workers", "2"), kills=20, apart=True
    ),
    "gradient search": Phase(TARGETED, _some_done, 1.0, kills=30),
    "baseline searches": Phase(BASELINE, _last_step, 0.5, kills=20),
    "proof": Phase(PROOF, _proving, 1.0, lambda path: ("prove", str(path), "--time-limit", "20"), before=_finish),
    "export": Phase(
        LP, _at_once, 2.0, lambda path: ("export", str(path), "--out", str(path.parent / "out")), before=_finish
    ),
    "migration": Phase(LP, _at_once, 0.3, lambda path: ("show", str(path)), before=_age),
}


@dataclass
class Row:
    """What came of the kills of one phase."""

    kills: int = 0
    missed: int = 0
    lost: int = 0
    different: int = 0
    left: int = 0
    unclear: list[str] = field(default_factory=list)


def _content(path: Path) -> Any:
    """All of a finished campaign that must not depend on kills."""
    with CampaignStore(path) as store:
        searches = store.database.rows("SELECT * FROM control ORDER BY ordinal")
        certificates = sorted(str(replace(each, seconds=0.0)) for each in store.certificates.all())
    return runs.content(path), searches, certificates


def _pairs(path: Path) -> set[tuple[int, bytes]]:
    with CampaignStore(path) as store:
        return {(pair.target.ordinal, pair.x2.tobytes()) for pair in store.pairs.page()}


def _child(command: tuple[str, ...]) -> None:
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    sys.exit(cli.main(command))


class _Started:
    """A process of the command."""

    def __init__(self, command: tuple[str, ...], *, apart: bool) -> None:
        if apart:
            self._process: Any = runs.dnncov(*command)
        else:
            context: Any = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload(["tests.hostile.preloaded"])
            self._process = context.Process(target=_child, args=(command,))
            self._process.start()
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
        while (left := [pid for pid in family if _alive(pid)]) and time.monotonic() < end:
            time.sleep(0.05)
        return left

    def wait(self) -> None:
        if isinstance(self._process, subprocess.Popen):
            self._process.wait(PATIENCE)
        else:
            self._process.join(PATIENCE)


def _descendants(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    children = [int(line) for line in found.stdout.split()]
    return [*children, *(below for child in children for below in _descendants(child))]


def _alive(pid: int) -> bool:
    with suppress(OSError):
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    return False


def _exported(folder: Path) -> dict[str, str]:
    """Names of exported tables with digests of their content: figures carry dates."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.csv"))
    }


@functools.cache
def _unbroken(name: str, base: Path) -> tuple[Any, dict[str, str]]:
    path = _new(name, base / f"unbroken-{name.replace(' ', '-').replace(',', '')}")
    phase = PHASES[name]
    if phase.command(path)[0] == "resume":
        work(path)
    elif cli.main(phase.command(path)):
        raise RuntimeError(name)
    return _content(path), _exported(path.parent / "out")


_made: dict[str, bytes] = {}


def _new(name: str, folder: Path) -> Path:
    """A new campaign file in a new folder, as the phase's command finds it."""
    folder.mkdir()
    path = folder / "c.dnncov"
    if name not in _made:
        runs.create(path, PHASES[name].spec)
        PHASES[name].before(path)
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        _made[name] = path.read_bytes()
    path.write_bytes(_made[name])
    return path


def kill_often(name: str, kills: int, base: Path, number: int = signal.SIGKILL) -> Row:
    """Kills a phase so often, a few times each campaign, and compares each campaign's end."""
    phase, row, rng = PHASES[name], Row(), random.Random(f"{name} {number}")
    unbroken, exported = _unbroken(name, base)
    while row.kills < kills:
        path = _new(name, base / f"{row.kills}-{row.missed}-{name.replace(' ', '-').replace(',', '')}-{number}")
        for _ in range(min(KILLS_EACH, kills - row.kills)):
            if not _killed(phase, path, row, rng, number):
                break
        _end(phase, path, row, unbroken, exported)
        shutil.rmtree(path.parent)
    return row


def _killed(phase: Phase, path: Path, row: Row, rng: random.Random, number: int) -> bool:
    """One kill; False if the work was over before it came."""
    asked = "show" if phase.command(path)[0] == "show" else ""
    started = _Started(phase.command(path), apart=phase.apart)
    end = time.monotonic() + PATIENCE
    while not started.ended() and not (asked or phase.begun(path)):
        if time.monotonic() > end:
            row.unclear.append("never began")
            break
    time.sleep(rng.uniform(0, phase.seconds))
    before = set() if asked else _pairs(path)
    if started.ended():
        row.missed += 1
        started.wait()
        return False
    row.left += len(started.kill(number))
    row.kills += 1
    if not before <= _pairs(path):
        row.lost += 1
    with CampaignStore(path) as store:
        if store.state() in (State.PREPARING, State.RUNNING):
            row.unclear.append(f"{store.state().value} after it was killed")
    return True


def _end(phase: Phase, path: Path, row: Row, unbroken: Any, exported: Mapping[str, str]) -> None:
    with suppress(DnncovError):
        if phase.command(path)[0] == "resume":
            work(path)
        else:
            cli.main(phase.command(path))
    if _content(path) != unbroken or _exported(path.parent / "out") != exported:
        row.different += 1


@contextmanager
def small_disk(folder: Path, mebibytes: float) -> Iterator[Path]:
    """A disk of its own that is soon full; needs the right to mount."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={int(mebibytes * 1024)}k", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-dac_override") if os.getuid() == 0 else ()
"""Before a command: takes an administrator's right to write what cannot be written."""


def _ended(command: tuple[str, ...], *before: str) -> tuple[int, str]:
    """Exit status and last line of a run of the command that is left alone."""
    environment = {**os.environ, "PYTHONPATH": str(runs.ROOT), "OMP_NUM_THREADS": "1"}
    words = [*before, sys.executable, "-m", "dnncov_core", *command]
    ended = subprocess.run(words, env=environment, cwd=runs.ROOT, capture_output=True, timeout=300, check=False)
    return ended.returncode, _last_line(ended.stderr)


def _last_line(errors: bytes) -> str:
    text = errors.decode(errors="replace").replace("\r", "\n").strip()
    return ("TRACEBACK " if "Traceback" in text else "") + (text.splitlines() or [""])[-1]


def full_disk(base: Path) -> Iterator[str]:
    """A campaign on a disk that gets full at several sizes, and then gets room."""
    unbroken = _unbroken("linear programming", base)[0]
    for mebibytes in (0.2, 0.3, 0.4, 0.5):
        with small_disk(base / f"disk-{mebibytes}", mebibytes) as folder:
            path = _new("linear programming", folder / "campaigns")
            status, said = _ended(("resume", str(path)))
            stored = _pairs(path)
            saved = base / f"saved-{mebibytes}"
            shutil.copytree(folder / "campaigns", saved)
        kept = stored <= _pairs(saved / path.name)
        work(saved / path.name)
        same = _content(saved / path.name) == unbroken
        yield f"disk of {mebibytes} MiB: status {status}, {len(stored)} pairs kept {kept}, same end {same}: {said}"


def taken_away(base: Path) -> Iterator[str]:
    """The file is deleted, cut off or overwritten, its folder taken away, while a worker is at it."""
    ways: dict[str, Callable[[Path], object]] = {
        "deleted": lambda path: path.unlink(),
        "cut off to nothing": lambda path: os.truncate(path, 0),
        "cut off in the middle": lambda path: os.truncate(path, path.stat().st_size // 2),
        "overwritten": lambda path: path.write_bytes(b"x" * path.stat().st_size),
        "its folder removed": lambda path: shutil.rmtree(path.parent),
        "its folder renamed": lambda path: path.parent.rename(path.parent.with_name("renamed")),
    }
    for way, act in ways.items():
        path = _new("linear programming", base / f"away-{way.replace(' ', '-')}")
        process = runs.dnncov("resume", path, stderr=subprocess.PIPE)
        runs.until(lambda path=path: _some_done(path))  # type: ignore[misc]
        act(path)
        begun = time.monotonic()
        try:
            _, errors = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            yield f"{way}: still at work after 120 s"
            continue
        yield f"{way}: status {process.returncode} after {time.monotonic() - begun:.0f} s: {_last_line(errors)}"


def read_only(base: Path) -> Iterator[str]:
    """Files and folders in which nothing can be changed, for somebody without an administrator's rights."""
    path = _new("export", base / "read-only")
    path.chmod(0o444)
    path.parent.chmod(0o555)
    home = base / "read-only-home"
    home.mkdir()
    home.chmod(0o555)
    os.environ["DNNCOV_HOME"] = str(home)
    commands: dict[str, tuple[str, ...]] = {
        "show": ("show", str(path)),
        "gaps": ("gaps", str(path)),
        "verify": ("verify", str(path)),
        "cancel": ("cancel", str(path)),
        "resume": ("resume", str(path)),
        "prove": ("prove", str(path)),
        "export into it": ("export", str(path), "--out", str(path.parent / "out")),
        "run into it": ("run", "toy", "--out", str(path.parent / "new.dnncov")),
        "measure into it": ("measure", "toy", "--suite", "toy", "--out", str(path.parent / "m.json")),
    }
    before = path.read_bytes()
    for name, command in commands.items():
        status, said = _ended(command, *WITHOUT_RIGHTS)
        yield f"{name}: status {status}, file unchanged {path.read_bytes() == before}: {said}"


def processes_mistaken(base: Path) -> Iterator[str]:
    """The file says that a worker is at it: one that is gone, another program with its number, one that is silent."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    for name, pid, age, free in (
        ("a process that is gone", gone.pid, 0.0, True),
        ("another process, silent for long", os.getpid(), STALE_SECONDS + 1, True),
        ("another process, a moment ago", 1, 0.0, False),
        ("another process, an hour in the future", os.getpid(), -3600.0, True),
    ):
        path = _new("linear programming", base / f"pid-{name.replace(' ', '-').replace(',', '')}")
        connection = sqlite3.connect(path)
        connection.execute("UPDATE worker SET state = 'running', pid = ?, heartbeat = ?", (pid, time.time() - age))
        connection.commit()
        connection.close()
        status, said = _ended(("resume", str(path)))
        yield f"{name}: status {status}, as it should {(status == 0) is free}: {said}"


OTHERS: Mapping[str, Callable[[Path], Iterator[str]]] = {
    "full disk": full_disk,
    "taken away": taken_away,
    "read only": read_only,
    "processes mistaken": processes_mistaken,
}


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.interruptions", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--only", choices=(*PHASES, "signals", *OTHERS))
    options = parser.parse_args()
    bad, said = 0, sys.stdout
    with (
        open(os.devnull, "w") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
        tempfile.TemporaryDirectory() as name,
    ):
        base = Path(name).resolve()
        base.chmod(0o755)
        os.environ["DNNCOV_HOME"] = str(base / "home")
        for phase in PHASES:
            if options.only in (None, phase):
                kills = max(1, round(PHASES[phase].kills * options.kills / 200))
                bad += _said(said, f"{phase}, SIGKILL", kill_often(phase, kills, base))
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            if options.only in (None, "signals"):
                row = kill_often("linear programming", max(1, options.kills // 20), base, number)
                bad += _said(said, f"linear programming, {number.name}", row)
        for what, act in OTHERS.items():
            if options.only in (None, what):
                for line in act(base):
                    print(f"{what}: {line}", file=said, flush=True)
                    bad += "TRACEBACK" in line or "False" in line
    return int(bool(bad))


def _said(out: TextIO, title: str, row: Row) -> int:
    words = json.dumps(row.unclear[:5]) if row.unclear else ""
    print(
        f"{title}: {row.kills} kills ({row.missed} came too late), {row.lost} with a loss, "
        f"{row.different} different ends, {row.left} processes left {words}",
        file=out,
        flush=True,
    )
    return row.lost + row.different + row.left + len(row.unclear)


if __name__ == "__main__":
    sys.exit(main())
