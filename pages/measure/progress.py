"""Measurements as they run: a single fragment that follows the one that the page shows."""

from __future__ import annotations

from contextlib import nullcontext

import streamlit as st

from dnncov_core.entries.kinds import read_note
from dnncov_core.phrases.states import MEASUREMENT_STATES
from dnncov_core.records import State
from dnncov_core.suites.library import Standing, cancel, standing, viewable
from dnncov_core.suites.remarks import headline
from dnncov_core.workers import ACTIVE
from pages.shared.campaigns import MEASUREMENT
from pages.shared.job_buttons import cancel_button, close_button
from pages.shared.jobs import badge, follow, share_bar, why_it_failed
from pages.shared.refusals import say_refusal
from pages.shared.words import plain, with_own

EVERY_SECONDS = 0.7

DOING = {
    "reference data": "Ranges of the reference data",
    "neurons": "Single neurons",
    "signs": "Sign patterns",
    "layer pairs": "Layer pairs",
    "effects": "Effects of conditions",
}
"""What a worker does, by its own word."""


def own_name_of(measurement_id: str) -> str:
    """The user's own name for a measurement; empty where there is none."""
    stem = viewable().get(measurement_id)
    return "" if stem is None else read_note(stem).name


def watch(measurement_id: str | None) -> None:
    """The panel of one measurement while it is active or has no result; call it once a page, at top level."""
    follow(
        None if measurement_id is None else lambda: nullcontext(standing(measurement_id)),
        lambda job: _show(str(measurement_id), job),
        changing=lambda job: job.state in ACTIVE,
        every_seconds=EVERY_SECONDS,
    )


def _show(measurement_id: str, job: Standing) -> None:
    with st.container(border=True):
        head, place = st.container(horizontal=True, vertical_alignment="center", gap="small"), st.empty()
        if job.state is not State.FINISHED:  # first, so that what was said here is gone before the state is another
            with place.container():
                _how_far(job)
        with head:
            st.subheader(with_own(own_name_of(measurement_id), headline(job.spec)), anchor=False, width="content")
            badge(job.state, MEASUREMENT_STATES[job.state])
            st.caption(plain(measurement_id), width="stretch")
            _action(measurement_id, job.state)
        say_refusal(measurement_id)
        if job.state is State.FAILED:
            why_it_failed(job.message)


def _how_far(job: Standing) -> None:
    """What the worker does; once it is known how much that is, with a bar."""
    if job.state is State.RUNNING and job.status is not None:
        share_bar(job.status, DOING.get(job.status.doing) or plain(job.status.doing))
    else:
        st.caption(MEASUREMENT_STATES[job.state])


def _action(measurement_id: str, state: State) -> None:
    if state in ACTIVE:
        words = "Stops within a second. Nothing is kept."
        cancel_button(cancel, measurement_id, place=measurement_id, key="cancel-measurement", words=words)
    else:
        close_button(MEASUREMENT, "Takes it off this page; its result stays.")
