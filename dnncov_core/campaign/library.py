"""The user's campaigns: their folder, and the worker processes that the app starts for them.

A campaign's id is the stem of its file. Ids are looked up among the files of the folder, never joined into a path.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from pathlib import Path

from dnncov_core.campaign.retry import retry
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.campaign.versions import versions
from dnncov_core.errors import CampaignError
from dnncov_core.records import State
from dnncov_core.registry import networks
from dnncov_core.resources import home

SUFFIX = ".dnncov"

_workers: list[tuple[str, subprocess.Popen[bytes]]] = []
"""Workers of this process by campaign id. Their standard input stays open as long as it lives: they stop when it
closes."""


def campaigns() -> dict[str, Path]:
    """Campaign files by id, newest first: ids that `start` gives begin with the time of creation."""
    reap()
    files = [path for path in (home() / "campaigns").glob(f"*{SUFFIX}") if path.is_file()]
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem, reverse=True)}


def open_campaign(campaign_id: str) -> CampaignStore:
    """Opens a campaign by its id.

    Raises:
        CampaignError: no such campaign, or its file cannot be read.
    """
    return CampaignStore(path_of(campaign_id))


def start(spec: CampaignSpec) -> str:
    """Creates a campaign file and starts a worker on it; returns the campaign's id.

    Raises:
        CampaignError: the folder cannot be written.
    """
    campaign_id = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"
    folder = home() / "campaigns"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CampaignError(
            "a folder that can be written", str(error.strerror), "choose another DNNCOV_HOME"
        ) from error
    CampaignStore.create(folder / f"{campaign_id}{SUFFIX}", spec.resolved(), versions()).close()
    resume(campaign_id)
    return campaign_id


def resume(campaign_id: str) -> None:
    """Starts a worker on a campaign; a campaign that has one keeps it. An earlier cancel request is forgotten.

    Raises:
        CampaignError: no such campaign, or one of a network that is neither embedded nor registered: a file that came
            from elsewhere names no code to run here.
    """
    path = path_of(campaign_id)
    with CampaignStore(path) as store:
        check_runnable(store)
        if _is_starting(campaign_id, store) or not store.await_worker():
            return
    worker = subprocess.Popen(
        [sys.executable, "-m", "dnncov_core", "resume", str(path), "--attended"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _workers.append((campaign_id, worker))


def try_again(campaign_id: str, max_seeds: int | None = None, passes: int | None = None) -> None:
    """Puts what is exhausted or failed back with larger budgets, see `retry`, and starts a worker on it.

    Raises:
        CampaignError: no such campaign, a network that must not be loaded here, nothing to try, or a worker at it.
        SpecificationError: budgets that are not larger.
    """
    with open_campaign(campaign_id) as store:
        check_runnable(store)
        retry(store, max_seeds=max_seeds, passes=passes)
    resume(campaign_id)


def check_runnable(store: CampaignStore) -> None:
    """Refuses to load networks that a campaign file names and nobody has allowed.

    Raises:
        CampaignError: a network that is neither embedded nor registered.
    """
    network = store.spec().network
    if network not in networks():
        raise CampaignError("an embedded or registered network", network, "register it, or use the command dnncov")


def cancel(campaign_id: str) -> None:
    """Asks the campaign's worker to stop.

    Raises:
        CampaignError: no such campaign.
    """
    with open_campaign(campaign_id) as store:
        store.request_cancel()


def reap() -> None:
    """Collects workers that have ended, so that none stays behind as a zombie."""
    _workers[:] = [(campaign_id, worker) for campaign_id, worker in _workers if worker.poll() is None]


def _is_starting(campaign_id: str, store: CampaignStore) -> bool:
    return store.state() is State.WAITING and any(campaign_id == other for other, _ in _workers)


def path_of(campaign_id: str) -> Path:
    """The file of a campaign.

    Raises:
        CampaignError: no such campaign.
    """
    path = campaigns().get(campaign_id)
    if path is None:
        raise CampaignError("the id of a campaign", repr(campaign_id), "choose one from the list of campaigns")
    return path
