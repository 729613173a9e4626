"""The choices that say what a campaign tests: network, data, criterion, features and layers.

Menus are built from the registries. Each choice keeps its value while the session lasts, so that it is still there
after a look at another page.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import streamlit as st

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, ValueFunction
from dnncov_core.criteria.mcdc import Change
from dnncov_core.distances import NORMS
from dnncov_core.features import FEATURE_MODES, block_size
from dnncov_core.records import NetworkCard
from dnncov_core.registry import data_names, default_data, networks
from pages.parts.words import table

Fields = dict[str, Any]
"""Some parameters of a `CampaignSpec`, by name."""

NUMBERS = {
    "sigma": ("sigma (σ)", "The factor by which u must change. The paper uses 2 for SV and 5 for VV."),
    "d": ("d", "The threshold that the value function compares with, in units of u (for SSIM a similarity, 0 to 1)."),
}

MODES = {
    "neuron": "Single neurons",
    "fixed": "Sets of neighbouring neurons",
}


def network_choice() -> tuple[Fields, NetworkCard | None]:
    """Network and data, and the network's card, if it is known before loading."""
    known, data = networks(), data_names()
    first = list(known).index("mnist-n1") if "mnist-n1" in known else 0
    name = st.selectbox(
        "Network",
        list(known),
        index=first,
        key="network",
        persist_state="session",
        help="Embedded networks, and those that the person who runs this app registered.",
    )
    names = list(data)
    chosen = st.selectbox(
        "Data",
        names,
        index=names.index(default_data(name)) if default_data(name) in names else 0,
        key=f"data-{name}",
        persist_state="session",
        help="Labelled inputs. Those that the network classifies correctly serve as seeds, x1.",
    )
    st.caption(data[chosen])
    return {"network": name, "data": chosen}, known[name]


def network_card(card: NetworkCard | None) -> None:
    """What is known of the network, with its layers by the paper's numbering."""
    if card is None:
        st.info("This network's layers are read when the campaign starts. Until then there is no estimate.")
        return
    if card.description:
        st.caption(card.description)
    accuracy = "not measured" if card.accuracy is None else f"{100 * card.accuracy:.2f} %"
    with st.grid(3, min_column_width=130):
        st.metric("Accuracy", accuracy, help=f"Measured on {card.accuracy_on or 'no data'}.")
        st.metric("Parameters", f"{card.parameters:,}")
        st.metric("Classes", f"{len(card.classes)}", help=", ".join(card.classes[:100]))
    with st.expander(f"{len(card.layers)} layers"):
        table(
            ("Layer k", "Name", "Kind", "Neurons", "Shape"),
            [
                (layer.index, layer.name, layer.kind, f"{layer.neurons:,}", " × ".join(map(str, layer.shape)))
                for layer in card.layers
            ],
        )


def criterion_choice() -> Fields:
    """The criterion with its definition, and its value functions where it has some."""
    key = st.selectbox(
        "Criterion",
        list(CRITERIA),
        format_func=lambda name: CRITERIA[name].title,
        key="criterion",
        persist_state="session",
        help="Which change of the condition feature must cause which change of the decision feature.",
    )
    method = CRITERIA[key]
    st.markdown(method.words)
    st.latex(in_lines(method.formula))
    st.caption("sc: every neuron's sign changes; nsc: none does; vc: the value changes as g asks. P_k: all of layer k.")
    fields: Fields = {"criterion": key}
    if method.own_function is not None:
        two = method.condition is method.decision is Change.VALUE
        fields |= _value_function(key, method.own_function, "g2 of the decision feature" if two else "g")
        if two:
            fields["condition_value_function"] = _first_function()
    return fields


def in_lines(formula: str) -> str:
    """A conjunction with one part a line, so that it fits on narrow screens."""
    parts = [part.strip() for part in formula.replace(r"\;", " ").split(r"\wedge")]
    return r"\begin{aligned} &" + r" \\ \wedge\; &".join(parts) + r"\end{aligned}"


def _offered() -> list[str]:
    """Value functions that describe half-spaces, as generators by linear programming need."""
    return [name for name, kind in VALUE_FUNCTIONS.items() if kind.alternatives is not ValueFunction.alternatives]


def _described(name: str) -> str:
    return f"{name}: {VALUE_FUNCTIONS[name].words}"


def _value_function(criterion: str, default: ValueFunction, symbol: str) -> Fields:
    offered = _offered()
    name = st.selectbox(
        f"Value function {symbol}",
        offered,
        index=offered.index(default.name),
        format_func=_described,
        key=f"value_function-{criterion}",
        persist_state="session",
        help="What counts as a significant change of value. u is the value before the activation function.",
    )
    kind = VALUE_FUNCTIONS[name]
    base = default if type(default) is kind else kind()
    fields: Fields = {"value_function": name}
    known = {field.name for field in dataclasses.fields(CampaignSpec)}
    for field in dataclasses.fields(kind):
        if field.name in known:
            fields[field.name] = _parameter(f"{criterion}-{name}", field.name, getattr(base, field.name))
    return fields


def _parameter(scope: str, name: str, value: Any) -> Any:
    key = f"{name}-{scope}"
    if isinstance(value, bool):
        return st.toggle("At most d, instead of at least", value, key=key, persist_state="session")
    if isinstance(value, float):
        label, words = NUMBERS[name]
        return st.number_input(label, value=value, step=0.5, key=key, persist_state="session", help=words)
    options = list(NORMS)
    return st.selectbox(
        "Norm p", options, options.index(value), key=key, persist_state="session", help="p of the norm."
    )


def _first_function() -> str:
    offered = _offered()
    name = st.selectbox(
        "Value function g1 of the condition feature",
        offered,
        index=offered.index("any"),
        format_func=_described,
        key="first_function",
        persist_state="session",
        help="The paper leaves g1 open; any asks nothing more of the condition feature than to keep its signs.",
    )
    numbers = [field for field in dataclasses.fields(VALUE_FUNCTIONS[name]) if isinstance(field.default, float)]
    if not numbers:
        return name
    return f"{name}={_parameter(f'first-{name}', numbers[0].name, numbers[0].default)!r}"


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
