"""Measure: how much of a network inputs cover that somebody already has, by every criterion."""

from __future__ import annotations

import streamlit as st

from dnncov_core.criteria import CRITERIA
from dnncov_core.phrases.definitions import legend
from dnncov_core.suites.criterion_names import ENTRIES
from dnncov_core.suites.library import viewable
from dnncov_core.suites.remarks import facts
from pages.measure.criteria import criteria_choice
from pages.measure.features import effect_choice, features_choice, layers_choice
from pages.measure.plan import checked, measure_bar
from pages.measure.progress import watch
from pages.measure.result import show_result
from pages.measure.suite import suite_choice
from pages.shared.campaigns import MEASUREMENT, watched
from pages.shared.formula import in_lines
from pages.shared.lists import entry_list
from pages.shared.network import network_card
from pages.shared.words import page_help


def formulas() -> None:
    """What each criterion asks, in words and as a formula."""
    for key, entry in ENTRIES.items():
        said = facts(key)
        st.markdown(f"**{entry.title}.** {entry.words} {said[0].upper()}{said[1:]}.")
        st.latex(in_lines(entry.formula) if key in CRITERIA else entry.formula)
    st.caption(legend())


st.title("Measure", anchor=False)
st.caption("Measures what your inputs cover of a network, by every criterion, and lists what they do not.")

measurement = watched(MEASUREMENT, viewable())
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
        features = features_choice() | layers_choice(card) | effect_choice()
        by_criteria = st.container()
    spec = checked(what | criteria | features, card, by_reference=by_reference, by_criteria=by_criteria)
    with bar:
        measure_bar(spec, card)

entry_list(
    "measurement",
    measurement,
    none_yet="None yet. Choose network, suite and criteria above, and press Measure; the result appears here.",
)
page_help("measure", above=formulas)
