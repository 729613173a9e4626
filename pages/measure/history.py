"""The list of measurements, newest first, each with a link."""

from __future__ import annotations

import streamlit as st

from dnncov_core.phrases.states import MEASUREMENT_STATES
from dnncov_core.records import State
from dnncov_core.suites.library import measurements, open_measurement, standing
from pages.measure.progress import PARAMETER, headline, own_name_of
from pages.shared.lists import SHOWN_ABOVE, ListEntry, paged_list
from pages.shared.words import plain, with_own


def measurement_list(current: str | None) -> None:
    """Measurements with state and coverage."""
    known = list(measurements())
    st.subheader("Measurements", anchor=False)
    if not known:
        st.caption("None yet. Choose network, suite and criteria above, and press Measure; the result appears here.")
        return
    paged_list(
        known,
        lambda measurement_id: _entry(measurement_id, current=measurement_id == current),
        page="pages/measure/page.py",
        parameter=PARAMETER,
        current=current,
    )


def _entry(measurement_id: str, *, current: bool) -> ListEntry:
    found = standing(measurement_id)
    title = with_own(own_name_of(measurement_id), headline(found.spec))
    line = SHOWN_ABOVE if current else _in_words(measurement_id, found.state, found.spec.criteria)
    return ListEntry(title, found.state, MEASUREMENT_STATES[found.state], line)


def _in_words(measurement_id: str, state: State, criteria: str) -> str:
    if state is not State.FINISHED:
        return f"No result · :gray[{plain(criteria.replace(',', ', '))}]"
    found = open_measurement(measurement_id)
    return " · ".join(f"**{plain(each.name)}** {plain(each.percent)}" for each in found.criteria)
