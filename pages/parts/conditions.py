"""Test conditions: the features, layers and pairs of a new campaign."""

from __future__ import annotations

import streamlit as st

from dnncov_core.features import FEATURE_MODES, block_size
from dnncov_core.records import NetworkCard
from pages.parts.fields import Fields

MODES = {
    "neuron": "Single neurons",
    "fixed": "Sets of neighbouring neurons",
}


def conditions_choice(card: NetworkCard | None) -> Fields:
    """Features, layers, and how many pairs."""
    mode = st.selectbox(
        "Features",
        list(FEATURE_MODES),
        format_func=lambda name: MODES.get(name, name),
        key="feature_mode",
        persist_state="session",
        help="What is paired: single neurons, or sets of neurons of one layer.",
    )
    fields: Fields = {"feature_mode": mode}
    if mode != "neuron":
        fields["omega"] = _omega(card)
    if card is not None:
        fields["layers"] = _layers(card)
    return fields | {"pairs": _pairs()}


def _omega(card: NetworkCard | None) -> float:
    omega: float = st.number_input(
        "omega (ω)",
        min_value=0.0001,
        max_value=1.0,
        value=0.1,
        step=0.01,
        format="%.4f",
        key="omega",
        persist_state="session",
        help="The largest share of a layer's neurons that one feature may have; a feature has one neuron at least.",
    )
    if card is not None:
        sizes = sorted({block_size(layer.neurons, omega) for layer in card.layers[1:]})
        st.caption(f"Features of up to {' or '.join(map(str, sizes))} neurons.")
    return omega


def _layers(card: NetworkCard) -> tuple[int, ...]:
    options = sorted({decision for _, decision in card.edges})
    return tuple(
        st.multiselect(
            "Decision layers",
            options,
            format_func=lambda k: f"{k} ({card.layer(k).kind}, {card.layer(k).neurons:,} neurons)",
            key=f"layers-{card.name}",
            persist_state="session",
            placeholder="All layers",
            help="Only pairs whose decision feature is in these layers. Empty means all.",
        )
    )


def _pairs() -> int | None:
    how = st.segmented_control(
        "Feature pairs",
        ["sample", "all"],
        default="sample",
        required=True,
        format_func={"sample": "A random sample", "all": "All of them"}.__getitem__,
        key="pairs_how",
        persist_state="session",
        help="Each feature pair is one test condition.",
    )
    if how == "all":
        return None
    return int(
        st.number_input(
            "Sample size (test conditions)",
            min_value=1,
            value=200,
            step=50,
            key="pairs",
            persist_state="session",
            help="Drawn without replacement from all pairs of the chosen layers, by the random seed.",
        )
    )
