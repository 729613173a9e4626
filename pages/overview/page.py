"""Overview: everything that the user has, and where a first visit begins."""

from __future__ import annotations

from contextlib import nullcontext

import streamlit as st

from dnncov_core.entries.kinds import left_out
from dnncov_core.entries.rows import EntryRow, entries
from dnncov_core.phrases.numbers import counted
from pages.overview.entries import TABLE, all_rows, cards, filtered, is_changing, listing
from pages.overview.first_visit import criteria_in_a_minute, examples
from pages.overview.menu import say_what_happened, trash
from pages.shared.jobs import follow
from pages.shared.page_registry import link, page_of
from pages.shared.words import plain

if "campaign" in st.query_params:  # addresses of earlier versions, in which Run was the first page
    st.switch_page(page_of("run"), query_params={"campaign": st.query_params["campaign"]})

st.title("Overview", anchor=False)


def first_visit() -> None:
    """What this is about, and how to begin."""
    st.caption("How thoroughly was a neural network tested, and which tests are missing?")
    say_what_happened()
    criteria_in_a_minute()
    st.subheader("Begin with an example", anchor=False)
    st.caption("One click; on networks and data that are here already. Or choose everything yourself on the page Run.")
    examples()
    with st.container(horizontal=True):
        link("run", "New campaign")
        link("measure", "Measure inputs that you have")


def everything(current: list[EntryRow]) -> None:
    """The list, as it is now."""
    say_what_happened()
    left, view = filtered(current)
    n = len(current)
    all_of_them = counted(n, "entry", "entries")
    st.caption(all_of_them if len(left) == n else f"{len(left):,} of {all_of_them}")
    if not left:
        st.info("No entry matches. Remove a word or a filter above.")
    elif view == TABLE:
        listing(left)
    else:
        cards(left)
    if not current:  # the last one was deleted: this is a first visit again
        st.rerun()


if names := left_out():
    words = f"Left out: {counted(len(names), 'file')} whose name is no text, {plain(', '.join(names))}. Rename it."
    st.warning(words, icon=":material/playlist_remove:")
if entries():
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Your campaigns and measurements, newest first.", width="stretch")
        link("run", "New campaign", icon="add_circle")
        link("measure", "New measurement")
    follow(lambda: nullcontext(all_rows()), everything, changing=is_changing)
    with st.expander("Examples to start with one click", icon=":material/rocket_launch:"):
        examples()
    with st.expander(
        "The covering methods in a minute", icon=":material/school:", key="minute", on_change="rerun"
    ) as minute:
        if minute.open:
            criteria_in_a_minute()
else:
    first_visit()
trash()
