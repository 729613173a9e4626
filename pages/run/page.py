"""Run: choose what a campaign tests, start it, watch it, and find earlier ones."""

from __future__ import annotations

import streamlit as st

from pages.run.conditions import conditions_choice
from pages.run.criterion import criterion_choice
from pages.run.estimates import estimate_details
from pages.run.history import history
from pages.run.network import network_choice
from pages.run.plan import checked, start_bar
from pages.run.progress import watch
from pages.run.search import search_choice
from pages.shared.campaigns import watched
from pages.shared.network import network_card

st.title("Run", anchor=False)
st.caption("Generate test pairs that show how one feature of a network, changed alone, changes the next layer.")

campaign = watched()
watch(campaign)

with st.expander(
    "New campaign", expanded=campaign is None, icon=":material/add_circle:", key=f"new-{campaign is None}"
):
    bar = st.container()
    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch"):
        st.markdown("##### 1 · Network and data")
        what, card = network_choice()
        network_card(card)
    with right, st.container(border=True, height="stretch"):
        st.markdown("##### 2 · Criterion")
        criterion = criterion_choice()
    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch"):
        st.markdown("##### 3 · Test conditions")
        conditions = conditions_choice(card)
    with right, st.container(border=True, height="stretch"):
        st.markdown("##### 4 · Search")
        search = search_choice(card, conditions)
    with bar:
        spec = checked(what | criterion | conditions | search, card)
        start_bar(spec, card)
    estimate_details(spec, card)

history(campaign)
