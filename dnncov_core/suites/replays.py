"""Replays of the user's campaigns on other networks: their folder, and the workers that the app starts for them.

A campaign has one replay on each network; a later one takes the place of the earlier once it is done. Its files are
those of `library`: ``.status`` how far its worker is, ``.cancel`` a request to end, ``.json`` the result.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from dnncov_core import workers
from dnncov_core.campaign.library import path_of
from dnncov_core.campaign.review.replayed import Replayed
from dnncov_core.errors import DataError, unknown_name, unwritable
from dnncov_core.record_files import read_record
from dnncov_core.registry import networks
from dnncov_core.resources import home
from dnncov_core.suites.library import CANCEL, RESULT, STATUS, read_status, write_status

REPLAY = "replay"
"""The command of the workers."""


def start(campaign_id: str, network: str) -> None:
    """Starts a worker that replays a campaign on a network; a replay that is at work goes on.

    Raises:
        SpecificationError: no embedded or registered network of this name.
        CampaignError: no campaign of this id.
        DataError: the folder cannot be written.
    """
    if network not in networks():
        raise unknown_name("network", network, networks())
    campaign, stem = path_of(campaign_id), _stem(campaign_id, network)
    if (at_work := standing(campaign_id, network)) is not None and at_work.state in workers.ACTIVE:
        return
    try:
        stem.parent.mkdir(parents=True, exist_ok=True)
        stem.with_suffix(CANCEL).unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(error) from error
    write_status(stem.with_suffix(STATUS), workers.WorkerStatus.awaited())
    files = (f"--out={stem.with_suffix(RESULT)}", f"--status={stem.with_suffix(STATUS)}")
    workers.start(REPLAY, stem, str(campaign), f"--network={network}", *files)


def standing(campaign_id: str, network: str) -> workers.WorkerStatus | None:
    """Where the replay stands; None if there never was one."""
    stem = _stem(campaign_id, network)
    status = read_status(stem.with_suffix(STATUS))
    if status is None:
        return None
    return replace(status, state=status.now_of(REPLAY, stem))


def result_of(campaign_id: str, network: str) -> Replayed | None:
    """What the replay found; None if it has not finished.

    Raises:
        DataError: its file is damaged.
    """
    path = _stem(campaign_id, network).with_suffix(RESULT)
    try:
        return read_record(Replayed, path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise DataError("a replay that can be read", f"{path.name} ({error})", "replay again") from error


def cancel(campaign_id: str, network: str) -> None:
    """Ends the worker of a replay: its own at once, one that another process started within a second."""
    stem = _stem(campaign_id, network)
    stem.with_suffix(CANCEL).touch()
    workers.stop(REPLAY, stem)


def _stem(campaign_id: str, network: str) -> Path:
    """Where the files are; ids and names get into no path."""
    return home() / "replays" / hashlib.sha256(f"{campaign_id}\n{network}".encode()).hexdigest()[:24]
