"""The list of campaigns, newest first, each with a link."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.entries import own_name
from dnncov_core.phrases.numbers import moment
from dnncov_core.ratios import Ratio
from dnncov_core.statistics import coverage_table, search_in_words, title_of
from pages.shared.campaign_state import shares
from pages.shared.campaigns import PARAMETER
from pages.shared.lists import SHOWN_ABOVE, ListEntry, paged_list
from pages.shared.words import with_own


def history(current: str | None) -> None:
    """Campaigns with state, coverage and adversarial pairs."""
    known = list(campaigns())
    st.subheader("Campaigns", anchor=False)
    if not known:
        st.caption("None yet. The first one appears here as soon as it is started, and stays when you close this tab.")
        return
    paged_list(
        known,
        lambda campaign_id: _entry(campaign_id, current=campaign_id == current),
        page="pages/run/page.py",
        parameter=PARAMETER,
        current=current,
    )


def _entry(campaign_id: str, *, current: bool) -> ListEntry:
    """Coverage, adversarial pairs and when it began; how it searched. What is shown above is not repeated."""
    with open_campaign(campaign_id) as store:
        title, state = with_own(own_name(store), title_of(store.spec())), store.state()
        if current:
            return ListEntry(title, state, "", SHOWN_ABOVE)
        return ListEntry(title, state, "", _in_words(store), search_in_words(store.spec()))


def _in_words(store: CampaignStore) -> str:
    created, total = f":gray[{moment(store.created())}]", coverage_table(store).total
    if not total.covered.total:
        return f"No test conditions yet · {created}"
    adversarial = Ratio(store.counts.progress().adversarial, total.covered.n)
    return " · ".join((*shares(total.covered, total.available, adversarial), created))
