"""Processes of this machine that work on batches."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from typing import Any

import torch

from dnncov_core.campaign.work.executors import Batch, Results
from dnncov_core.campaign.work.task import Assignment, Task
from dnncov_core.errors import CampaignError
from dnncov_core.resources import collect_garbage_rarely
from dnncov_core.workers import TARGETS_A_PROCESS

AHEAD = 8
"""Chunks handed out for each process."""
START = "forkserver" if sys.platform == "linux" else "spawn"
"""How processes start. A fork server imports PyTorch once for all of them; other systems may not fork then.

The server keeps the environment variables of the moment when the first campaign of this process needed it.
"""
PRELOADED = [__name__, "dnncov_core.campaign.work.fork_server", "torch.export._trace"]
"""What a fork server imports beforehand. It says nothing about a module that it does not find, so a test looks."""

_task: list[Task] = []
"""The task of this process, if it belongs to a pool."""


def processes_for(batches: Sequence[Batch], wanted: int | None, device: torch.device) -> int:
    """How many processes work: as many as wanted, or one a core or GPU as long as there is enough to do for it."""
    if wanted is not None:
        return wanted
    there = {"cpu": os.cpu_count() or 1, "cuda": torch.cuda.device_count()}.get(device.type, 1)
    return max(1, min(there, len(batches), sum(map(len, batches)) // TARGETS_A_PROCESS))


class Pool:
    """Processes that work on an assignment; an `Executor`.

    Raises:
        CampaignError: at its end, if a process was ended from outside.
    """

    chunk = 4

    def __init__(self, assignment: Assignment, processes: int) -> None:
        context = multiprocessing.get_context(START)
        context.set_forkserver_preload(PRELOADED)
        begin = (assignment, context.Value("i", 0))
        self.most = processes * AHEAD
        self._executor = ProcessPoolExecutor(processes, context, initializer=_begin, initargs=begin)
        self._starting = threading.Thread(target=self._start, daemon=True)

    def __enter__(self) -> None:
        self._starting.start()

    def _start(self) -> None:
        """Waits until a process has begun; one that cannot is told of by those that hand work to it."""
        with suppress(BrokenProcessPool, RuntimeError):
            self._executor.submit(_work, []).result()

    def has_begun(self) -> bool:
        return not self._starting.is_alive()

    def submit(self, batches: Sequence[Batch]) -> Future[Results]:
        return self._executor.submit(_work, batches)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        end = partial(self._executor.shutdown, wait=False, cancel_futures=True)
        if self.has_begun():
            end()
        else:  # it would wait until that process has begun
            threading.Thread(target=end, daemon=True).start()
        if isinstance(error, BrokenProcessPool):
            expected, got = "all processes of the campaign to work until its end", "one that was ended from outside"
            fix = "if the memory ran out, free some and resume, or resume with fewer processes (--workers)"
            raise CampaignError(expected, got, fix) from error


def _begin(assignment: Assignment, numbers: Any) -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    collect_garbage_rarely()
    with numbers.get_lock():
        process, numbers.value = numbers.value, numbers.value + 1
    _task.append(assignment.begun(process))


def end_with_parent() -> None:
    """Ends this process, which works for another one, when that ends; call it in a thread of its own."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(batches: Sequence[Batch]) -> Results:
    return _task[0].all_results(batches)
