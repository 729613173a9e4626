"""The list of campaigns, newest first, each with a link."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import DnncovError
from dnncov_core.ratios import Ratio
from dnncov_core.statistics import coverage_table
from dnncov_core.summary import search_in_words
from pages.parts.campaigns import PARAMETER
from pages.parts.counts import covered_of
from pages.parts.words import badge, headline, moment, plain

PER_PAGE = 8


def history(current: str | None) -> None:
    """Campaigns with state, coverage and adversarial pairs."""
    known = list(campaigns())
    st.subheader("Campaigns", anchor=False)
    if not known:
        st.caption("None yet. The first one appears here as soon as it is started, and stays when you close this tab.")
        return
    n_pages = -(-len(known) // PER_PAGE)
    key = f"history-{n_pages}"
    page = st.session_state.get(key, 1)
    for campaign_id in known[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _row(campaign_id, current=campaign_id == current)
    if n_pages > 1:
        st.pagination(n_pages, key=key)


def _row(campaign_id: str, *, current: bool) -> None:
    """Link and state; coverage, adversarial pairs, and when; how it searched. What is shown above is not repeated."""
    try:
        with open_campaign(campaign_id) as store:
            title, state = headline(store.spec()), store.state()
            words, search = ("Shown above.", "") if current else (_in_words(store), search_in_words(store.spec()))
    except DnncovError as error:
        title, state, words, search = campaign_id, None, plain(str(error)), ""
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.page_link(
                "pages/run.py",
                label=title,
                icon=":material/visibility:" if current else ":material/folder_open:",
                query_params={PARAMETER: campaign_id},
                help=f"Open campaign {campaign_id}",
            )
            if state is not None and not current:
                badge(state)
            st.caption(f"`{campaign_id}`", width="content")
        st.markdown(words)
        if search:
            st.caption(search)


def _in_words(store: CampaignStore) -> str:
    created, total = f":gray[{moment(store.created())}]", coverage_table(store).total
    if not total.covered.total:
        return f"No test conditions yet · {created}"
    adversarial = Ratio(store.progress().adversarial, total.covered.n)
    return (
        f"**{total.covered.percent}** covered: {covered_of(total)} · **{adversarial.percent}** adversarial:"
        f" {adversarial.counts} test pairs · {created}"
    )
