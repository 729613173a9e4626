"""The frame around every page, also where Streamlit runs a page without it.

A server that has run no `st.navigation` yet takes the files of ``pages/`` for pages of their own. Whoever opens the
address of such a page first would see it without title, menu and messages.
"""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from dnncov_core.errors import DnncovError

APP = Path(__file__).parents[2] / "app.py"
_FRAMED, _RUNS, _RAN = "framed", "page_that_runs", "page_that_ran"


@contextmanager
def around(page: str) -> Iterator[None]:
    """Surrounds the run of a page; an error that a user can mend appears in place, as its message.

    Args:
        page: its name in the address.
    """
    st.session_state[_FRAMED] = True
    st.session_state[_RAN], st.session_state[_RUNS] = st.session_state.get(_RUNS), page
    try:
        yield
    except DnncovError as error:
        st.error(str(error), icon=":material/error:")
    finally:
        st.session_state.pop(_FRAMED, None)


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


def require() -> None:
    """Runs the whole app instead of a bare page; does nothing within the app."""
    if _FRAMED not in st.session_state:
        runpy.run_path(str(APP), run_name="__main__")
        st.stop()


def theme() -> str:
    """ "light" or "dark"; empty while the browser has not said it."""
    return st.context.theme.type or ""
