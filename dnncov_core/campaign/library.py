"""The user's campaigns: their folder, and the workers and proofs that the app starts for them.

A campaign's id is the stem of its file. Ids are looked up among the files of the folder, never joined into a path.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

from dnncov_core import workers
from dnncov_core.campaign.file.moments import Stamp, stamp_of
from dnncov_core.campaign.file.sql import copy
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import RETRIED, retry, retry_with_effect
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError, ParameterError
from dnncov_core.example import with_example
from dnncov_core.records import Outcome, Retry, State
from dnncov_core.registry import is_allowed
from dnncov_core.resources import devices, home, versions
from dnncov_core.types import IntArray

SUFFIX = ".dnncov"
_searching_again = threading.Lock()
"""Held while a campaign is made from another one: sessions of the app are threads of one process."""


def campaigns() -> dict[str, Path]:
    """The user's campaign files by id, newest first."""
    workers.reap()
    files = [path for path in (home() / "campaigns").glob(f"*{SUFFIX}") if path.is_file()]
    return {path.stem: path for path in workers.newest_first(files)}


def viewable() -> dict[str, Path]:
    """The user's campaign files by id, newest first, and last the program's own example, unless it is hidden."""
    return with_example(campaigns(), SUFFIX)


def open_campaign(campaign_id: str) -> CampaignStore:
    """Opens a campaign by its id.

    Raises:
        CampaignError: no such campaign, or its file cannot be read.
    """
    return CampaignStore(path_of(campaign_id))


def start(spec: CampaignSpec, listed: IntArray | None = None) -> str:
    """Creates a campaign file and starts a worker on it; returns the campaign's id.

    ``listed`` are the feature pairs to choose from, if not all are; see `CampaignStore.create`.

    Raises:
        DataError: the folder cannot be written.
        ParameterError: a device that this machine does not have.
    """
    if spec.device not in devices():
        raise ParameterError("device", f"one that this machine has: {', '.join(devices())}", spec.device)
    stem = workers.new_stem("campaigns")
    CampaignStore.create(stem.with_suffix(SUFFIX), spec.resolved(), versions(), listed).close()
    resume(stem.name)
    return stem.name


def resume(campaign_id: str) -> None:
    """Starts a worker on a campaign; a campaign that has one keeps it. An earlier cancel request is forgotten.

    It works on the device that was asked for, or where this machine has no such device, on the one that it has.

    Raises:
        CampaignError: no such campaign, a proof at it, or a network that is neither embedded nor registered: a file
            that came from elsewhere names no code to run here.
    """
    path = path_of(campaign_id)
    with CampaignStore(path) as store:
        check_runnable(store)
        starting = store.state() is State.WAITING and workers.has_started("resume", path)
        if not starting and store.worker.announce():
            elsewhere = store.spec().device not in devices()
            workers.start("resume", path, str(path), *(["--device", "auto"] if elsewhere else []))


def try_again(
    campaign_id: str, *, outcomes: Sequence[str] = RETRIED, ordinals: Collection[int] = (), **budgets: int | None
) -> None:
    """Puts what is exhausted or failed back with larger budgets, see `retry`, and starts a worker on it.

    Raises:
        CampaignError: no such campaign, a network that must not be loaded here, nothing to try, or a worker or proof
            at it.
        ParameterError: budgets that are not larger, or more seeds than there are.
    """
    with open_campaign(campaign_id) as store:
        check_runnable(store)
        retry(store, outcomes=outcomes, ordinals=ordinals, **budgets)
    resume(campaign_id)


def search_with_effect(campaign_id: str, effect: str) -> str:
    """Starts a new campaign that asks for an effect, see `retry_with_effect`; returns its id.

    Where one has begun already, as another tab of the app may have done, it is the id of that one.

    Raises:
        CampaignError: no such campaign, a network that must not be loaded here, or what `retry_with_effect` refuses.
        DataError: the folder cannot be written.
    """
    with _searching_again, open_campaign(campaign_id) as store:
        if (begun := searched_again(store, effect)) is not None:
            return begun
        check_runnable(store)
        path = workers.new_stem("campaigns").with_suffix(SUFFIX)
        retry_with_effect(store, path, effect)
    resume(path.stem)
    return path.stem


def searched_again(store: CampaignStore, effect: str) -> str | None:
    """The newest campaign that asks for this effect and was made from this one as it stands; None without one.

    One that has failed does not count, so that it does not keep another from beginning.
    """
    earlier, pending = store.spec().retries, store.counts.outcomes().get(Outcome.PENDING, 0)
    for other_id, path in campaigns().items():
        retries = _retries(path, stamp_of(path))
        if not retries or (retries[-1].origin, retries[-1].effect) != (store.path.stem, effect):
            continue
        if (retries[:-1], retries[-1].pending) == (earlier, pending):
            with open_campaign(other_id) as other:
                if other.state() is not State.FAILED:
                    return other_id
    return None


@lru_cache(maxsize=4096)
def _retries(path: Path, stamp: Stamp) -> tuple[Retry, ...]:
    """What was tried again in a campaign file as its stamp says it stands; nothing where it cannot be read."""
    try:
        with CampaignStore(path) as store:
            return store.spec().retries
    except CampaignError:
        return ()


def copy_of(campaign_id: str) -> str:
    """Makes a campaign of the user's own that holds what another one holds, such as the example; returns its id.

    Raises:
        CampaignError: no such campaign.
        DataError: the folder cannot be written.
    """
    path = workers.new_stem("campaigns").with_suffix(SUFFIX)
    with open_campaign(campaign_id) as store:
        copy(store.database, path)
    return path.stem


def check_runnable(store: CampaignStore) -> None:
    """Refuses to load networks that a campaign file names and nobody has allowed.

    Raises:
        CampaignError: a network that is neither embedded nor registered.
    """
    network = store.spec().network
    if not is_allowed(network):
        raise CampaignError("an embedded or registered network", network, "register it, or use the command dnncov")


def is_proving(store: CampaignStore) -> bool:
    """Whether a proof is at work on the campaign."""
    proof = store.proof.status()
    return proof is not None and proof.now_of("prove", store.path) in workers.ACTIVE


def start_proof(campaign_id: str, ordinals: Collection[int] = ()) -> None:
    """Starts a proof of a campaign, of these test conditions alone if some are named; one that runs goes on.

    Raises:
        CampaignError: no such campaign, a network that must not be loaded here, or a worker at the campaign.
    """
    path = path_of(campaign_id)
    with CampaignStore(path) as store:
        check_runnable(store)
        if is_proving(store):
            return
        if store.state() is State.WAITING:
            raise CampaignError(
                "a campaign without a worker", "one that is starting", "wait for it, or cancel it first"
            )
        store.proof.claim(workers.WorkerStatus.awaited())
    only = [f"--ordinals={','.join(map(str, ordinals))}"] if ordinals else []
    workers.start("prove", path, str(path), *only)


def cancel(campaign_id: str) -> None:
    """Asks the campaign's worker or proof to stop; what it has stored stays.

    Raises:
        CampaignError: no such campaign.
    """
    with open_campaign(campaign_id) as store:
        stop(store)


def stop(store: CampaignStore) -> bool:
    """Asks the worker or the proof of an open campaign to stop; False if there is nothing left to do for either."""
    if store.state() is State.FINISHED and not is_proving(store):
        return False
    store.worker.request_cancel()
    workers.stop("prove", store.path)
    return True


def path_of(campaign_id: str) -> Path:
    """The file of a campaign.

    Raises:
        CampaignError: no such campaign.
    """
    path = viewable().get(campaign_id)
    if path is None:
        raise CampaignError("the id of a campaign", repr(campaign_id), "choose one from the list of campaigns")
    return path
