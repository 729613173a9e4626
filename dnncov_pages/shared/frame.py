"""The frame around every page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_pages.shared import address


@contextmanager
def around(page: str) -> Iterator[None]:
    """Surrounds the run of a page; an error that a user can mend appears in place, as its message.

    Args:
        page: its name in the address.
    """
    address.begin(page)
    try:
        yield
    except DnncovError as error:
        st.error(str(error), icon=":material/error:")


def theme() -> str:
    """ "light" or "dark"; empty while the browser has not said it."""
    return st.context.theme.type or ""
