"""The pages of the app, links to them, and the frame around each."""

from __future__ import annotations

import gc
import runpy
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import streamlit as st

from dnncov_core.errors import DnncovError
from pages.shared import address
from pages.shared.words import say_error

APP = Path(__file__).parents[2] / "app.py"
PAGES = {
    "overview": "home",
    "run": "play_circle",
    "measure": "straighten",
    "layers": "layers",
    "distances": "show_chart",
    "examples": "image_search",
    "gaps": "grid_on",
    "compare": "compare_arrows",
    "playground": "scatter_plot",
}
"""Rooms of ``pages/`` in the order of the menu, each with its icon; an address without a page leads to the first."""
RESULTS = ("layers", "distances", "examples", "gaps")
"""Rooms with the results of one campaign."""
ROOM_OF_KIND = {"campaign": "run", "measurement": "measure"}
"""The page that shows an entry, by its kind."""
_modules_kept = 0
"""How many modules were loaded when they were last taken out of garbage collection."""


def page_of(room: str) -> str:
    """The file of a page, as Streamlit's links name it."""
    return f"pages/{room}/page.py"


def link(
    room: str,
    label: str,
    parameters: Mapping[str, str] | None = None,
    *,
    icon: str | None = "",
    words: str | None = None,
    disabled: bool = False,
    width: Literal["stretch", "content"] = "content",
) -> None:
    """A link to a page with these parameters of its address, and this help; disabled, it is text, and leads nowhere.

    Its icon is that of the page if it is empty; None is none.
    """
    symbol = None if icon is None else f":material/{icon or PAGES[room]}:"
    if disabled:
        st.caption(f"{symbol or ''} {label}", help=words, width=width)
        return
    st.page_link(page_of(room), label=label, icon=symbol, query_params=dict(parameters or {}), help=words, width=width)


@contextmanager
def around(page: str) -> Iterator[None]:
    """Surrounds the run of a page, named as in the address; an error that a user can mend appears in place."""
    _keep_modules()
    address.begin(page)
    try:
        yield
    except DnncovError as error:
        say_error(error)


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


def theme() -> str:
    """ "light" or "dark"; empty while the browser has not said it."""
    return st.context.theme.type or ""


def whole_app() -> None:
    """Runs the whole app where Streamlit runs a file of ``pages/`` by itself.

    A server that has not run `st.navigation` yet takes the files of a folder ``pages`` for its pages, and says "Page
    not found" to whoever opens the address of any other page first. So each page has a file ``_NAME.py`` there.
    """
    runpy.run_path(str(APP), run_name="__main__")
