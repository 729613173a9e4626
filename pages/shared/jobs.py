"""Jobs: campaigns, proofs and measurements, each worked on by a process of its own that outlives the page.

Pages show where a job stands as a badge, follow it with one fragment that asks again and again while it may change, and
have one button that cancels or resumes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import cancel, open_campaign, resume
from dnncov_core.campaign.parameters import by_label
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.states import STATES
from dnncov_core.records import State
from dnncov_core.workers import ACTIVE
from pages.shared.words import plain

SETTLING_SECONDS = 1.5
"""How long a button Cancel keeps its place after a click."""
CONTINUED = (State.INTERRUPTED, State.CANCELLED, State.FAILED)
"""States of a campaign that Resume leaves."""
AFTER_THE_WORKER = "This can start once the worker has ended."
"""Said where something cannot start beside a worker."""

_CANCELLED = "cancelled"

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


def follow(show: Callable[[], bool], *, changing: Callable[[], bool], every_seconds: float = 3.0) -> None:
    """Shows something now, and every so often while it may change.

    Call it once a page, at top level and in every run, also with nothing to show: fragments that poll must not come and
    go. Where ``show`` says otherwise than ``changing``, the whole page runs again.

    Args:
        show: draws it, and says whether it may still change by itself.
        changing: whether it may, as the page begins; an error means no, since ``show`` says what is wrong.
        every_seconds: between two looks.
    """
    try:
        at_first = changing()
    except DnncovError:
        at_first = False

    def body() -> None:
        try:
            changed = show() != at_first
        except DnncovError as error:
            st.error(str(error), icon=":material/error:")
            return
        if changed:
            st.rerun()

    st.fragment(body, run_every=every_seconds if at_first else None)()


def is_active(store: CampaignStore) -> bool:
    """Whether a worker searches for the campaign's test pairs, or is about to."""
    return store.state() in ACTIVE


def is_changing(store: CampaignStore) -> bool:
    """Whether the campaign is active, or was cancelled here so short a time ago that a second click may follow."""
    campaign_id, since = st.session_state.get(_CANCELLED, ("", 0.0))
    just_now = campaign_id == store.path.stem and time.monotonic() - since < SETTLING_SECONDS
    return is_active(store) or just_now


def follow_campaign(
    campaign_id: str | None,
    show: Callable[[CampaignStore], None],
    *,
    every_seconds: float = 3.0,
    changing: Callable[[CampaignStore], bool] = is_changing,
) -> None:
    """Calls ``show`` now, and every so often while the campaign is ``changing``; see `follow`."""

    def show_and_look() -> bool:
        if campaign_id is None:
            return False
        with open_campaign(campaign_id) as store, store.at_one_moment():
            show(store)
            return changing(store)

    def look() -> bool:
        if campaign_id is None:
            return False
        with open_campaign(campaign_id) as store:
            return changing(store)

    follow(show_and_look, changing=look, every_seconds=every_seconds)


def campaign_button(store: CampaignStore) -> None:
    """Cancel while the campaign changes, which stays in its place, disabled, until the state has settled; or Resume."""
    state, campaign_id = store.state(), store.path.stem
    if is_changing(store):
        cancel_button(
            _cancel_campaign,
            campaign_id,
            key="cancel",
            words="Stops within two seconds. What is stored stays, and Resume goes on.",
            cancelling=store.worker.cancel_requested() or state not in ACTIVE,
        )
    elif state in CONTINUED:
        st.button(
            "Resume",
            icon=":material/resume:",
            type="primary",
            on_click=ask,
            args=(resume, campaign_id),
            key="resume",
            help="Goes on with the test conditions that have no outcome yet.",
        )


def cancel_button(
    action: Callable[[str], None], job_id: str, *, key: str, words: str, cancelling: bool = False
) -> None:
    """The button that asks a job's worker to stop by ``action``; ``words`` say how soon it does, and what stays."""
    st.button(
        "Cancelling …" if cancelling else "Cancel",
        icon=":material/stop:",
        disabled=cancelling,
        on_click=ask,
        args=(action, job_id),
        key=key,
        help=words,
    )


def _cancel_campaign(campaign_id: str) -> None:
    st.session_state[_CANCELLED] = (campaign_id, time.monotonic())
    cancel(campaign_id)


def close_button(key: str, words: str, then: Callable[[], None]) -> None:
    """The button that takes a job off the page, and then draws the page without it."""
    if st.button("Close", icon=":material/close:", key=key, help=words):
        then()
        st.rerun()


def ask(action: Callable[[str], None], job_id: str) -> None:
    """Starts, cancels or resumes a job; where that cannot be done, a note says why."""
    try:
        action(job_id)
    except DnncovError as error:
        st.toast(plain(by_label(error)), icon=":material/error:")


def started(start: Callable[[], str]) -> str | None:
    """The id of a job that is started now; None after a message in place where it cannot be."""
    try:
        return start()
    except DnncovError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return None


def why_it_failed(message: str) -> None:
    """The reason that the worker of a failed job left."""
    st.error(plain(message) or "The worker ended without a message.", icon=":material/error:")
