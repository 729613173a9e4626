"""Whatever follows a campaign while it can change."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dnncov_core.campaign.library import open_campaign
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import DnncovError
from dnncov_core.statistics import CoverageRow
from pages.parts.words import ACTIVE, badge


def follow(campaign_id: str | None, show: Callable[[CampaignStore], None], *, every_seconds: float = 3.0) -> None:
    """Calls ``show`` now, and every so often while the campaign is active.

    Call it once a page, at top level and in every run, also without a campaign: fragments that poll must not come and
    go. When the campaign becomes active or inactive, the whole page runs again.
    """
    active = campaign_id is not None and _is_active(campaign_id)

    def body() -> None:
        if campaign_id is None:
            return
        try:
            with open_campaign(campaign_id) as store:
                show(store)
                changed = (store.state() in ACTIVE) != active
        except DnncovError as error:
            st.error(str(error), icon=":material/error:")
            return
        if changed:
            st.rerun()

    st.fragment(body, run_every=every_seconds if active else None)()


def _is_active(campaign_id: str) -> bool:
    try:
        with open_campaign(campaign_id) as store:
            return store.state() in ACTIVE
    except DnncovError:
        return False  # the body says what is wrong


def standing(store: CampaignStore) -> None:
    """One line: the state, and how many test conditions are done."""
    progress = store.progress()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        badge(store.state())
        st.caption(f"{progress.done:,} of {progress.total:,} test conditions done", width="content")


def sentence(total: CoverageRow) -> None:
    """What the campaign shows, in the words that these numbers allow."""
    covered, survivors = total.covered, total.holds_8bit
    text = f"**{covered.counts} test conditions have a replayable witness.**"
    if survivors.total:
        text += f" {survivors.counts} of these witnesses hold after rounding to 8 bits."
    st.markdown(text)
