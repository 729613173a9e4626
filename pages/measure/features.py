"""The form of a new measurement: condition features, layers, and the effect that is told of."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.criteria import EFFECTS, NO_EFFECT
from dnncov_core.records import NetworkCard
from dnncov_core.suites.criterion_names import MODES
from dnncov_core.suites.spec import MeasurementSpec
from pages.shared.fields import Fields, widget
from pages.shared.words import help_of

SIDES = ("Condition layers", "Decision layers")
"""Of a layer pair, in its order."""
MODE_WORDS = {"neuron": "Single neurons", "free": "Free: up to ω of the layer"}


def features_choice() -> Fields:
    """Single neurons, or free condition features of up to omega of their layer."""
    mode = st.segmented_control(
        "Condition features",
        MODES,
        format_func=MODE_WORDS.__getitem__,
        default=MODES[0],
        required=True,
        key="measured-mode",
        persist_state="session",
        help=help_of(
            "Condition features",
            "What one condition feature of SS and SV is. Free: whatever set of neurons changes its signs, as in the"
            " paper's ImageNet experiment. VS and VV have no free features, since no sign of that layer changes.",
        ),
    )
    if mode != "free":
        return {"feature_mode": mode}
    row = PARAMETERS["omega"]
    return {"feature_mode": mode, "omega": widget(row, "measured-omega", row.default)}


def layers_choice(card: NetworkCard | None) -> Fields:
    """The condition and decision layers of the layer pairs that are measured; all where nothing is chosen."""
    if card is None:
        return {}
    with st.grid(2, min_column_width=220):
        return {name: _layers(card, name, side) for side, name in enumerate(("condition_layers", "layers"))}


def _layers(card: NetworkCard, name: str, side: int) -> str | None:
    """Numbers of layers, or modules, with commas; ``side`` is 0 for condition layers and 1 for decision layers."""
    chosen = st.multiselect(
        SIDES[side],
        [str(k) for k in sorted({edge[side] for edge in card.edges})],
        format_func=lambda k: f"{k} ({card.layer(int(k)).name})" if k.isdecimal() else k,
        accept_new_options=True,
        key=f"measured-{name}-{card.name}",
        persist_state="session",
        placeholder="All layers",
        help="SS, VS, SV and VV are asked only of layer pairs with these layers. Empty: all layers. You may also type"
        " the name of a module, which stands for each layer within it.",
    )
    return ",".join(chosen) or None


def effect_choice() -> Fields:
    """The effect that is told of beside coverage."""
    effect = st.segmented_control(
        "Effect of the condition",
        list(EFFECTS),
        format_func=lambda key: EFFECTS[key].title,
        default=MeasurementSpec.effect,
        required=True,
        key="measured-effect",
        persist_state="session",
        help=help_of(
            "Effect of the condition",
            "For SS, VS, SV and VV the result also says how many test conditions are covered with this effect. "
            + " ".join(f"{each.title}: {each.words}" for key, each in EFFECTS.items() if key != NO_EFFECT),
        ),
    )
    return {"effect": effect}
