"""Why test conditions need no test pair, in somebody's words."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from dnncov_core.campaign.conditions import Condition
from dnncov_core.campaign.justify import justify, withdraw
from dnncov_core.campaign.library import open_campaign
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import DnncovError
from pages.parts.words import plain

CHOSEN, SELECTED = "chosen", "selected"
_TOLD = "gaps-told"


def justify_form(store: CampaignStore, condition: Condition | None, selected: Collection[int]) -> None:
    """A form for the condition chosen in the matrix, or for the selected rows of the table."""
    st.subheader("Justify", anchor=False)
    chosen = [] if condition is None else [condition.target.ordinal]
    which = {CHOSEN: chosen, SELECTED: list(selected)}
    names = {
        CHOSEN: f"The condition shown above (ordinal {chosen[0]:,})" if chosen else "The condition shown above (none)",
        SELECTED: f"The selected rows of the table ({len(selected):,})",
    }
    with st.form("justify", border=True):
        st.radio("Which test conditions", list(which), format_func=names.__getitem__, key="justify-which")
        st.text_area("Reason", key="justify-reason", help="Why these conditions need no test pair.", height=80)
        st.text_input("Author", key="justify-author", help="Who says so. The date is today's.")
        with st.container(horizontal=True):
            for label, key, icon in (
                ("Justify", "justify", ":material/edit_note:"),
                ("Withdraw", "withdraw", ":material/undo:"),
            ):
                st.form_submit_button(label, icon=icon, key=key, on_click=_submit, args=(key, store.path.stem, which))
        _tell()


def justify_selected(selected: bool) -> None:
    """Chooses for the form: the selected rows of the table, or else the condition shown above."""
    st.session_state["justify-which"] = SELECTED if selected else CHOSEN


def _submit(action: str, campaign_id: str, which: dict[str, list[int]]) -> None:
    state = st.session_state
    ordinals = which[state["justify-which"]]
    try:
        with open_campaign(campaign_id) as store:
            if action == "withdraw":
                withdraw(store, ordinals)
            else:
                justify(store, ordinals, state["justify-reason"], state["justify-author"])
    except DnncovError as error:
        state[_TOLD] = (False, str(error))
        return
    done = "Withdrawn" if action == "withdraw" else "Justified"
    state[_TOLD] = (True, f"{done}: {len(ordinals):,} test condition{'s' * (len(ordinals) > 1)}.")
    state["justify-reason"] = ""


def _tell() -> None:
    """What came of the last click, once."""
    done, text = st.session_state.pop(_TOLD, (True, ""))
    if text and done:
        st.success(text, icon=":material/check:")
    elif text:
        st.error(plain(text), icon=":material/error:")
