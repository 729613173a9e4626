"""The effect of a condition in one pair of inputs: its arithmetic, whether it is needed and sufficient, its figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from dnncov_core.export.exhibits import Exhibit, exhibit
from dnncov_core.export.provenance import Origin
from dnncov_core.figures.effect import EffectView, sign_of
from dnncov_core.phrases.effect import NEEDED, SUFFICIENT, share_words
from dnncov_core.phrases.numbers import short
from pages.shared.charts import chart
from pages.shared.formula import HOLDS
from pages.shared.words import table

DEPENDS = "Does the decision depend on the condition?"
"""The question that this section answers."""


def effect(view: EffectView, provenance: Origin, *, key: str, part: str = "", below: Callable[[], None]) -> Exhibit:
    """u of a decision neuron in four cases, what ``below`` draws, and the waterfall between x1 and x2."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        view = replace(view, place=_place(view, f"{key}-place"))
        _arithmetic(view)
        below()
    with right:
        shown = exhibit("effect", view, provenance, part=f"{part}-{view.place}" if part else "")
        return chart(shown, key=key, alt=str(shown.kind.caption(view)))


def verdict(view: EffectView) -> None:
    """Whether the condition's change is needed and whether it is sufficient, for the whole decision feature."""
    needed, sufficient = view.effect.needed, view.effect.sufficient
    st.markdown(f"{HOLDS[needed]} **needed**: {NEEDED[needed]}")
    st.markdown(f"{HOLDS[sufficient]} **sufficient**: {SUFFICIENT[sufficient]}")


def _arithmetic(view: EffectView) -> None:
    cases = ("x1", "x1, condition as at x2 (alone)", "x2, condition as at x1 (put back)", "x2")
    rows = [(case, short(u), sign_of(u)) for case, u in zip(cases, view.u, strict=True)]
    table(("Input", f"u of {view.decision} (no unit)", "Sign"), rows)
    if len(view.pair.decision.neurons) == 1:
        st.caption(share_words(view.effect.share, "The condition's change"))


def _place(view: EffectView, key: str) -> int:
    """Which neuron of the decision feature is shown, a choice where it has several."""
    layer, neurons = view.pair.decision.layer, view.pair.decision.neurons
    if len(neurons) == 1:
        return 0
    return st.selectbox(
        "Decision neuron",
        range(len(neurons)),
        format_func=lambda place: view.called(layer, neurons[place]),
        key=key,
        width=240,
        help="Each neuron of the decision feature has its own u.",
    )
