"""Batches handed out, and their results, which are the same whoever works on them and however many they are.

A target's result depends on the target alone.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue
from typing import Protocol

from dnncov_core.campaign.work.reuse import Reuse
from dnncov_core.campaign.work.task import Task
from dnncov_core.records import Target, TargetResult

POLL_SECONDS = 0.1
CHUNKS = 64
"""Chunks of a campaign, at the least, where its batches are small enough."""

Batch = Sequence[Target]
Results = Sequence[TargetResult]


class Executor(AbstractContextManager[None], Protocol):
    """Those who work on batches elsewhere, as long as it is entered.

    Attributes:
        chunk: targets that are handed out together where batches are small.
        most: chunks that are handed out at the same time.
    """

    chunk: int
    most: int

    def has_begun(self) -> bool:
        """Whether somebody is there to work; that takes seconds."""

    def submit(self, batches: Sequence[Batch]) -> Future[Results]:
        """Hands batches out; their results come together, in their order."""


def handed_out(
    executor: Executor, batches: Sequence[Batch], check: Callable[[], None], *, task: Task, reuse: Reuse | None
) -> Iterator[Results]:
    """Results of whole batches as they come; ``check`` is called again and again and may raise to stop.

    Until somebody is there to work, this process works on the first batches by its own ``task``.

    With ``reuse`` they come in the order of the batches instead, and only those of batches that have a pending target
    when it is their turn.
    """
    left = iter(batches if reuse is None else filter(reuse.any_pending, batches))
    with executor:
        while not executor.has_begun() and (batch := next(left, None)) is not None:
            yield list(task.results(batch, check))
        if reuse is None:
            yield from _as_they_come(executor, _in_chunks([*left], executor.chunk), check)
        else:
            yield from _in_order(executor, left, check)


def _in_chunks(batches: Sequence[Batch], targets: int) -> Iterator[Sequence[Batch]]:
    """So many targets together, but a small share of all where they are few: who is lost loses no more than a chunk."""
    sizes = [*map(len, batches)]
    size = max(1, min(targets, sum(sizes) // CHUNKS) // max(sizes, default=1))
    return (batches[start : start + size] for start in range(0, len(batches), size))


def _as_they_come(
    executor: Executor, chunks: Iterator[Sequence[Batch]], check: Callable[[], None]
) -> Iterator[Results]:
    done: SimpleQueue[Future[Results]] = SimpleQueue()
    waiting = 0
    while True:
        for chunk in itertools.islice(chunks, executor.most - waiting):
            executor.submit(chunk).add_done_callback(done.put)
            waiting += 1
        if not waiting:
            return
        check()
        try:
            results = done.get(timeout=POLL_SECONDS).result()
        except Empty:
            continue
        waiting -= 1
        yield results


def _in_order(executor: Executor, batches: Iterable[Batch], check: Callable[[], None]) -> Iterator[Results]:
    """Batches are handed out only a little ahead, since any result may cover the targets that follow."""
    left, waiting = iter(batches), deque[Future[Results]]()
    while True:
        waiting.extend(executor.submit([batch]) for batch in itertools.islice(left, executor.most - len(waiting)))
        if not waiting:
            return
        while not wait([waiting[0]], timeout=POLL_SECONDS).done:
            check()
        check()
        yield waiting.popleft().result()
