"""Where a first visit begins: what the app is for, examples that one click starts, and the criteria below."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import streamlit as st

from dnncov_core.entries.ready_made import READY_MADE, start_ready_made
from dnncov_core.example import FOLDER
from dnncov_core.phrases.glossary import PURPOSE
from pages.shared.campaigns import NEW
from pages.shared.criteria import PAPER, criteria_in_a_minute
from pages.shared.job_buttons import start_job
from pages.shared.page_registry import link
from pages.shared.words import plain

FIRST_THREE = ("measure", "digits", "photos")
"""The examples that a first visit shows, each with a picture of its result."""


def first_steps() -> None:
    """What the app is for, and three examples to begin with; the rest is on this page below."""
    st.markdown(f"**DNN Coverage Explorer** {PURPOSE}")
    st.subheader("Begin with an example", anchor=False)
    examples(FIRST_THREE, pictures=True)


def more_to_begin_with() -> None:
    """The other examples, and where one's own work begins."""
    with st.expander("More examples to start with one click", icon=":material/rocket_launch:"):
        examples(key for key in READY_MADE if key not in FIRST_THREE)
    criteria_on_demand()
    with st.container(horizontal=True):
        link("bring", "Bring your own network or inputs")
        link("run", "New campaign", {NEW: "form"}, icon="add_circle")
        link("measure", "Measure inputs that you have", {NEW: "form"})
        link("help", "The words, and how to read the figures")
    st.markdown(PAPER)


def criteria_on_demand() -> None:
    """The criteria, folded; they and their figures are loaded when they are asked for."""
    with st.expander(
        "The covering methods in a minute", icon=":material/school:", key="minute", on_change="rerun"
    ) as minute:
        if minute.open:
            criteria_in_a_minute()


def examples(keys: Iterable[str] = READY_MADE, *, pictures: bool = False) -> None:
    """A button for each of these ready-made campaigns and measurements."""
    with st.grid(3, min_column_width=250):
        for key in keys:
            ready = READY_MADE[key]
            with st.container(border=True, height="stretch", gap="xsmall"):
                if pictures and ready.picture:
                    st.image(str(FOLDER / ready.picture), alt=ready.shown, width="stretch")
                st.markdown(f"**{plain(ready.title)}**")
                st.caption(plain(ready.words))
                if st.button("Start", icon=":material/play_arrow:", key=f"start-{key}", help=f"Starts a {ready.kind}."):
                    start_job(ready.kind, partial(start_ready_made, key))
