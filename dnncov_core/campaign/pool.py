"""Targets worked on by several processes. A target's result depends on the target alone, not on who works on it."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import torch

from dnncov_core.campaign.inputs import data_of, network_of
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.campaign.task import Task
from dnncov_core.errors import CampaignError
from dnncov_core.records import Target, TargetResult

TARGETS_A_PROCESS = 40
"""Fewer are not worth the seconds that a process takes to start."""
CHUNK = 4
AHEAD = 8
"""Targets handed out for each process where results are wanted in order."""
POLL_SECONDS = 0.1

_task: list[Task] = []
"""The task of this process, if it belongs to a pool."""


def processes_for(targets: int, asked: int | None) -> int:
    """How many processes work: as many as asked, or one for each core as long as there are targets for it."""
    if asked is not None:
        return asked
    return max(1, min(os.cpu_count() or 1, targets // TARGETS_A_PROCESS))


def in_processes(
    path: Path,
    targets: Iterable[Target],
    processes: int,
    check: Callable[[], None],
    *,
    network: str | None,
    data: str | None,
    is_pending: Callable[[Target], bool] | None = None,
) -> Iterator[TargetResult]:
    """Results as they come; ``check`` is called again and again and may raise to stop.

    With ``is_pending`` they come in the order of the targets instead, and only those of targets that are still pending
    when it is their turn.

    Raises:
        CampaignError: a process was ended from outside.
    """
    executor = ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(path, network, data)
    )
    try:
        if is_pending is None:
            yield from _as_they_come(executor, list(targets), check)
        else:
            yield from _in_order(executor, filter(is_pending, targets), check, processes * AHEAD, is_pending)
    except BrokenProcessPool as error:
        fix = "resume with fewer --workers; perhaps the memory ran out"
        raise CampaignError("every process of the campaign to live", "one that was ended", fix) from error
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _as_they_come(executor: Executor, targets: Sequence[Target], check: Callable[[], None]) -> Iterator[TargetResult]:
    chunks = [targets[start : start + CHUNK] for start in range(0, len(targets), CHUNK)]
    waiting = {executor.submit(_work, chunk) for chunk in chunks}
    while waiting:
        done, waiting = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        check()
        for future in done:
            yield from future.result()


def _in_order(
    executor: Executor,
    targets: Iterator[Target],
    check: Callable[[], None],
    most_waiting: int,
    is_pending: Callable[[Target], bool],
) -> Iterator[TargetResult]:
    """Targets are handed out only a little ahead, since any result may cover those that follow."""
    waiting: deque[Future[list[TargetResult]]] = deque()
    while True:
        ahead = itertools.islice(targets, most_waiting - len(waiting))
        waiting.extend(executor.submit(_work, [target]) for target in ahead)
        if not waiting:
            return
        while not wait([waiting[0]], timeout=POLL_SECONDS).done:
            check()
        check()
        (result,) = waiting.popleft().result()
        if is_pending(result.target):
            yield result


def _begin(path: Path, network: str | None, data: str | None) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    with CampaignStore(path) as store:
        loaded, _ = network_of(store, network)
        _task.append(Task(store, loaded, data_of(store, loaded, data)))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(targets: Sequence[Target]) -> list[TargetResult]:
    return list(_task[0].results(targets))
