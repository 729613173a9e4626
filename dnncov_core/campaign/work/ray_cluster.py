"""Processes of a Ray cluster, on this machine or many, that work on batches.

Only the driver knows the campaign file. A chunk whose process or machine is lost is handed out again.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dnncov_core.errors import CampaignError
from dnncov_core.resources import TIMEOUT, collect_garbage_rarely, how_to_install

if TYPE_CHECKING:
    from dnncov_core.campaign.work.executors import Batch, Results
    from dnncov_core.campaign.work.task import Assignment, Task

HERE = "local"
"""The address of a cluster that is made on this machine for one campaign, and listens to this machine alone."""
TRIES = 20
"""How often a chunk is handed out before it is given up: some may end every process that works on them."""


class RayCluster:
    """Processes of a cluster that work on an assignment, each with one core, and a GPU where there are some.

    An `Executor`. ``repeated`` counts the chunks that were handed out again.

    Args:
        assignment: what they work on.
        address: HOST:PORT of a cluster, or `HERE`; a program that is connected to a cluster already stays with that.
        workers: how many work at the same time; all that the cluster has room for if left out.

    Raises:
        CampaignError: when it is entered, if there is no such cluster or no Ray; at its end, if no process could finish
            a chunk.
    """

    chunk = 64

    def __init__(self, assignment: Assignment, address: str = HERE, workers: int | None = None) -> None:
        self._assignment, self._address, self._workers = assignment, address, workers
        self.most, self.repeated = 1, 0
        self._waiting: dict[Future[Results], Any] = {}
        self._again = ThreadPoolExecutor(1)

    def __enter__(self) -> None:
        self._ray = ray = imported(self._address)
        self._lost = (
            ray.exceptions.WorkerCrashedError,
            ray.exceptions.NodeDiedError,
            ray.exceptions.OutOfMemoryError,
            ray.exceptions.ObjectLostError,
        )
        self._connects = not ray.is_initialized()
        if self._connects:
            self._connect()
        there = ray.cluster_resources()
        gpus = int(there.get("GPU", 0)) if self._assignment.wants_gpu else 0
        self.most = self._workers or 2 * max(1, gpus or int(there.get("CPU", 1)))
        needs = {"num_cpus": 1, "num_gpus": int(gpus > 0)}
        self._work = ray.remote(max_retries=0, scheduling_strategy="SPREAD", **needs)(_work)
        self._given = [ray.put((self._assignment, os.getcwd()))]  # in a list it is unpacked once, not for each chunk
        self._first = self.submit([])

    def _connect(self, tries: int = 3) -> None:
        """Connects to the cluster; one of its own may take longer to start on a busy machine than Ray waits for it."""
        own = {"num_cpus": self._workers, "include_dashboard": False} if self._address == HERE else {}
        try:
            self._ray.init(address=self._address, log_to_driver=False, logging_level="ERROR", **own)
        except Exception as error:  # Ray raises some of no kind of its own
            self._ray.shutdown()
            if self._address == HERE and tries > 1:
                return self._connect(tries - 1)
            raise _not_connected(self._address, error) from error

    def has_begun(self) -> bool:
        return self._first.done()

    def submit(self, batches: Sequence[Batch]) -> Future[Results]:
        future: Future[Results] = Future()
        self._send(batches, future, TRIES)
        return future

    def _send(self, batches: Sequence[Batch], future: Future[Results], tries: int) -> None:
        sent = self._waiting[future] = self._work.remote(self._given, batches)
        sent.future().add_done_callback(lambda done: self._receive(done, batches, future, tries - 1))

    def _receive(self, done: Future[Results], batches: Sequence[Batch], future: Future[Results], tries: int) -> None:
        """Passes results on, or hands the batches out again: in another thread, since this one is Ray's own."""
        del self._waiting[future]
        error = done.exception()
        if isinstance(error, self._lost) and tries:
            self.repeated += 1
            self._again.submit(self._send, batches, future, tries)
        elif error is not None:
            future.set_exception(getattr(error, "cause", None) or error)
        else:
            future.set_result(done.result())

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._again.shutdown(wait=False, cancel_futures=True)
        if self._connects:
            self._ray.shutdown()
        else:
            for sent in [*self._waiting.values()]:
                self._ray.cancel(sent, force=True)
        if isinstance(error, self._ray.exceptions.RayError):
            expected, got = "a process that finishes its test conditions", str(error).strip().partition("\n")[0]
            raise CampaignError(expected, f"{TRIES} that were lost: {got}", "see Ray's logs, and resume") from error


def imported(address: str) -> Any:
    """Ray, which tells nobody how it is used, and with a cluster of its own listens to this machine alone.

    Raises:
        CampaignError: it is not installed, or nobody answers at the address.
    """
    if find_spec("ray") is None:
        raise CampaignError("the package ray for --executor ray", "none", how_to_install("'dnncov-explorer[ray]'"))
    if address != HERE:
        _reach(address)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if address == HERE:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # by its name for others; without it, it listens to all
    import ray

    return ray


def _reach(address: str) -> None:
    """Refuses an address where nobody answers, for which Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=TIMEOUT).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _not_connected(address, error) from error


def _not_connected(address: str, error: Exception) -> CampaignError:
    fix = "run this on a machine of the cluster: 'ray start --address HOST:PORT' makes it one"
    return CampaignError(f"a Ray cluster at {address}", str(error).strip().partition("\n")[0], fix)


def _work(given: list[Any], batches: Sequence[Batch]) -> Results:
    return _task(given[0]).all_results(batches)


@lru_cache(maxsize=1)
def _task(assignment: Any) -> Task:
    """The task of this process, begun with its first chunk."""
    import ray

    collect_garbage_rarely()
    asked, folder = ray.get(assignment)
    with suppress(OSError):  # another machine may not have it
        os.chdir(folder)
    task: Task = asked.begun()
    return task
