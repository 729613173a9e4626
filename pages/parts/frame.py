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
_FRAMED = "framed"


@contextmanager
def around() -> Iterator[None]:
    """Surrounds the run of a page; an error that a user can mend appears in place, as its message."""
    st.session_state[_FRAMED] = True
    try:
        yield
    except DnncovError as error:
        st.error(str(error), icon=":material/error:")
    finally:
        st.session_state.pop(_FRAMED, None)


def require() -> None:
    """Runs the whole app instead of a bare page; does nothing within the app."""
    if _FRAMED not in st.session_state:
        runpy.run_path(str(APP), run_name="__main__")
        st.stop()
