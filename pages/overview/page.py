"""Overview: everything that the user has, and where a first visit begins."""

from __future__ import annotations

import streamlit as st

from pages.overview.entries import TABLE, all_rows, cards, filtered, is_changing, listing
from pages.overview.first_visit import criteria_in_a_minute, examples
from pages.overview.menu import say_what_happened, trash
from pages.shared.frame import page_of
from pages.shared.jobs import follow

if "campaign" in st.query_params:  # addresses of earlier versions, in which Run was the first page
    st.switch_page(page_of("run"), query_params={"campaign": st.query_params["campaign"]})

st.title("Overview", anchor=False)
rows = all_rows()


def first_visit() -> None:
    """What this is about, and how to begin."""
    st.caption("How thoroughly was a neural network tested, and which tests are missing?")
    say_what_happened()
    criteria_in_a_minute()
    st.subheader("Begin with an example", anchor=False)
    st.caption("One click; on networks and data that are here already. Or choose everything yourself on the page Run.")
    examples()
    with st.container(horizontal=True):
        st.page_link(page_of("run"), label="New campaign", icon=":material/play_circle:")
        st.page_link(page_of("measure"), label="Measure inputs that you have", icon=":material/straighten:")


def everything() -> bool:
    """The list, as it is now; returns whether an entry may change by itself."""
    current = all_rows()
    say_what_happened()
    left, view = filtered(current)
    n = len(current)
    noun = "entry" if n == 1 else "entries"
    st.caption(f"{n:,} {noun}" if len(left) == n else f"{len(left):,} of {n:,} {noun}")
    if not left:
        st.info("No entry matches. Remove a word or a filter above.")
    elif view == TABLE:
        listing(left)
    else:
        cards(left)
    if not current:  # the last one was deleted: this is a first visit again
        st.rerun()
    return is_changing(current)


if rows:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Your campaigns and measurements, newest first.", width="stretch")
        st.page_link(page_of("run"), label="New campaign", icon=":material/add_circle:")
        st.page_link(page_of("measure"), label="New measurement", icon=":material/straighten:")
    follow(everything, changing=lambda: is_changing(rows))
    with st.expander("Examples to start with one click", icon=":material/rocket_launch:"):
        examples()
    with st.expander(
        "The four criteria in a minute", icon=":material/school:", key="minute", on_change="rerun"
    ) as minute:
        if minute.open:
            criteria_in_a_minute()
else:
    first_visit()
trash()
