"""Which campaign a page shows: the one its URL names, else the one that this session looked at last.

The Run page remembers the campaign that it watches; the pages of results remember theirs, which may be another, so
that a look at results never takes the parameters of a new campaign out of sight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import streamlit as st

from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.entries import read_note
from dnncov_core.errors import CampaignError
from dnncov_core.phrases.numbers import moment
from dnncov_core.statistics import title_of
from dnncov_pages.shared import frame
from dnncov_pages.shared.words import plain

COMPARED = "campaigns"
"""Parameter of the address of Compare: the ids of the campaigns that it shows."""
PARAMETER = "campaign"
_WATCHED, _VIEWED = "watched", "viewed"


def watched() -> str | None:
    """The id of the Run page's campaign; an unknown one leaves a message in its place."""
    campaign_id = _known(frame.asked(PARAMETER, _WATCHED))
    watch_next(campaign_id)
    return campaign_id


def watch_next(campaign_id: str | None) -> None:
    """Makes ``campaign_id`` the campaign of the Run page, and of its URL; None for no campaign."""
    st.session_state[_WATCHED] = campaign_id
    if campaign_id is not None:
        st.session_state[_VIEWED] = campaign_id
    frame.name_in_address(PARAMETER, campaign_id)


def choose() -> str:
    """A menu of campaigns, and the id of the chosen one; stops the page where there is none, and says what to do."""
    files = campaigns()
    known = list(files)
    current = _known(frame.asked(PARAMETER, _VIEWED))
    if not known:
        st.info("No campaign yet. Start one on the Run page; its results appear here while it runs.")
        st.page_link("dnncov_pages/run/page.py", label="Go to Run", icon=":material/play_circle:")
        st.stop()
    chosen = st.selectbox(
        "Campaign",
        known,
        index=known.index(current or next(filter(_readable, known), known[0])),
        format_func=lambda each: label(each, files),
        help="Results of one campaign, also while it runs. This page's address names it, so that you can share it.",
    )
    st.session_state[_VIEWED] = chosen
    frame.name_in_address(PARAMETER, chosen)
    return chosen


def _known(campaign_id: str | None) -> str | None:
    if campaign_id is None or campaign_id in campaigns():
        return campaign_id
    name = plain(campaign_id[:80])
    st.warning(f"There is no campaign {name} here. Choose one from the list.", icon=":material/help:")
    return None


def _readable(campaign_id: str) -> bool:
    try:
        open_campaign(campaign_id).close()
    except CampaignError:
        return False
    return True


def spec_of(campaign_id: str) -> CampaignSpec | None:
    """What a campaign was asked; None where its file cannot be read. Its generator may be undecided yet."""
    try:
        return _spec(campaign_id, str(campaigns().get(campaign_id)))
    except CampaignError:
        return None


@st.cache_data(max_entries=1000, show_spinner=False)
def _spec(campaign_id: str, path: str) -> CampaignSpec:
    with open_campaign(campaign_id) as store:
        return store.spec()


def label(campaign_id: str, known: Mapping[str, Path] | None = None) -> str:
    """A campaign's name in menus, the user's own first; its id where the file cannot be read.

    Args:
        campaign_id: which one.
        known: all campaigns, where they are known already: a menu of many need not look for each.
    """
    path = (campaigns() if known is None else known).get(campaign_id)
    own = "" if path is None else read_note(path.with_name(campaign_id)).name
    try:
        name = _label(campaign_id, str(path))
    except CampaignError:  # not remembered: a file may be mended
        name = f"{campaign_id} (cannot be read)"
    return (f"{own} · " if own else "") + name


@st.cache_data(max_entries=1000, show_spinner=False)
def _label(campaign_id: str, path: str) -> str:
    with open_campaign(campaign_id) as store:
        return f"{title_of(store.spec())} · {moment(store.created())} · {campaign_id}"


def to_compare(campaign_ids: Sequence[str]) -> dict[str, str]:
    """The page Compare with campaigns, in this order."""
    return {COMPARED: ",".join(quote(each, safe=" ") for each in campaign_ids)}
