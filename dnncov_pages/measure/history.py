"""The list of measurements, newest first, each with a link."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.phrases.states import MEASUREMENT_STATES
from dnncov_core.records import State
from dnncov_core.suites.library import measurements, open_measurement, standing
from dnncov_pages.measure.progress import PARAMETER, headline, own_name_of
from dnncov_pages.shared.jobs import badge
from dnncov_pages.shared.lists import link, paged
from dnncov_pages.shared.words import plain, with_own


def measurement_list(current: str | None) -> None:
    """Measurements with state and coverage."""
    known = list(measurements())
    st.subheader("Measurements", anchor=False)
    if not known:
        st.caption("None yet. Choose network, suite and criteria above, and press Measure; the result appears here.")
        return
    paged(known, "measurements", lambda each: _row(each, current=each == current))


def _row(measurement_id: str, *, current: bool) -> None:
    try:
        found = standing(measurement_id)
        title, state = with_own(own_name_of(measurement_id), headline(found.spec)), found.state
        words = "Shown above." if current else _in_words(measurement_id, found.state, found.spec.criteria)
    except DnncovError as error:
        title, state, words = measurement_id, None, plain(str(error))
    with st.container(border=True, gap="xsmall"):
        mark = None if state is None else partial(badge, state, MEASUREMENT_STATES[state])
        link("dnncov_pages/measure/page.py", PARAMETER, measurement_id, title=title, current=current, mark=mark)
        st.markdown(words)


def _in_words(measurement_id: str, state: State, criteria: str) -> str:
    if state is not State.FINISHED:
        return f"No result · :gray[{plain(criteria.replace(',', ', '))}]"
    found = open_measurement(measurement_id)
    return " · ".join(f"**{plain(each.name)}** {plain(each.percent)}" for each in found.criteria)
