"""The list of measurements, newest first, each with a link."""

from __future__ import annotations

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.records import State
from dnncov_core.suites.library import measurements, open_measurement, standing
from pages.parts.measuring import PARAMETER, badge, headline
from pages.parts.words import plain

PER_PAGE = 8


def measurement_list(current: str | None) -> None:
    """Measurements with state and coverage."""
    known = list(measurements())
    st.subheader("Measurements", anchor=False)
    if not known:
        st.caption("None yet. Choose network, suite and criteria above, and press Measure; the result appears here.")
        return
    n_pages = -(-len(known) // PER_PAGE)
    key = f"measurements-{n_pages}"
    page = st.session_state.get(key, 1)
    for measurement_id in known[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _row(measurement_id, current=measurement_id == current)
    if n_pages > 1:
        st.pagination(n_pages, key=key)


def _row(measurement_id: str, *, current: bool) -> None:
    try:
        found = standing(measurement_id)
        title, state = headline(found.spec), found.state
        words = "Shown above." if current else _in_words(measurement_id, found.state, found.spec.criteria)
    except DnncovError as error:
        title, state, words = measurement_id, None, plain(str(error))
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.page_link(
                "pages/measure.py",
                label=title,
                icon=":material/visibility:" if current else ":material/folder_open:",
                query_params={PARAMETER: measurement_id},
                help=f"Open measurement {measurement_id}",
            )
            if state is not None and not current:
                badge(state)
            st.caption(f"`{measurement_id}`", width="content")
        st.markdown(words)


def _in_words(measurement_id: str, state: State, criteria: str) -> str:
    if state is not State.FINISHED:
        return f"No result · :gray[{plain(criteria.replace(',', ', '))}]"
    found = open_measurement(measurement_id)
    return " · ".join(f"**{plain(each.name)}** {plain(each.percent)}" for each in found.criteria)
