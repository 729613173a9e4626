"""Widgets that show what the address says, and change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st


def holding(key: str, value: object, then: Callable[[str], None]) -> dict[str, Any]:
    """A widget that shows ``value``, whatever it held before, and does ``then`` with its key when it is changed."""
    st.session_state[key] = value
    return {"key": key, "on_change": then, "args": (key,)}
