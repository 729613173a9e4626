"""Test conditions: the features, layers and pairs of a new campaign."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.features import SAMPLINGS
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.records import NetworkCard
from dnncov_pages.shared.fields import Fields, marked, registered


def conditions_choice(card: NetworkCard | None) -> Fields:
    """Features, layers, and how many pairs."""
    mode = registered("Features", FEATURE_MODES, "feature_mode")
    fields: Fields = {"feature_mode": mode}
    fields |= _top_weights() if mode == "neuron" else _omega(mode, card)
    if card is not None:
        fields["layers"] = _layers(card)
    return fields | _pairs()


def _top_weights() -> Fields:
    most = st.number_input(
        "Strongest connections only",
        value=None,
        step=1,
        placeholder="All pairs",
        key="top_weights",
        persist_state="session",
        help="The paper's top weights κ (it uses 10): a pair counts only if its condition neuron has one of the κ"
        " largest absolute weights into the decision neuron. Empty: all pairs.",
    )
    return marked(top_weights=None if most is None else int(most))


def _omega(mode: str, card: NetworkCard | None) -> Fields:
    omega: float = st.number_input(
        "omega (ω)",
        value=0.1,
        step=0.01,
        format="%.4f",
        key="omega",
        persist_state="session",
        help="The largest share of a layer's neurons that one feature may have; a feature has one neuron at least.",
    )
    if card is not None and 0 < omega <= 1:
        st.caption(sizes_in_words(_sizes(mode, card, omega)))
    return marked(omega=omega)


def _sizes(mode: str, card: NetworkCard, omega: float) -> dict[int, int]:
    """The most neurons that a feature has, by layer; layers that cannot be split in this mode are left out."""
    how, sizes = FEATURE_MODES[mode], dict[int, int]()
    for k, decision in card.edges:
        for split, layer in ((how.condition, k), (how.decision, decision)):
            with suppress(DnncovError):
                first = split(card.layer(layer), omega)[0]
                sizes[layer] = max(sizes.get(layer, 0), first.most or len(first.neurons))
    return dict(sorted(sizes.items()))


def sizes_in_words(sizes: dict[int, int]) -> str:
    """The largest feature of each layer, layers with the same number together.

    >>> sizes_in_words({2: 6, 3: 6, 4: 1})
    'Largest feature: 6 neurons in layers 2, 3; 1 neuron in layer 4.'
    >>> sizes_in_words({})
    ''
    """
    groups: dict[int, list[int]] = {}
    for layer, size in sizes.items():
        groups.setdefault(size, []).append(layer)
    parts = (
        f"{size:,} neuron{'s' * (size > 1)} in layer{'s' * (len(layers) > 1)} {', '.join(map(str, layers))}"
        for size, layers in groups.items()
    )
    return f"Largest feature: {'; '.join(parts)}." if sizes else ""


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


def _pairs() -> Fields:
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
        return {"pairs": None}
    pairs = st.number_input(
        "Sample size (test conditions)",
        value=200,
        step=50,
        key="pairs",
        persist_state="session",
        help="Drawn without replacement from all pairs of the chosen layers, by the random seed.",
    )
    return marked(pairs=int(pairs)) | {"sampling": registered("How it is drawn", SAMPLINGS, "sampling")}
