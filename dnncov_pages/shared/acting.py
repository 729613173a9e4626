"""The one button that changes where a campaign stands: Cancel while a worker is at it, Resume where it stopped."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import cancel, resume
from dnncov_core.errors import DnncovError
from dnncov_core.records import State
from dnncov_core.workers import ACTIVE

SETTLING_SECONDS = 1.5
"""How long the button Cancel keeps its place after a click."""
CONTINUED = (State.INTERRUPTED, State.CANCELLED, State.FAILED)

_CANCELLED = "cancelled"


def actions(store: CampaignStore) -> None:
    """One button: Cancel, which stays in its place, disabled, until the state has settled; or Resume."""
    state, campaign_id = store.state(), store.path.stem
    cancelling = store.worker.cancel_requested() or state not in ACTIVE
    if is_changing(store):
        st.button(
            "Cancelling …" if cancelling else "Cancel",
            icon=":material/stop:",
            disabled=cancelling,
            on_click=_cancel,
            args=(campaign_id,),
            key="cancel",
            help="Stops within two seconds. What is stored stays, and Resume goes on.",
        )
    elif state in CONTINUED:
        st.button(
            "Resume",
            icon=":material/resume:",
            type="primary",
            on_click=_do,
            args=(resume, campaign_id),
            key="resume",
            help="Goes on with the test conditions that have no outcome yet.",
        )


def is_changing(store: CampaignStore) -> bool:
    """Whether the campaign is active, or was cancelled here so short a time ago that a second click may follow."""
    campaign_id, since = st.session_state.get(_CANCELLED, ("", 0.0))
    just_now = campaign_id == store.path.stem and time.monotonic() - since < SETTLING_SECONDS
    return store.state() in ACTIVE or just_now


def _cancel(campaign_id: str) -> None:
    st.session_state[_CANCELLED] = (campaign_id, time.monotonic())
    _do(cancel, campaign_id)


def _do(action: Callable[[str], None], campaign_id: str) -> None:
    try:
        action(campaign_id)
    except DnncovError as error:
        st.toast(str(error), icon=":material/error:")
