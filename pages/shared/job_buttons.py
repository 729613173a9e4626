"""Buttons of jobs: Cancel, Resume and Close; and what is said where a job cannot be started."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import cancel, resume
from dnncov_core.errors import DnncovError
from dnncov_core.jobs import Job
from dnncov_core.phrases.states import cannot_resume, failure, goes_on_elsewhere
from dnncov_core.records import State
from dnncov_core.workers import ACTIVE, WorkerStatus
from pages.shared.campaigns import watch_next
from pages.shared.jobs import CANCELLED_HERE, is_changing, share_bar, why_it_failed
from pages.shared.page_registry import ROOM_OF_KIND, page_of
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import plain, say_error

T = TypeVar("T")
CONTINUED = (State.INTERRUPTED, State.CANCELLED, State.FAILED)
"""States of a campaign that Resume leaves."""
AFTER_THE_WORKER = "This can start once the worker has ended."
"""Said where something cannot start beside a worker."""


def campaign_button(store: CampaignStore) -> None:
    """Cancel while the campaign changes, which stays in its place, disabled, until the state has settled; or Resume.

    Draw `below_campaign_button` below its row.
    """
    state, campaign_id = store.state(), store.path.stem
    if is_changing(store):
        cancel_button(
            _cancel_campaign,
            campaign_id,
            place=campaign_id,
            key="cancel",
            words="Stops within two seconds. What is stored stays, and Resume goes on.",
            cancelling=store.worker.cancel_requested() or state not in ACTIVE,
        )
    elif _can_resume(store, state):
        st.button(
            "Resume",
            icon=":material/resume:",
            type="primary",
            on_click=attempt,
            args=(campaign_id, resume, campaign_id),
            key="resume",
            help="Goes on with what is left to do; effects that an earlier version did not store are found, too.",
        )


def _can_resume(store: CampaignStore, state: State) -> bool:
    if cannot_resume(store):
        return False
    left = failure(state, store.worker.message()) or store.pairs.count(PairFilter(without_effects=True))
    return state in CONTINUED or bool(left)


def below_campaign_button(store: CampaignStore) -> None:
    """Why a click on the button was refused, and on which device Resume goes on where it is not the one asked for."""
    say_refusal(store.path.stem)
    elsewhere = goes_on_elsewhere(store.spec().device)
    if elsewhere and not is_changing(store) and _can_resume(store, store.state()):
        st.info(plain(elsewhere), icon=":material/memory:")


def cancel_button(
    action: Callable[[T], None], job: T, *, place: str, key: str, words: str, cancelling: bool = False
) -> None:
    """The button that asks a job's worker to stop by ``action``; ``words`` say how soon it does, and what stays.

    Where that is refused, `say_refusal` says why at ``place``.
    """
    st.button(
        "Cancelling …" if cancelling else "Cancel",
        icon=":material/stop:",
        disabled=cancelling,
        on_click=attempt,
        args=(place, action, job),
        key=key,
        help=words,
    )


def _cancel_campaign(campaign_id: str) -> None:
    st.session_state[CANCELLED_HERE] = (campaign_id, time.monotonic())
    cancel(campaign_id)


def show_work(job: Job, status: WorkerStatus | None, words: str, *, place: str, key: str) -> None:
    """How far a worker is, with ``words`` and the button that ends it; or why it ended without a result."""
    say_refusal(place)
    if status is not None and status.state in ACTIVE:
        share_bar(status, words)
        cancel_button(Job.cancel, job, place=place, key=key, words="Stops within a second.")
    elif status is not None and status.state in (State.FAILED, State.INTERRUPTED):
        why_it_failed(status.message)


def close_button(kind: str, words: str) -> None:
    """The button that takes a campaign off the page Run, or a measurement off Measure; its results stay."""
    if st.button("Close", icon=":material/close:", key=f"close-{kind}", help=words):
        watch_next(kind, None)
        st.rerun()


def start_job(kind: str, start: Callable[[], str]) -> None:
    """Starts a campaign or measurement, and goes to the page that shows it; a message in place where it cannot be."""
    try:
        entry_id = start()
    except DnncovError as error:
        say_error(error)
        return
    st.switch_page(page_of(ROOM_OF_KIND[kind]), query_params={kind: entry_id})
