"""A campaign on a Ray cluster whose workers and driver are killed, beside the same campaign in one process.

python -m tests.benchmarks.ray_kills NETWORK DATA CONDITIONS [TIMES]

The cluster is two nodes of this machine with two cores each. For 1, 2 and 4 workers, so many TIMES (3): half of the
workers, or the one, are killed at random moments, each while it searches, and once the driver, whose command is then
given again. What is done twice is counted in conditions, each time that a batch with them is begun anew, though many of
these were killed soon after their beginning, and in seconds of search.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from dnncov_core.records import Target
from tests import runs

NOTES = "DNNCOV_BENCHMARK_NOTES"
DRIVER = "from tests.benchmarks import ray_kills; ray_kills.drive()"
HEAD = """\
| workers | killed | conditions begun | again | seconds of search | again | same as one process |
|---:|---|---:|---:|---:|---:|---|"""


def drive() -> None:
    """The command in this process, which notes what it and its workers begin."""
    from dnncov_core import cli
    from dnncov_core.campaign.work import ray_cluster

    note_batches()
    ray_cluster._work = noted_work
    sys.exit(cli.main(sys.argv[1:]))


def noted_work(given: list[Any], batches: Sequence[Sequence[Target]]) -> Any:
    """What a process of the cluster does, noted."""
    from dnncov_core.campaign.work import ray_cluster

    note_batches()
    return ray_cluster._task(given[0]).all_results(batches)


def note_batches() -> None:
    """Has the beginning and the end of every batch of this process noted."""
    from dnncov_core.campaign.work.task import Task

    if hasattr(Task, "noted"):
        return
    plain = Task.results

    def results(self: Task, targets: Sequence[Target], *check: Any) -> Iterator[Any]:
        note(os.getpid(), targets[0].ordinal, len(targets), "begun")
        yield from plain(self, targets, *check)
        note(os.getpid(), targets[0].ordinal, len(targets), "done")

    Task.results, Task.noted = results, True  # type: ignore[method-assign, attr-defined]


class Note(NamedTuple):
    """What befell a process at a time: a batch, by its first condition, begun or done, or its end."""

    time: float
    pid: int
    batch: int
    conditions: int
    what: str


def note(*what: int | str) -> None:
    with open(os.environ[NOTES], "a") as notes:
        notes.write(f"{time.time()} {' '.join(map(str, what))}\n")


def noted() -> list[Note]:
    lines = (line.split() for line in Path(os.environ[NOTES]).read_text().splitlines())
    return [Note(float(at), int(pid), int(batch), int(n), what) for at, pid, batch, n, what in lines]


def begun() -> list[Note]:
    return [each for each in noted() if each.what == "begun"]


def conditions() -> int:
    return sum(each.conditions for each in begun())


def seconds() -> tuple[float, float]:
    """Of all searches, and of those whose batch was searched for again later; a killed one ends with its process."""
    notes, last = noted(), dict[int, float]()
    total = 0.0
    for place, start in enumerate(notes):
        if start.what == "begun":
            ends = (each.time for each in notes[place + 1 :] if ends_it(each, start))
            last[start.batch] = next(ends, start.time) - start.time
            total += last[start.batch]
    return total, total - sum(last.values())


def ends_it(note: Note, start: Note) -> bool:
    """Whether a batch was done, or its process or driver killed."""
    return note.what == "driver-killed" or (note.pid == start.pid and note.what in ("done", "killed"))


@contextmanager
def cluster() -> Iterator[str]:
    """The address of two nodes with two cores each."""
    from dnncov_core.campaign.work.ray_cluster import HERE, imported

    imported(HERE)
    from ray.cluster_utils import Cluster

    made = Cluster()
    for _ in range(2):
        made.add_node(num_cpus=2, object_store_memory=2**27, include_dashboard=False, include_log_monitor=False)
    try:
        yield made.address
    finally:
        made.shutdown()


def killed_campaign(path: Path, asked: Sequence[str], workers: int, address: str, n: int, seed: int) -> str:
    """Runs it to its end, with kills at random moments; the table's cells."""
    draw = random.Random(seed)
    Path(os.environ[NOTES]).write_text("")
    moments = sorted((draw.uniform(0.05, 0.9) * n, i == 0) for i in range(1 + -(-workers // 2)))
    ray = ("--executor", "ray", "--address", address, "--workers", str(workers), "--out", str(path))
    command = [sys.executable, "-c", DRIVER, "run", *asked, *ray]
    driver, killed = started(command), [0, 0]
    for moment, of_driver in moments:
        runs.until(lambda moment=moment: conditions() >= moment, 900)  # type: ignore[misc]
        time.sleep(draw.uniform(0, 0.3))
        if of_driver:
            driver.kill()
            driver.wait()
            note(driver.pid, 0, 0, "driver-killed")
            driver = started(command)
        else:
            kill_worker(driver.pid, workers, draw)
        killed[of_driver] += 1
    assert driver.wait() == 0
    (total, again), twice = seconds(), conditions() - n
    return (
        f"{killed[0]} of {workers}, driver {killed[1]} | {conditions():,} | {twice:,} ({100 * twice / n:.1f} %)"
        f" | {total:.1f} | {again:.1f} ({100 * again / (total - again):.1f} %)"
    )


def started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, cwd=runs.ROOT, **runs.QUIET)


def kill_worker(driver: int, workers: int, draw: random.Random) -> None:
    """Ends one of the processes that began the last batches; waits until there is one."""
    start = max(0, len(begun()) - workers)

    def working() -> list[int]:
        return [each.pid for each in begun()[start:] if each.pid != driver and runs.alive(each.pid)]

    runs.until(lambda: bool(working()), 900)
    pid = draw.choice(working())
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        note(pid, 0, 0, "killed")


def main(network: str, data: str, conditions: str, times: str = "3") -> None:
    """Prints the table."""
    asked = (network, "--data", data, "--pairs", conditions, "--generator", "lp")
    with tempfile.TemporaryDirectory() as folder:
        one, notes = Path(folder, "one.dnncov"), Path(folder, "notes")
        os.environ |= {NOTES: str(notes), "PYTHONPATH": str(runs.ROOT), "RAY_worker_niceness": "0"}
        assert runs.dnncov("run", *asked, "--workers", "1", "--out", one).wait() == 0
        n, content = runs.done(one), runs.content(one)
        print(HEAD)
        with cluster() as address:
            for workers in (1, 2, 4):
                for time_ in range(int(times)):
                    path = Path(folder, f"{workers}-{time_}.dnncov")
                    cells = killed_campaign(path, asked, workers, address, n, seed=time_)
                    same = "yes" if runs.content(path) == content else "NO"
                    print(f"| {workers} | {cells} | {same} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
