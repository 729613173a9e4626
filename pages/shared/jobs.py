"""Jobs: campaigns, proofs and measurements, each worked on by a process of its own that outlives the page.

Pages show where a job stands as a badge, and follow it with one fragment that asks again and again while it may change;
`job_buttons` cancel, resume and close it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Literal, TypeVar

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.numbers import about, duration
from dnncov_core.phrases.states import NO_MESSAGE, STATES
from dnncov_core.ratios import percentage
from dnncov_core.records import State
from dnncov_core.workers import ACTIVE, WorkerStatus
from pages.shared.words import say_error

SETTLING_SECONDS = 1.5
"""How long a button Cancel keeps its place after a click."""
CANCELLED_HERE = "cancelled"
"""Key of the id of the campaign that this session cancelled last, and of the time."""

Job = TypeVar("Job")
Colour = Literal["gray", "blue", "orange", "red", "green"]
LOOKS: dict[State, tuple[Colour, str]] = {
    State.WAITING: ("gray", "hourglass_empty"),
    State.PREPARING: ("blue", "downloading"),
    State.RUNNING: ("blue", "play_arrow"),
    State.INTERRUPTED: ("orange", "pause"),
    State.CANCELLED: ("orange", "stop"),
    State.FAILED: ("red", "error"),
    State.FINISHED: ("green", "check"),
}
"""Colour and icon of each state."""


def badge(state: State, sentence: str = "") -> None:
    """The state as a coloured word with an icon; its help says ``sentence``, or what it means for a campaign."""
    colour, icon = LOOKS[state]
    st.badge(state.value.capitalize(), icon=f":material/{icon}:", color=colour, help=sentence or STATES[state])


def follow(
    opened: Callable[[], AbstractContextManager[Job]] | None,
    show: Callable[[Job], object],
    *,
    changing: Callable[[Job], bool],
    every_seconds: float = 3.0,
) -> None:
    """Shows a job now, and every so often while it may change by itself.

    Call it once a page, at top level and in every run, also with nothing to show: fragments that poll must not come and
    go. When the job ceases to change, or begins to, the whole page runs again.

    Args:
        opened: opens the job, anew for each look; None for nothing to show.
        show: draws it.
        changing: whether it may change; where it cannot be opened, it does not.
        every_seconds: between two looks.
    """
    at_first = False
    if opened is not None:
        with suppress(DnncovError), opened() as job:
            at_first = changing(job)

    def look() -> None:
        if opened is None:
            return
        try:
            with opened() as job:
                show(job)
                changed = changing(job) != at_first
        except DnncovError as error:
            say_error(error)
            return
        if changed:
            st.rerun()

    st.fragment(look, run_every=every_seconds if at_first else None)()


def is_active(store: CampaignStore) -> bool:
    """Whether a worker searches for the campaign's test pairs, or is about to."""
    return store.state() in ACTIVE


def is_changing(store: CampaignStore) -> bool:
    """Whether the campaign is active, or was cancelled here so short a time ago that a second click may follow."""
    campaign_id, since = st.session_state.get(CANCELLED_HERE, ("", 0.0))
    just_now = campaign_id == store.path.stem and time.monotonic() - since < SETTLING_SECONDS
    return is_active(store) or just_now


def follow_campaign(
    campaign_id: str | None,
    show: Callable[[CampaignStore], object],
    *,
    every_seconds: float = 3.0,
    changing: Callable[[CampaignStore], bool] = is_changing,
) -> None:
    """Calls ``show`` now, and every so often while the campaign is ``changing``; see `follow`."""
    opened = None if campaign_id is None else partial(_at_one_moment, campaign_id)
    follow(opened, show, changing=changing, every_seconds=every_seconds)


@contextmanager
def _at_one_moment(campaign_id: str) -> Iterator[CampaignStore]:
    with open_campaign(campaign_id) as store, store.at_one_moment():
        yield store


def share_bar(status: WorkerStatus, doing: str) -> None:
    """How far a worker is: what it does, the share of all work, and how long the rest takes at the mean rate so far.

    Shares, since a number of values says nothing to a reader.
    """
    text, spent = f"{doing} …", time.time() - status.started
    if status.total and status.done >= status.total:
        text = "All is done; the result is being written."
    elif status.total:
        left = f" · {about(spent * (status.total - status.done) / status.done, '~')} left" if status.done else ""
        text = f"{doing} · {percentage(status.done, status.total)} of all work · {duration(spent)} so far{left}"
    st.progress(status.share, text=text)


def why_it_failed(message: str) -> None:
    """The reason that the worker of a failed job left."""
    say_error(message or NO_MESSAGE)
