"""The effect of a condition in one pair of inputs: its arithmetic, whether it is needed and sufficient, its figure."""

from __future__ import annotations

import streamlit as st

from dnncov_core.export.exhibits import Exhibit, exhibit
from dnncov_core.export.provenance import Origin
from dnncov_core.figures.effect import EffectView, effect_in_words, sign_of, written_u
from dnncov_core.phrases.effect import NEEDED, SUFFICIENT, share_words
from pages.shared.charts import chart
from pages.shared.formula import HOLDS
from pages.shared.words import table


def arithmetic(view: EffectView) -> None:
    """u of a decision neuron in the four cases, and how much of its change the condition carries."""
    cases = ("x1", "x1, condition as at x2 (alone)", "x2, condition as at x1 (put back)", "x2")
    rows = [(case, written_u(u), sign_of(u)) for case, u in zip(cases, view.u, strict=True)]
    table(("Input", f"u of {view.decision} (no unit)", "Sign"), rows)
    said = share_words(view.effect.share, "The condition's change")
    if said and len(view.pair.decision.neurons) == 1:
        st.caption(said)


def verdict(view: EffectView) -> None:
    """Whether the condition's change is needed and whether it is sufficient, for the whole decision feature."""
    st.markdown(f"{HOLDS[view.effect.needed]} **needed**: {NEEDED[view.effect.needed]}")
    st.markdown(f"{HOLDS[view.effect.sufficient]} **sufficient**: {SUFFICIENT[view.effect.sufficient]}")


def which(view: EffectView, key: str) -> int:
    """Which neuron of the decision feature is shown, a choice where it has several."""
    neurons = view.pair.decision.neurons
    if len(neurons) == 1:
        return 0
    layer = view.pair.decision.layer
    return st.selectbox(
        "Decision neuron",
        range(len(neurons)),
        format_func=lambda place: view.name(layer, neurons[place]),
        key=key,
        width=240,
        help="Each neuron of the decision feature has its own u.",
    )


def waterfall(view: EffectView, provenance: Origin, *, key: str, part: str = "") -> Exhibit:
    """The figure of a decision neuron, with its export."""
    return chart(exhibit("effect", view, provenance, part=part), key=key, alt=effect_in_words(view))
