"""The list of campaigns, newest first, each with a link."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.entries import own_name
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.numbers import moment
from dnncov_core.ratios import Ratio
from dnncov_core.statistics import coverage_table, search_in_words, title_of
from dnncov_pages.shared.campaign_state import shares
from dnncov_pages.shared.campaigns import PARAMETER
from dnncov_pages.shared.jobs import badge
from dnncov_pages.shared.lists import link, paged
from dnncov_pages.shared.words import plain, with_own


def history(current: str | None) -> None:
    """Campaigns with state, coverage and adversarial pairs."""
    known = list(campaigns())
    st.subheader("Campaigns", anchor=False)
    if not known:
        st.caption("None yet. The first one appears here as soon as it is started, and stays when you close this tab.")
        return
    paged(known, "history", lambda each: _row(each, current=each == current))


def _row(campaign_id: str, *, current: bool) -> None:
    """Link and state; coverage, adversarial pairs, and when; how it searched. What is shown above is not repeated."""
    try:
        with open_campaign(campaign_id) as store:
            title, state = with_own(own_name(store), title_of(store.spec())), store.state()
            words, search = ("Shown above.", "") if current else (_in_words(store), search_in_words(store.spec()))
    except DnncovError as error:
        title, state, words, search = campaign_id, None, plain(str(error)), ""
    with st.container(border=True, gap="xsmall"):
        mark = None if state is None else partial(badge, state)
        link("dnncov_pages/run/page.py", PARAMETER, campaign_id, title=title, current=current, mark=mark)
        st.markdown(words)
        if search:
            st.caption(search)


def _in_words(store: CampaignStore) -> str:
    created, total = f":gray[{moment(store.created())}]", coverage_table(store).total
    if not total.covered.total:
        return f"No test conditions yet · {created}"
    adversarial = Ratio(store.counts.progress().adversarial, total.covered.n)
    return " · ".join((*shares(total.covered, total.available, adversarial), created))
