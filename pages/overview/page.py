"""Overview: everything that the user has, and where a first visit begins."""

from __future__ import annotations

from contextlib import nullcontext

import streamlit as st

from dnncov_core.entries.kinds import left_out
from dnncov_core.entries.rows import EntryRow, entries
from dnncov_core.phrases.numbers import counted
from pages.overview.entries import TABLE, all_rows, cards, filtered, is_changing, listing, none_matches
from pages.overview.finished_example import finished_example
from pages.overview.first_visit import criteria_on_demand, examples, first_steps, more_to_begin_with
from pages.overview.menu import say_what_happened, trash
from pages.shared import address
from pages.shared.campaigns import NEW
from pages.shared.jobs import follow
from pages.shared.page_registry import link, page_of
from pages.shared.words import plain

if "campaign" in st.query_params:  # addresses of earlier versions, in which Run was the first page
    st.switch_page(page_of("run"), query_params={"campaign": st.query_params["campaign"]})

address.say({})
st.title("Overview", anchor=False)


def everything(current: list[EntryRow]) -> None:
    """The list, as it is now."""
    say_what_happened()
    left, view = filtered(current)
    n = len(current)
    all_of_them = counted(n, "entry", "entries")
    st.caption(all_of_them if len(left) == n else f"{len(left):,} of {all_of_them}")
    if not left and current:
        none_matches()
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
        link("run", "New campaign", {NEW: "form"}, icon="add_circle")
        link("measure", "New measurement", {NEW: "form"})
        link("bring", "Bring your own network or inputs")
    follow(lambda: nullcontext(all_rows()), everything, changing=is_changing)
    finished_example()
    with st.expander("Examples to start with one click", icon=":material/rocket_launch:"):
        examples()
    criteria_on_demand()
else:
    say_what_happened()
    first_steps()
    finished_example()
    more_to_begin_with()
trash()
