"""Takes a campaign's file, its disk or its folder away, or the right to write, or lets it name a process that is none.

    python -m tests.hostile.losses [--only NAME]

Prints what came of each; the exit status is 1 if something was lost, or not said in one line. Needs Linux, and for the
full disk the right to mount.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dnncov_core.campaign.work.worker import work
from dnncov_core.workers import STALE_SECONDS
from tests import runs
from tests.hostile.phases import content, new, pairs, some_done, unbroken

CAMPAIGN = "linear programming"
"""The phase whose campaigns are used."""
Findings = Iterator[tuple[bool, str]]
"""Whether it is as it has to be, and what it is in words."""


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
    process = runs.dnncov(*command, before=before, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _, errors = process.communicate(timeout=300)
    return process.returncode, _last_line(errors)


def _last_line(errors: bytes) -> str:
    text = errors.decode(errors="replace").replace("\r", "\n").strip()
    return "a traceback" if "Traceback" in text else (text.splitlines() or [""])[-1]


def is_clear(said: str) -> bool:
    """Whether the last line says what is wrong."""
    return said.startswith("dnncov") and "got " in said


def full_disk(base: Path) -> Findings:
    """A campaign on a disk that gets full at several sizes, and then gets room."""
    whole = unbroken(CAMPAIGN, base)[0]
    for mebibytes in (0.2, 0.3, 0.4, 0.5):
        with small_disk(base / f"disk-{mebibytes}", mebibytes) as folder:
            path = new(CAMPAIGN, folder / "campaigns")
            status, said = _ended(("resume", str(path)))
            stored = pairs(path)
            saved = base / f"saved-{mebibytes}"
            shutil.copytree(folder / "campaigns", saved)
        kept = stored <= pairs(saved / path.name)
        work(saved / path.name)
        same = content(saved / path.name) == whole
        words = f"disk of {mebibytes} MiB: status {status}, {len(stored)} test pairs stored: {said}"
        yield status == 2 and kept and same and is_clear(said), words


def taken_away(base: Path) -> Findings:
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
        path = new(CAMPAIGN, base / f"away-{way.replace(' ', '-')}")
        process = runs.dnncov("resume", path, stderr=subprocess.PIPE)
        runs.until(lambda path=path: some_done(path))  # type: ignore[misc]
        act(path)
        begun = time.monotonic()
        try:
            _, errors = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            yield False, f"{way}: still at work after 120 s"
            continue
        said = _last_line(errors)
        seconds = time.monotonic() - begun
        yield (
            process.returncode == 2 and is_clear(said),
            f"{way}: status {process.returncode} after {seconds:.0f} s: {said}",
        )


def read_only(base: Path) -> Findings:
    """Folders in which nothing can be changed, with a file that could be or not, for somebody with usual rights."""
    home = base / "read-only-home"
    home.mkdir(mode=0o555)
    os.environ["DNNCOV_HOME"] = str(home)
    for mode in (0o444, 0o644):
        path = new("export", base / f"read-only-{mode:o}")
        path.chmod(mode)
        path.parent.chmod(0o555)
        before = path.read_bytes()
        commands: dict[tuple[str, ...], int] = {
            ("show", str(path)): 0,
            ("gaps", str(path)): 0,
            ("verify", str(path)): 0,
            ("cancel", str(path)): 0,
            ("resume", str(path)): 0,
            ("prove", str(path)): 2,
            ("export", str(path), "--out", str(path.parent / "out")): 2,
            ("run", "toy", "--out", str(path.parent / "new.dnncov")): 2,
            ("measure", "toy", "--suite", "toy", "--out", str(path.parent / "m.json")): 2,
        }
        for command, expected in commands.items():
            status, said = _ended(command, *WITHOUT_RIGHTS)
            holds = status == expected and path.read_bytes() == before and (status == 0 or is_clear(said))
            yield holds, f"{command[0]}, file {mode:o}: status {status}: {said.replace(str(base), '')}"


def processes_mistaken(base: Path) -> Findings:
    """The file says that a worker is at it: one that is gone, another program with its number, one that is silent."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    for name, pid, age, free in (
        ("a process that is gone", gone.pid, 0.0, True),
        ("another process, silent for long", os.getpid(), STALE_SECONDS + 1, True),
        ("another process, a moment ago", 1, 0.0, False),
        ("another process, an hour in the future", os.getpid(), -3600.0, True),
    ):
        path = new(CAMPAIGN, base / f"pid-{name.replace(' ', '-').replace(',', '')}")
        connection = sqlite3.connect(path)
        connection.execute("UPDATE worker SET state = 'running', pid = ?, heartbeat = ?", (pid, time.time() - age))
        connection.commit()
        connection.close()
        status, said = _ended(("resume", str(path)))
        yield (status == 0) is free and (free or is_clear(said)), f"{name}: status {status}: {said}"


LOSSES: Mapping[str, Callable[[Path], Findings]] = {
    "full disk": full_disk,
    "taken away": taken_away,
    "read only": read_only,
    "processes mistaken": processes_mistaken,
}


def main() -> int:
    """Prints the findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.losses", description=__doc__)
    parser.add_argument("--only", choices=LOSSES)
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        base = Path(name).resolve()
        os.environ["DNNCOV_HOME"] = str(base / "home")
        for what in LOSSES if options.only is None else (options.only,):
            for holds, words in LOSSES[what](base):
                print(f"{'ok ' if holds else 'BAD'} {what}: {words}", flush=True)
                bad += not holds
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
