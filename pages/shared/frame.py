"""The frame around every page."""

from __future__ import annotations

import gc
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from dnncov_core.errors import DnncovError
from pages.shared import address, refusals
from pages.shared.words import say_error

APP = Path(__file__).parents[2] / "app.py"
_modules_kept = 0
"""How many modules were loaded when they were last taken out of garbage collection."""


@contextmanager
def around(page: str) -> Iterator[None]:
    """Surrounds the run of a page, named as in the address; an error that a user can mend appears in place."""
    _keep_modules()
    address.begin(page)
    refusals.begin()
    try:
        yield
    except DnncovError as error:
        say_error(error)
    finally:  # also where the page has stopped
        st.button("Draw again in the system's colours", key="theme-turned")  # hidden: assets/app.js presses it


def refuse_other_origins() -> None:
    """Stops, after a message, for whoever comes through a page of another server, also of one on this machine.

    Streamlit lets in every origin whose host is this one, whatever its port.
    """
    origin = st.context.headers.get("Origin")
    if origin is None or not st.get_option("server.enableCORS"):
        return
    own = urlsplit(origin).netloc == st.context.headers.get("Host")
    if not own and origin not in st.get_option("server.corsAllowedOrigins"):
        say_error(f"expected a page of this app; got one of {origin}; open the app at its own address")
        st.stop()


def _keep_modules() -> None:
    """Takes modules out of garbage collection when more of them are loaded than before.

    Streamlit collects after each run of a page, which would look through all objects of all modules: 80 ms. What
    else is alive at that moment is passed over from then on too: objects in it that refer to each other stay in memory.
    """
    global _modules_kept
    if len(sys.modules) != _modules_kept:
        _modules_kept = len(sys.modules)
        gc.collect()
        gc.freeze()


def skip_to(place: str) -> str:
    """The key of a container to which a link before all else on the page skips; ``assets/app.js`` makes the links."""
    return f"skip-to-{place.replace(' ', '-')}"


def theme() -> str:
    """ "light" or "dark"; empty while the browser has not said it."""
    return st.context.theme.type or ""


def whole_app() -> None:
    """Runs the whole app where Streamlit runs a file of ``pages/`` by itself.

    A server that has not run `st.navigation` yet takes the files of a folder ``pages`` for its pages, and says "Page
    not found" to whoever opens the address of any other page first. So each page has a file ``_NAME.py`` there.
    """
    runpy.run_path(str(APP), run_name="__main__")
