"""The frame around every page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from dnncov_core.errors import DnncovError

_RUNS, _RAN = "page_that_runs", "page_that_ran"


@contextmanager
def around(page: str) -> Iterator[None]:
    """Surrounds the run of a page; an error that a user can mend appears in place, as its message.

    Args:
        page: its name in the address.
    """
    st.session_state[_RAN], st.session_state[_RUNS] = st.session_state.get(_RUNS), page
    try:
        yield
    except DnncovError as error:
        st.error(str(error), icon=":material/error:")


def asked(parameter: str, last: str) -> str | None:
    """The id that the page's address names; without one, that of the session's state ``last``.

    Not so where this page has just run, as it does when a visitor goes back from an entry to the page without one.
    """
    named: str | None = st.query_params.get(parameter)
    if named is None and from_elsewhere():
        named = st.session_state.get(last)
    return named


def from_elsewhere() -> bool:
    """Whether the visitor comes from another page, or has just come."""
    return st.session_state.get(_RAN) != st.session_state.get(_RUNS)


def name_in_address(parameter: str, each: str | None) -> None:
    """Makes the page's address name an entry; None for none.

    An address that names it already is written again: from a link to the page that is shown, Streamlit reads the
    parameter and leaves the browser's address as it was.
    """
    if each is None:
        st.query_params.pop(parameter, None)
    else:
        st.query_params[parameter] = each


def theme() -> str:
    """ "light" or "dark"; empty while the browser has not said it."""
    return st.context.theme.type or ""
