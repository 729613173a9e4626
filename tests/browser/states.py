"""Campaigns and measurements in every state, made by hand, and a worker that is this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.jobs import CANCEL, STATUS, write_status
from dnncov_core.records import State
from dnncov_core.resources import PACKAGE
from dnncov_core.suites.library import ASKED
from dnncov_core.suites.measurement_file import write
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.workers import WorkerStatus
from tests import builders
from tests.suites.made import baseline, covering, patterns, save

REASON = "expected clean accuracy clearly above chance; got 9.8%; check the preprocessing"
TOTAL, COVERED = 508, 6
"""Test conditions of a campaign that is not finished, and those that have a test pair at first."""

_EVERY_SECONDS = 0.6
_LONG_AGO = time.time() - 3600
"""A heartbeat after which a worker counts as gone."""


def campaign(home: Path, state: State) -> str:
    """A campaign in this state; its id. One that waits has nothing yet, all others have test pairs."""
    path = home / "campaigns" / f"{state.value}.dnncov"
    spec = CampaignSpec(network="mnist-n8", data="mnist")
    if state is State.WAITING:
        path.parent.mkdir(parents=True, exist_ok=True)
        CampaignStore.create(path, spec, {PACKAGE: "test"}).close()
        return path.stem
    gone = state is State.INTERRUPTED
    with builders.campaign(
        path,
        found=COVERED,
        exhausted=2,
        pending=0 if state is State.FINISHED else TOTAL - COVERED - 2,
        state=State.RUNNING if gone else state,
        message=REASON if state is State.FAILED else "",
        network=builders.card(hidden=(20, 20, 20)),
        spec=spec,
    ) as store:
        if gone:
            with store.database.transaction() as connection:
                connection.execute("UPDATE worker SET heartbeat = ?", (_LONG_AGO,))
    return path.stem


def measurement(home: Path, state: State) -> str:
    """A measurement in this state; its id."""
    stem = home / "measurements" / state.value
    stem.parent.mkdir(parents=True, exist_ok=True)
    if state is State.FINISHED:
        save(stem.with_suffix(".json"), covering("ss", (10, 1386, 630)), baseline("n", (60, 22, 63)), patterns(400))
        return stem.name
    write(stem.with_suffix(ASKED), asdict(MeasurementSpec(network="mnist-n1", suite="mnist")), option="")
    write_status(stem.with_suffix(STATUS), _status(state))
    if state is State.CANCELLED:
        stem.with_suffix(CANCEL).touch()
    return stem.name


def _status(state: State) -> WorkerStatus:
    """What the worker of a measurement last wrote."""
    if state is State.INTERRUPTED:
        return replace(_status(State.RUNNING), beat=_LONG_AGO)
    begun = WorkerStatus.begun()
    if state is State.RUNNING:
        return replace(begun, state=state, doing="signs", done=1200, total=5000, started=begun.started - 30)
    return replace(begun, state=state, message=REASON if state is State.FAILED else "")


@contextmanager
def at_work(home: Path, campaign_id: str, measurement_id: str) -> Iterator[None]:
    """This process works on both: now and then a test condition is done, and some inputs are measured."""
    done = threading.Event()
    thread = threading.Thread(target=_work, args=(home, campaign_id, measurement_id, done))
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _work(home: Path, campaign_id: str, measurement_id: str, done: threading.Event) -> None:
    path, measured = home / "measurements" / f"{measurement_id}{STATUS}", _status(State.RUNNING)
    with CampaignStore(home / "campaigns" / f"{campaign_id}.dnncov") as store:
        for step, target in enumerate(store.targets.pending()[:-1]):
            pair = builders.made_pair(target, adversarial=step % 5 == 0, distance=0.05)
            store.record([builders._result(target, pair)])
            store.worker.beat(_EVERY_SECONDS)
            write_status(path, replace(measured, done=measured.done + 5 * step, beat=time.time()))
            if done.wait(_EVERY_SECONDS):
                return
