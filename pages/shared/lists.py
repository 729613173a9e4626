"""Lists of campaigns or measurements, newest first: a page of entries at a time, each with a link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.records import State
from pages.shared.jobs import badge
from pages.shared.words import plain

PER_PAGE = 8
SHOWN_ABOVE = "Shown above."


@dataclass(frozen=True)
class ListEntry:
    """What a list says of a campaign or measurement.

    Attributes:
        title: of the link.
        state: where it stands; not said of what is shown above, nor of what cannot be read.
        meaning: what the state means; empty for what it means for a campaign.
        line: its numbers, in Markdown.
        below: more of it, in small letters.
    """

    title: str
    state: State | None
    meaning: str
    line: str
    below: str = ""


def paged_list(
    ids: Sequence[str], read: Callable[[str], ListEntry], *, page: str, parameter: str, current: str | None
) -> None:
    """The entries of the page that is turned to, and where there are several pages, what turns them.

    Args:
        ids: of all entries.
        read: an entry's title, state and numbers; an error is shown in their place.
        page: which page shows an entry.
        parameter: of that page's address.
        current: the id that the page shows now.
    """
    n_pages = -(-len(ids) // PER_PAGE)
    key = f"{parameter}-list-{n_pages}"
    first = (st.session_state.get(key, 1) - 1) * PER_PAGE
    for entry_id in ids[first : first + PER_PAGE]:
        try:
            entry = read(entry_id)
        except DnncovError as error:
            entry = ListEntry(entry_id, None, "", plain(str(error)))
        with st.container(border=True, gap="xsmall"):
            _head(entry, entry_id, page=page, parameter=parameter, current=entry_id == current)
            st.markdown(entry.line)
            if entry.below:
                st.caption(entry.below)
    if n_pages > 1:
        st.pagination(n_pages, key=key)


def _head(entry: ListEntry, entry_id: str, *, page: str, parameter: str, current: bool) -> None:
    """The link, the state unless it is shown above, and the id."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(
            page,
            label=entry.title,
            icon=":material/visibility:" if current else ":material/folder_open:",
            query_params={parameter: entry_id},
            help=f"Open {parameter} {entry_id}",
        )
        if entry.state is not None and not current:
            badge(entry.state, entry.meaning)
        st.caption(entry_id, width="content")
