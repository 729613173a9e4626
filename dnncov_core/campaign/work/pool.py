"""Targets worked on by several processes. A target's result depends on the target alone, not on who works on it."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import torch

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.inputs import data_of, network_of
from dnncov_core.campaign.work.reuse import Reuse
from dnncov_core.campaign.work.task import Task
from dnncov_core.errors import CampaignError
from dnncov_core.records import Target, TargetResult
from dnncov_core.resources import collect_garbage_rarely
from dnncov_core.workers import TARGETS_A_PROCESS

CHUNK = 4
"""Targets handed out at the same time where batches are small."""
AHEAD = 8
"""Batches handed out for each process where results are wanted in order."""
POLL_SECONDS = 0.1
START = "forkserver" if sys.platform == "linux" else "spawn"
"""How processes start. A fork server imports PyTorch once for all of them; other systems may not fork then.

The server keeps the environment variables of the moment when the first campaign of this process needed it.
"""
PRELOADED = [__name__, "dnncov_core.campaign.work.fork_server", "torch.export._trace"]
"""What a fork server imports beforehand. It says nothing about a module that it does not find, so a test looks."""

Batch = Sequence[Target]

_task: list[Task] = []
"""The task of this process, if it belongs to a pool."""


def processes_for(batches: Sequence[Batch], wanted: int | None, device: torch.device) -> int:
    """How many processes work: as many as wanted, or one a core or GPU as long as there is enough to do for it."""
    if wanted is not None:
        return wanted
    there = {"cpu": os.cpu_count() or 1, "cuda": torch.cuda.device_count()}.get(device.type, 1)
    return max(1, min(there, len(batches), sum(map(len, batches)) // TARGETS_A_PROCESS))


def in_processes(
    path: Path,
    batches: Sequence[Batch],
    processes: int,
    check: Callable[[], None],
    *,
    task: Task,
    network: str | None,
    data: str | None,
    device: str,
    reuse: Reuse | None = None,
) -> Iterator[Sequence[TargetResult]]:
    """Results, batch by batch as they come; ``check`` is called again and again and may raise to stop.

    Until the processes have started, which takes seconds, this one works on the first batches by its own ``task``.

    With ``reuse`` they come in the order of the batches instead, and only those of batches that have a pending target
    when it is their turn.

    Raises:
        CampaignError: a process was ended from outside.
    """
    context = multiprocessing.get_context(START)
    context.set_forkserver_preload(PRELOADED)
    numbers = context.Value("i", 0)
    executor = ProcessPoolExecutor(
        processes, context, initializer=_begin, initargs=(path, network, data, device, numbers)
    )
    left = iter(batches if reuse is None else filter(reuse.any_pending, batches))
    starting = threading.Thread(target=_start, args=(executor,), daemon=True)
    starting.start()
    try:
        while starting.is_alive() and (batch := next(left, None)) is not None:
            yield list(task.results(batch, check))
        if reuse is None:
            yield from _as_they_come(executor, list(left), check)
        else:
            yield from _in_order(executor, left, check, processes * AHEAD)
    except BrokenProcessPool as error:
        expected, got = "all processes of the campaign to work until its end", "one that was ended from outside"
        fix = "if the memory ran out, free some and resume, or resume with fewer processes (--workers)"
        raise CampaignError(expected, got, fix) from error
    finally:
        end = partial(executor.shutdown, wait=False, cancel_futures=True)
        if starting.is_alive():  # it would wait until that process has begun
            threading.Thread(target=end, daemon=True).start()
        else:
            end()


def _start(executor: Executor) -> None:
    """Waits until a process has begun; one that cannot is told of by those that hand work to it."""
    with suppress(BrokenProcessPool, RuntimeError):
        executor.submit(_begun).result()


def _begun() -> bool:
    return bool(_task)


def _as_they_come(
    executor: Executor, batches: Sequence[Batch], check: Callable[[], None]
) -> Iterator[Sequence[TargetResult]]:
    size = max(1, CHUNK // max(map(len, batches), default=1))
    chunks = [batches[start : start + size] for start in range(0, len(batches), size)]
    waiting = {executor.submit(_work, chunk) for chunk in chunks}
    while waiting:
        done, waiting = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        check()
        for future in done:
            yield from future.result()


def _in_order(
    executor: Executor, batches: Iterator[Batch], check: Callable[[], None], most_waiting: int
) -> Iterator[Sequence[TargetResult]]:
    """Batches are handed out only a little ahead, since any result may cover the targets that follow."""
    waiting: deque[Future[list[Sequence[TargetResult]]]] = deque()
    while True:
        ahead = itertools.islice(batches, most_waiting - len(waiting))
        waiting.extend(executor.submit(_work, [batch]) for batch in ahead)
        if not waiting:
            return
        while not wait([waiting[0]], timeout=POLL_SECONDS).done:
            check()
        check()
        yield from waiting.popleft().result()


def _begin(path: Path, network: str | None, data: str | None, device: str, numbers: Any) -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    collect_garbage_rarely()
    with numbers.get_lock():
        process, numbers.value = numbers.value, numbers.value + 1
    with CampaignStore(path) as store:
        loaded, _ = network_of(store, network)
        _task.append(Task(store, loaded, data_of(store, loaded, data), device=device, process=process))


def end_with_parent() -> None:
    """Ends this process, which works for another one, when that ends; call it in a thread of its own."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(batches: Sequence[Batch]) -> list[Sequence[TargetResult]]:
    return [list(_task[0].results(batch)) for batch in batches]
