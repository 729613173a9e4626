"""Lists of what the user has, newest first: a page of entries at a time, each with a link."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

PER_PAGE = 8


def paged(ids: Sequence[str], key: str, entry: Callable[[str], None]) -> None:
    """The entries of the page that is turned to, and where there are several pages, what turns them."""
    n_pages = -(-len(ids) // PER_PAGE)
    key = f"{key}-{n_pages}"
    page = st.session_state.get(key, 1)
    for each in ids[(page - 1) * PER_PAGE : page * PER_PAGE]:
        entry(each)
    if n_pages > 1:
        st.pagination(n_pages, key=key)


def link(page: str, parameter: str, each: str, *, title: str, current: bool, mark: Callable[[], None] | None) -> None:
    """An entry's first line: the link, its state where one is given and it is not shown above, and its id.

    Args:
        page: the page that shows it.
        parameter: of that page's address.
        each: the entry's id.
        title: of the link.
        current: whether the page shows it now.
        mark: draws its state.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(
            page,
            label=title,
            icon=":material/visibility:" if current else ":material/folder_open:",
            query_params={parameter: each},
            help=f"Open {parameter} {each}",
        )
        if mark is not None and not current:
            mark()
        st.caption(each, width="content")
