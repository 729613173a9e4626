"""The pages of the app, a line each, and links to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import streamlit as st

PAGES = {
    "overview": "home",
    "bring": "upload_file",
    "run": "play_circle",
    "measure": "straighten",
    "worth": "balance",
    "layers": "layers",
    "distances": "show_chart",
    "examples": "image_search",
    "gaps": "grid_on",
    "compare": "compare_arrows",
    "replay": "replay",
    "playground": "scatter_plot",
    "help": "help",
}
"""Rooms of ``pages/`` in the order of the menu, each with its icon; an address without a page leads to the first."""
RESULTS = ("layers", "distances", "examples", "gaps")
"""Rooms with the results of one campaign."""
ROOM_OF_KIND = {"campaign": "run", "measurement": "measure"}
"""The page that shows an entry, by its kind."""


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
