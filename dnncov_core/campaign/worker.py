"""The worker: claims a campaign file, prepares it if it is new, and works until it is done or told to stop."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dnncov_core.campaign.store import HEARTBEAT_SECONDS, CampaignStore, Progress
from dnncov_core.errors import DnncovError
from dnncov_core.records import State

PATIENCE_SECONDS = 1.0
"""How long a cancelled worker may take to stop by itself before it is ended; what is stored is whole at any time."""

OnProgress = Callable[[Progress], None]


class Stopped(Exception):  # noqa: N818 - like StopIteration, no error
    """Raised inside the work when the campaign is cancelled."""


class Stop:
    """Tells the work to stop; asked between attempts."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Asks the work to stop."""
        self._event.set()

    def check(self) -> None:
        """Raises Stopped if the work was asked to stop."""
        if self._event.is_set():
            raise Stopped


def work(
    path: Path,
    *,
    network: str | None = None,
    data: str | None = None,
    on_progress: OnProgress = lambda progress: None,
    may_exit: bool = False,
) -> State:
    """Works on a campaign until every target has an outcome, or it is cancelled.

    Args:
        path: the campaign file.
        network: where to find the network, if not by the name in the file.
        data: where to find the data, if not by the name in the file.
        on_progress: called after each finished target.
        may_exit: end the whole process if it is cancelled and does not stop within `PATIENCE_SECONDS`.

    Returns:
        FINISHED or CANCELLED.

    Raises:
        DnncovError: bad input; the campaign keeps the message and is in state failed.
    """
    stop = Stop()
    with CampaignStore(path) as store:
        store.claim()
        try:
            with _heart(path, stop, may_exit):
                from dnncov_core.campaign.run import run  # PyTorch is loaded only once the campaign is claimed

                run(store, network=network, data=data, on_progress=on_progress, stop=stop)
        except (Stopped, KeyboardInterrupt):
            store.enter(State.CANCELLED)
            return State.CANCELLED
        except DnncovError as error:
            with suppress(DnncovError):
                store.enter(State.FAILED, message=str(error))
            raise
        store.enter(State.FINISHED)
        return State.FINISHED


@contextmanager
def _heart(path: Path, stop: Stop, may_exit: bool) -> Iterator[None]:
    """Beats while the work goes on, and passes a cancel request on to it."""
    done = threading.Event()
    thread = threading.Thread(target=_beat, args=(path, stop, done, may_exit), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _beat(path: Path, stop: Stop, done: threading.Event, may_exit: bool) -> None:
    with suppress(DnncovError), CampaignStore(path) as store:
        last = time.monotonic()
        while not done.wait(HEARTBEAT_SECONDS):
            now = time.monotonic()
            store.beat(now - last)
            last = now
            if store.cancel_requested():
                stop.set()
                if not done.wait(PATIENCE_SECONDS) and may_exit:
                    store.enter(State.CANCELLED)
                    os._exit(130)
        store.beat(time.monotonic() - last)
