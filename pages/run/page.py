"""Run: choose what a campaign tests, start it, watch it, and find earlier ones."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import viewable
from dnncov_core.phrases.effect import EFFECT
from pages.run.form import conditions_choice, criterion_choice, effect_explained, network_choice, search_choice
from pages.run.plan import checked, estimate_details, start_bar
from pages.run.progress import watch
from pages.run.restart import name_key
from pages.shared.campaigns import CAMPAIGN, watched
from pages.shared.frame import skip_to
from pages.shared.lists import entry_list
from pages.shared.network import network_card

st.title("Run", anchor=False)
st.caption(
    "Generate test pairs: two inputs between which one feature changes, alone in its layer, and with it a feature of"
    " the next layer."
)

campaign = watched(CAMPAIGN, viewable())
watch(campaign)

with st.expander(
    "New campaign", expanded=campaign is None, icon=":material/add_circle:", key=f"new-{campaign is None}"
):
    bar = st.container(key=skip_to("start"))
    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch"):
        st.markdown("##### 1 · Network and data")
        what, card = network_choice()
        network_card(card)
    with right, st.container(border=True, height="stretch"):
        st.markdown("##### 2 · Criterion")
        criterion, below_effect = criterion_choice()
    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch"):
        st.markdown("##### 3 · Test conditions")
        conditions = conditions_choice(card)
    with right, st.container(border=True, height="stretch"):
        st.markdown("##### 4 · Search")
        search = search_choice(card, conditions)
    with bar:
        spec = checked(what | criterion | conditions | search, card)
        start_bar(spec, card, name_key=name_key(campaign))
    below_effect.caption(effect_explained(criterion["effect"], spec, card), help=EFFECT)
    estimate_details(spec, card)

entry_list(
    "campaign",
    campaign,
    none_yet="None yet. The first one appears here as soon as it is started, and stays when you close this tab.",
)
