"""The caption of a figure or table on a page: one sentence, with all else on demand."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from dnncov_core.export.exhibits import Exhibit
from pages.shared.downloads import export_figure
from pages.shared.words import plain


def caption(exhibit: Exhibit, key: str, *, hint: str = "") -> None:
    """The sentence below a figure or table; below it what opens the details and the export, and a ``hint``."""
    told = exhibit.caption()
    with st.container(gap="xsmall"):
        st.caption(plain(told.summary))
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            details((plain(words) for words in told.details), key=f"details-{key}")
            export_figure(exhibit, key)
            if hint:
                st.caption(hint, width="stretch")


def details(sentences: Iterable[str], *, key: str) -> None:
    """A button that opens sentences in Markdown as a list, without empty ones."""
    with st.popover("Details", icon=":material/info:", type="tertiary", key=key):
        st.markdown("\n".join(f"- {words}" for words in filter(None, sentences)))
