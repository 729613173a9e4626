"""Short runs of campaigns that are not started yet, so that it is known how long they take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dnncov_core import workers
from dnncov_core.campaign.file import sql
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import SUFFIX
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.records import State
from dnncov_core.resources import home, versions
from dnncov_core.types import IntArray

FOLDER = "trials"
CONDITIONS = 24
"""Test conditions of a trial."""
MOST_SECONDS = 40.0
"""After which a trial is cancelled; what it has done by then tells the speed."""
KEPT = 40
"""Trials that are kept, the newest ones."""
POLL_SECONDS = 0.2


def trials() -> list[Path]:
    """The files of earlier trials, newest first."""
    return workers.newest_first((home() / FOLDER).glob(f"*{SUFFIX}"))


def try_out(spec: CampaignSpec, on_share: Callable[[float], object], listed: IntArray | None = None) -> str:
    """Runs a trial in a process of its own; returns why it failed, or nothing.

    Args:
        spec: what the campaign will be asked.
        on_share: told again and again which share of its time has passed; what it raises ends the trial.
        listed: the feature pairs that the campaign chooses from, if not all are.

    Raises:
        DataError: the folder cannot be written.
    """
    for path in trials()[KEPT:]:
        sql.remove(path)
    path = workers.new_stem(FOLDER).with_suffix(SUFFIX)
    asked = replace(spec, pairs=min(spec.pairs or CONDITIONS, CONDITIONS))
    with CampaignStore.create(path, asked.resolved(), versions(), listed) as store:
        workers.start("resume", path, str(path))
        begun = time.monotonic()
        try:
            while (passed := time.monotonic() - begun) < MOST_SECONDS and store.state() in workers.ACTIVE:
                on_share(passed / MOST_SECONDS)
                time.sleep(POLL_SECONDS)
            return store.worker.message() if store.state() is State.FAILED else ""
        finally:
            store.worker.request_cancel()
