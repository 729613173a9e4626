"""Entries in a line each, which are read again only where their files have changed."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dnncov_core.entries.kinds import stamp
from dnncov_core.entries.rows import EntryRow, entry_row


def read_row(kind: str, entry_id: str, stem: Path) -> EntryRow:
    """An entry in a line; one that has not changed is not read again."""
    row = _read(kind, entry_id, str(stem), stamp(kind, stem))
    if row.busy:  # a worker that is gone leaves its file as it was
        return entry_row(kind, entry_id, stem)
    return row


@st.cache_data(max_entries=5000, show_spinner=False)
def _read(kind: str, entry_id: str, stem: str, marks: tuple[tuple[int, int, int], ...]) -> EntryRow:
    return entry_row(kind, entry_id, Path(stem))
