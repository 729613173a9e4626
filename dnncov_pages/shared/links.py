"""Links to pages, and what stands in their place where they lead nowhere."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st


def link(page: str, label: str, icon: str, parameters: Mapping[str, str] | None) -> None:
    """A link with its parameters; without any, a button that is disabled and has the same place and words."""
    if parameters is None:
        st.button(label, icon=icon, disabled=True, type="tertiary", key=f"nowhere-{label}")
    else:
        st.page_link(page, label=label, icon=icon, query_params=dict(parameters))
