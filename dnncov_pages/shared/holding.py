"""Widgets that show what the address says, and change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st


def holding(key: str, value: object, then: Callable[[str], None]) -> dict[str, Any]:
    """A widget that shows ``value``, whatever it held before, and does ``then`` with its key when it is changed.

    Its options must be named alike in every run: a browser that lags behind sends a name of an earlier run, and one
    that is no option's any more counts as a change, with this name for its value.
    """
    st.session_state[key] = value
    return {"key": key, "on_change": then, "args": (key,)}
