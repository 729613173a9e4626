"""Measure: how much of a network inputs cover that somebody already has, by every criterion."""

from __future__ import annotations

import streamlit as st

from pages.measure.criteria import criteria_choice, features_choice
from pages.measure.history import measurement_list
from pages.measure.meaning import meaning
from pages.measure.plan import checked, measure_bar
from pages.measure.progress import shown, watch
from pages.measure.result import show_result
from pages.measure.suite import suite_choice
from pages.shared.network import network_card

st.title("Measure", anchor=False)
st.caption("How much of a network inputs cover that you already have, by every criterion. Nothing is generated.")

measurement = shown()
watch(measurement)
if measurement is not None:
    show_result(measurement)

with st.expander(
    "New measurement", expanded=measurement is None, icon=":material/add_circle:", key=f"measure-{measurement is None}"
):
    bar = st.container()
    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch"):
        st.markdown("##### 1 · Network and suite")
        what, card = suite_choice()
        by_reference = st.container()
        network_card(card)
    with right, st.container(border=True, height="stretch"):
        st.markdown("##### 2 · Criteria and features")
        criteria = criteria_choice()
        features = features_choice()
        by_criteria = st.container()
    spec = checked(what | criteria | features, by_reference=by_reference, by_criteria=by_criteria)
    with bar:
        measure_bar(spec, card)

measurement_list(measurement)
meaning()
