"""The list of campaigns, newest first, each with a link."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.errors import DnncovError
from dnncov_core.ratios import Ratio
from pages.parts.campaigns import PARAMETER
from pages.parts.words import badge, headline, moment, plain

PER_PAGE = 8
COLUMNS = (3, 2, 3, 3, 2)


def history(current: str | None) -> None:
    """Campaigns with state, coverage and adversarial pairs."""
    known = list(campaigns())
    st.subheader("Campaigns", anchor=False)
    if not known:
        st.caption("None yet. The first one appears here as soon as it is started, and stays when you close this tab.")
        return
    n_pages = -(-len(known) // PER_PAGE)
    page = st.session_state.get("history_page", 1) if n_pages > 1 else 1
    for campaign_id in known[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _row(campaign_id, current=campaign_id == current)
    if n_pages > 1:
        st.pagination(n_pages, key="history_page")


def _row(campaign_id: str, *, current: bool) -> None:
    with st.container(border=True):
        name, state, covered, adversarial, created = st.columns(COLUMNS, vertical_alignment="center")
        try:
            with open_campaign(campaign_id) as store:
                title, progress = headline(store.spec()), store.progress()
                with state:
                    badge(store.state())
                covered.markdown(f"{Ratio(progress.covered, progress.total).display()}  \n:small[:gray[covered]]")
                share = Ratio(progress.adversarial, max(progress.covered, progress.adversarial))
                adversarial.markdown(f"{share.display()}  \n:small[:gray[of the test pairs adversarial]]")
                created.caption(moment(store.created()))
        except DnncovError as error:
            title = campaign_id
            covered.caption(plain(str(error)))
        with name:
            st.page_link(
                "pages/run.py",
                label=f"**{title}**" if current else title,
                icon=":material/visibility:" if current else ":material/folder_open:",
                query_params={PARAMETER: campaign_id},
                help=f"Open {campaign_id}",
            )
            st.caption(plain(campaign_id))
