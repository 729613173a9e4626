"""Measure: how much of a network inputs cover that somebody already has, by every criterion."""

from __future__ import annotations

import streamlit as st

from dnncov_core.criteria import CRITERIA
from dnncov_core.suites.criteria import ENTRIES
from dnncov_core.suites.library import measurements
from pages.measure.form import checked, criteria_choice, features_choice, measure_bar, suite_choice
from pages.measure.progress import PARAMETER, watch
from pages.measure.result import show_result
from pages.shared.campaigns import watched
from pages.shared.formula import in_lines, legend
from pages.shared.lists import entry_list
from pages.shared.network import network_card

COUNTING = (
    "**How pairs of inputs are counted.** A covering method asks for two inputs x1 and x2 of the suite, any two."
    " They are not compared two by two: each input's signs in layer k become a string of bits, and two inputs"
    " change neuron i of layer k alone if and only if one string is the other with bit i turned. Sorting the"
    " strings, bit i left out, puts those side by side. For VS and VV, no sign of layer k changes: inputs of one"
    " string. Of each string's inputs the least and the greatest u of the decision neuron say whether any two of"
    " them change it as asked.\n\n"
    "**Joined pairs** is how many pairs of sign patterns sorting found: of SS and SV, pairs of different patterns"
    " that differ in one neuron (with free features, in up to ω of the layer); of VS and VV, patterns that two or"
    " more inputs share. Without a joined pair nothing can be covered.\n\n"
    "**Why SS is near zero in wide layers.** A layer of n neurons has up to 2ⁿ patterns. Natural inputs differ in"
    " many neurons of a wide layer, and hardly any two in a single one, so that SS and SV of a natural suite are"
    " near zero there, whatever its size; such pairs have to be generated, on the page Run. In a narrow layer the"
    " suite has most patterns that occur at all, and many of them differ in one neuron: there it covers well.\n\n"
    "**Lower bounds.** Where a search would take too long, it leaves something out; its count is marked with ≥,"
    " and a line says what was left out. All other counts are exact.\n\n"
    "**S** has no percentage: nobody knows how many sign patterns a network can have.\n\n"
    "**The lemmas' value functions.** NB, MN and TN become special cases of SV, VV and VS by a value function that"
    " says that x2 meets their condition and lets x1 be any input: of SV and VV that v[x2] of the decision neuron is"
    " above its greatest over the reference data (NB), or in section j of m of its range (MN); of VS and VV that v[x2]"
    " of the condition neuron is among the m greatest of its layer (TN). Of VV, the other neuron may change as it"
    " likes. A feature pair that is met then has a neuron that the other criterion counts, by the same x2. All of them"
    " are exact.\n\n"
    "**Weaker than.** M1 is weaker than M2 if, for every suite, M1 < 1 implies M2 < 1. The arrows are the paper's"
    " lemmas; those about value functions are for a suitable one, which hovering names with what was measured. An arrow"
    " is checked with the lemma's value function where it was measured. One suite cannot prove an arrow: *holds here*"
    " says that this suite agrees with it; *cannot be told* that a value function is not the lemma's, or that a lower"
    " bound or an unknown total leaves it open; *does not hold here* that it disagrees, as it may where neurons of a"
    " layer in which no feature pair ends are not covered, or where the features are free."
)


def meaning() -> None:
    """Formulas of all criteria, and how they are counted."""
    with st.expander("How these numbers are computed", icon=":material/help:"):
        for key, entry in ENTRIES.items():
            st.markdown(f"**{entry.title}.** {entry.words}")
            st.latex(in_lines(entry.formula) if key in CRITERIA else entry.formula)
        st.caption(legend())
        st.markdown(COUNTING)


st.title("Measure", anchor=False)
st.caption("How much of a network inputs cover that you already have, by every criterion. Nothing is generated.")

measurement = watched(PARAMETER, measurements())
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

entry_list(
    "measurement",
    measurement,
    none_yet="None yet. Choose network, suite and criteria above, and press Measure; the result appears here.",
)
meaning()
