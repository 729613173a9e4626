"""A worker that is at the campaign: what it does, and where to watch it."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_pages.shared.campaigns import PARAMETER
from dnncov_pages.shared.results import is_active

WAITING = "This can start once the worker has ended."
"""Said where something cannot start beside a worker."""


def at_work(store: CampaignStore) -> None:
    """A line with a link while a worker is at the campaign; nothing else."""
    if not is_active(store):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("A worker searches for test pairs; proofs and retries can start once it has ended.", width="content")
        st.page_link(
            "dnncov_pages/run/page.py",
            label="Watch it on Run",
            icon=":material/play_circle:",
            query_params={PARAMETER: store.path.stem},
        )
