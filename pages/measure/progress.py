"""Measurements as they run: which one the page shows, and a single fragment that follows it."""

from __future__ import annotations

import time

import streamlit as st

from dnncov_core.entries import read_note
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.numbers import duration, roughly
from dnncov_core.phrases.states import MEASUREMENT_STATES
from dnncov_core.ratios import percentage
from dnncov_core.records import State
from dnncov_core.suites.library import Standing, cancel, measurements, standing
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.workers import ACTIVE, WorkerStatus
from pages.shared import address
from pages.shared.jobs import badge, cancel_button, follow, why_it_failed
from pages.shared.words import plain, with_own

PARAMETER = "measurement"
EVERY_SECONDS = 0.7

DOING = {"reference data": "Ranges of the reference data", "neurons": "Single neurons", "signs": "Sign patterns"}
"""What a worker does, by its own word."""


def shown() -> str | None:
    """The id of the page's measurement, from its address or as last seen; an unknown one leaves a message."""
    asked = address.asked().get(PARAMETER)
    if asked is not None and asked not in measurements():
        st.warning(
            f"There is no measurement {plain(asked[:80])} here. Choose one from the list.", icon=":material/help:"
        )
        asked = None
    show_next(asked)
    return asked


def show_next(measurement_id: str | None) -> None:
    """Makes it the page's measurement, and that of its address; None for none."""
    address.say({} if measurement_id is None else {PARAMETER: measurement_id})


def own_name_of(measurement_id: str) -> str:
    """The user's own name for a measurement; empty where there is none."""
    stem = measurements().get(measurement_id)
    return "" if stem is None else read_note(stem).name


def headline(spec: MeasurementSpec) -> str:
    """What a measurement is about, in a few words."""
    return f"{spec.network} · {spec.suite}" + (f" · reference data {spec.reference}" if spec.reference else "")


def watch(measurement_id: str | None) -> None:
    """The panel of one measurement while it is active or has no result; call it once a page, at top level."""

    def show() -> bool:
        if measurement_id is None:
            return False
        found = standing(measurement_id)
        _show(measurement_id, found)
        return found.state in ACTIVE

    active = measurement_id is not None and _state(measurement_id) in ACTIVE
    follow(show, changing=active, every_seconds=EVERY_SECONDS)


def _state(measurement_id: str) -> State | None:
    try:
        return standing(measurement_id).state
    except DnncovError:
        return None  # what is shown says what is wrong


def _show(measurement_id: str, found: Standing) -> None:
    with st.container(border=True):
        head, place = st.container(horizontal=True, vertical_alignment="center", gap="small"), st.empty()
        if found.state is not State.FINISHED:  # first, so that what was said here is gone before the state is another
            with place.container():
                _how_far(found)
        with head:
            st.subheader(with_own(own_name_of(measurement_id), headline(found.spec)), anchor=False, width="content")
            badge(found.state, MEASUREMENT_STATES[found.state])
            st.caption(plain(measurement_id), width="stretch")
            _action(measurement_id, found.state)
        if found.state is State.FAILED:
            why_it_failed(found.message)


def _how_far(found: Standing) -> None:
    """What the worker does; once it is known how much that is, with a bar."""
    if found.state is State.RUNNING and found.status is not None:
        st.progress(found.status.done / max(1, found.status.total), text=_progress(found.status))
    else:
        st.caption(MEASUREMENT_STATES[found.state])


def _action(measurement_id: str, state: State) -> None:
    if state in ACTIVE:
        cancel_button(cancel, measurement_id, key="cancel-measurement", words="Stops within a second. Nothing is kept.")
    elif st.button(
        "Close", icon=":material/close:", key="close-measurement", help="Takes it off this page; its result stays."
    ):
        show_next(None)
        st.rerun()


def _progress(status: WorkerStatus) -> str:
    """What is being done, the share of all work, and how long the rest takes at the mean rate so far.

    Shares, since inputs go through the network several times.
    """
    if status.done >= status.total:
        return "All inputs are through the network; what their signs and values cover is being counted."
    spent = time.time() - status.started
    left = f" · ~ {roughly(spent * (status.total - status.done) / status.done)} left" if status.done else ""
    doing = DOING.get(status.doing, status.doing)
    return f"{doing} · {percentage(status.done, status.total)} of all work · {duration(spent)} so far{left}"
