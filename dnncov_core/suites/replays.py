"""Replays of the user's campaigns on other networks: their folder, and the workers that the app starts for them.

A campaign has one replay on each network; a later one takes the place of the earlier once it is done. A replay that is
older than `KEPT_SECONDS` goes when the next one starts.
"""

from __future__ import annotations

import hashlib

from dnncov_core.campaign.library import path_of
from dnncov_core.campaign.review.replayed import Replayed
from dnncov_core.errors import unknown_name
from dnncov_core.jobs import DAY, Job, remove_old
from dnncov_core.record_files import read_or_refuse
from dnncov_core.registry import networks
from dnncov_core.resources import home
from dnncov_core.workers import ACTIVE

RESULT = ".json"
KEPT_SECONDS = 30 * DAY


def start(campaign_id: str, network: str) -> None:
    """Starts a worker that replays a campaign on a network; a replay that is at work goes on.

    Raises:
        SpecificationError: no embedded or registered network of this name.
        CampaignError: no campaign of this id.
        DataError: the folder cannot be written.
    """
    if network not in networks():
        raise unknown_name("network", network, networks())
    campaign, job = path_of(campaign_id), job_of(campaign_id, network)
    if (status := job.status) is None or status.state not in ACTIVE:
        remove_old(job.stem.parent.glob("*.*"), KEPT_SECONDS)
        job.start(str(campaign), f"--network={network}", f"--out={job.file(RESULT)}")


def result_of(campaign_id: str, network: str) -> Replayed | None:
    """What the replay found; None if it has not finished.

    Raises:
        DataError: its file is damaged.
    """
    path = job_of(campaign_id, network).file(RESULT)
    if not path.exists():
        return None
    return read_or_refuse(Replayed, path, "a replay that can be read", "replay again")


def job_of(campaign_id: str, network: str) -> Job:
    """The work of a replay; ids and names get into no path."""
    digest = hashlib.sha256(f"{campaign_id}\n{network}".encode()).hexdigest()
    return Job("replay", home() / "replays" / digest[:24])
