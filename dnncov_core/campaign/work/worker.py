"""The worker: claims a campaign file, prepares it if it is new, and works until it is done or told to stop."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from dnncov_core.campaign.file.counts import OnProgress
from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import DnncovError
from dnncov_core.records import WHOLE, Stage, State
from dnncov_core.workers import (
    CANCELLED,
    HEARTBEAT_SECONDS,
    Reporter,
    WorkerStatus,
    beside,
    reason,
    reporting,
    when_input_closes,
)

POLL_SECONDS = 0.1
PATIENCE_SECONDS = 0.5
"""How long a cancelled worker may take to stop by itself before it is ended; what is stored is whole at any time."""


class Stopped(Exception):  # noqa: N818 - like StopIteration, no error
    """Raised inside the work when the campaign is cancelled."""


class Stop(threading.Event):
    """Tells the work to stop; asked between attempts."""

    def check(self) -> None:
        """Raises Stopped if the work was asked to stop."""
        if self.is_set():
            raise Stopped


def work(
    path: Path,
    *,
    network: str | None = None,
    data: str | None = None,
    reference: str | None = None,
    device: str | None = None,
    processes: int | None = 1,
    ray: str | None = None,
    on_progress: OnProgress = lambda progress: None,
    may_exit: bool = False,
    attended: bool = False,
) -> State:
    """Works on a campaign until every target has its outcome, all effects and baseline searches are known, or it is
    cancelled.

    Args:
        path: the campaign file.
        network, data, reference: where to find them, if not by their names in the file.
        device: where to work, if not where the campaign was asked to.
        processes: how many processes work on the targets; None for one a core where there is enough to do. With more
            than one, the program that calls this must be importable, as `multiprocessing` asks for.
        ray: the address of a Ray cluster whose processes they are; None for processes of this machine.
        on_progress: called at the start, and after each finished batch of targets.
        may_exit: end the whole process if it is cancelled and does not stop within `PATIENCE_SECONDS`.
        attended: cancel when standard input closes; a cancel request from before the start counts too.

    Returns:
        FINISHED or CANCELLED; a shard that is finished leaves its campaign cancelled, since others are to go on.

    Raises:
        DnncovError: bad input; the campaign keeps the message and is in state failed, or finished if all targets have
            an outcome.
    """
    stop = Stop()
    with CampaignStore(path) as store:
        if _is_done(store):
            return State.FINISHED
        store.worker.claim(keep_cancel=attended)
        if attended:
            when_input_closes(stop.set)
        try:
            if store.worker.cancel_requested():
                stop.set()
            stop.check()
            store.stages.begin(Stage.LOAD)
            with beside(partial(_beat, path, stop, may_exit)):
                from dnncov_core.campaign.work.run import run  # PyTorch is loaded only once the campaign is claimed

                run(
                    store,
                    network=network,
                    data=data,
                    reference=reference,
                    device=device,
                    processes=processes,
                    ray=ray,
                    on_progress=on_progress,
                    check=stop.check,
                )
        except (Stopped, KeyboardInterrupt):
            return store.worker.leave(State.CANCELLED)
        except Exception as error:
            with suppress(DnncovError):
                store.worker.leave(State.FAILED, message=reason(error, network, data, reference))
            raise
        store.worker.leave(State.FINISHED if store.prepared.shard() == WHOLE else State.CANCELLED)
        return State.FINISHED


def _is_done(store: CampaignStore) -> bool:
    """Whether a finished campaign has all that this version stores: an earlier one stored no effects of test pairs."""
    finished = store.state() is State.FINISHED and not store.worker.message()
    return finished and not store.pairs.count(PairFilter(without_effects=True))


@contextmanager
def proof_at(path: Path, network: str | None = None, *, attended: bool = False) -> Iterator[Reporter]:
    """Makes this process the campaign's proof as long as its work goes on.

    The campaign file keeps how far the proof is and what came of it. An attended one ends when standard input closes.

    Raises:
        CampaignError: a worker, or another proof, is at it.
    """
    with CampaignStore(path) as store:
        status = WorkerStatus.begun()
        store.proof.claim(status)
        with reporting(Reporter(status, store.proof.note), network, attended=attended) as reporter:
            yield reporter


def _beat(path: Path, stop: Stop, may_exit: bool, done: threading.Event) -> None:
    """Beats while the work goes on, and passes a cancel request on to it."""
    with suppress(DnncovError), CampaignStore(path) as store:
        last = time.monotonic()
        while not done.wait(POLL_SECONDS):
            with suppress(DnncovError):
                _pass_on_cancel(store, stop, done, may_exit)
            if (passed := time.monotonic() - last) >= HEARTBEAT_SECONDS:
                with suppress(DnncovError):  # a full disk, say: the work itself reports it
                    _beat_once(store, passed)
                    last += passed
        _beat_once(store, time.monotonic() - last)


def _beat_once(store: CampaignStore, passed: float) -> None:
    store.worker.beat(passed)
    store.stages.add(passed)


def _pass_on_cancel(store: CampaignStore, stop: Stop, done: threading.Event, may_exit: bool) -> None:
    if stop.is_set() or store.worker.cancel_requested():
        stop.set()
        if not done.wait(PATIENCE_SECONDS) and may_exit:
            with suppress(DnncovError):
                store.worker.leave(State.CANCELLED)
            os._exit(CANCELLED)
