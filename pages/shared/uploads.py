"""Whether files can be dropped into pages: where the app listens to this machine alone, or whoever runs it says so.

``.streamlit/config.toml`` allows none, so that a server takes nothing before a page of it has run.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st
from streamlit import config

LARGEST_MEGABYTES = 1024
"""Of a file, where nobody says otherwise: the server holds it in memory until it is all there."""
_OPTION = "server.maxUploadSize"
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_BY_WHO_RUNS_IT = "command-line argument or environment variable"
"""Streamlit's words for where an option comes from that is in no file."""


def largest_megabytes() -> int:
    """The largest file that can be dropped; 0 where none can."""
    return int(st.get_option(_OPTION))


def allow_here() -> None:
    """Lets files be dropped where only this machine reaches the app; what whoever runs it says of them stays."""
    said = config.get_where_defined(_OPTION) == _BY_WHO_RUNS_IT
    if not said and largest_megabytes() == 0 and _is_local():
        config.set_option(_OPTION, LARGEST_MEGABYTES, "app.py")


def _is_local() -> bool:
    """Whether the app listens on this machine alone, and is known by no other machine's name, as behind a proxy."""
    hosts = [st.get_option("server.address"), *(st.get_option("server.allowedHosts") or [None])]
    origins = [urlsplit(origin).hostname for origin in st.get_option("server.corsAllowedOrigins")]
    return {*hosts, *origins} <= _LOCAL
