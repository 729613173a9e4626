"""Test conditions: the features, layers and pairs of a new campaign."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from dnncov_core.campaign.parameter_kinds import Place
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.errors import DnncovError
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.records import NetworkCard
from pages.shared.fields import SAID, Fields, field, fields_of


def conditions_choice(card: NetworkCard | None) -> Fields:
    """Features, layers, and how many pairs."""
    mode = field(PARAMETERS["feature_mode"])
    own = {
        "feature_mode": lambda: mode,
        "omega": lambda: _omega(mode["feature_mode"], card),
        "pairs": _pairs,
        "layers": lambda: _layers(card),
    }
    return fields_of(Place.CONDITIONS, mode, own)


def _omega(mode: str, card: NetworkCard | None) -> Fields:
    omega = field(PARAMETERS["omega"])
    if card is not None and SAID not in omega:
        st.caption(sizes_in_words(_sizes(mode, card, omega["omega"])))
    return omega


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


def _layers(card: NetworkCard | None) -> Fields:
    if card is None:
        return {}
    row, layers = PARAMETERS["layers"], {decision: card.layer(decision) for _, decision in card.edges}
    chosen = st.multiselect(
        row.label,
        sorted(layers),
        format_func=lambda k: f"{k} ({layers[k].kind}, {layers[k].neurons:,} neurons)",
        key=f"layers-{card.name}",
        persist_state="session",
        placeholder="All layers",
        help=f"{row.sentence} Empty: all layers.",
    )
    return {"layers": tuple(chosen)}


def _pairs() -> Fields:
    how = st.segmented_control(
        "Feature pairs",
        ["sample", "all"],
        default="sample",
        required=True,
        format_func={"sample": "A sample", "all": "All of them"}.__getitem__,
        key="pairs_how",
        persist_state="session",
        help="Each feature pair is one test condition.",
    )
    return {"pairs": None} if how == "all" else field(PARAMETERS["pairs"])
