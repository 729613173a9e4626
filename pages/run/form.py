"""The form of a new campaign: network and data, criterion, test conditions, and search."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from functools import partial

import streamlit as st

from dnncov_core.campaign.parameter_kinds import FormPart
from dnncov_core.campaign.parameters import AUTOMATIC, PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, ValueFunction
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.errors import DnncovError
from dnncov_core.generators import AUTO, GENERATORS, suited
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.records import NetworkCard
from dnncov_core.registry import data_names, default_data, described
from pages.shared.fields import SAID, Fields, field, fields_of, marked, place_of
from pages.shared.formula import function_menu, in_lines, legend, number_of, two_functions, value_functions
from pages.shared.network import fitting, network_menu, say_no_data, your_own
from pages.shared.words import plain

COMMAND = "dnncov run NETWORK --data DATA"


def network_choice() -> tuple[Fields, NetworkCard | None]:
    """Network and data, and the network's card, if it is known before loading."""
    name, card = network_menu("network")
    names = fitting(list(data_names()), card)
    chosen = None
    if names:
        chosen = st.selectbox(
            "Data",
            names,
            index=place_of(default_data(name), names),
            key=f"data-{name}",
            persist_state="session",
            help="Labelled inputs. Those that the network classifies correctly serve as seeds, x1.",
        )
        st.caption(plain(described(chosen)))
    else:
        say_no_data(name, COMMAND)
    your_own(COMMAND, labelled=True)
    return {"network": name, "data": chosen}, card


def conditions_choice(card: NetworkCard | None) -> Fields:
    """Features, layers, and how many pairs."""
    mode = field(PARAMETERS["feature_mode"])
    own = {
        "feature_mode": lambda: mode,
        "omega": lambda: _omega(mode["feature_mode"], card),
        "pairs": _pairs,
        "layers": lambda: _layers(card),
    }
    return fields_of(FormPart.CONDITIONS, mode, own)


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


def criterion_choice() -> Fields:
    """The criterion with its definition, and its value functions where it has some."""
    fields = field(PARAMETERS["criterion"])
    key = fields["criterion"]
    method = CRITERIA[key]
    st.markdown(method.words)
    st.latex(in_lines(method.formula))
    st.caption(legend(method.formula))
    if method.own_function is not None:
        two = two_functions(method)
        fields |= _value_function(key, method.own_function, "g2 of the decision feature" if two else "g")
        if two:
            fields |= _first_function()
    return fields


def _value_function(criterion: str, default: ValueFunction, symbol: str) -> Fields:
    name = function_menu(
        f"Value function {symbol}",
        side="condition" if criterion == "vs" else "decision",
        words=f"{PARAMETERS['value_function'].sentence} u is the value before the activation function.",
        index=list(value_functions()).index(default.name),
        key=f"value_function-{criterion}",
        persist_state="session",
    )
    kind = VALUE_FUNCTIONS[name]
    usual = default if type(default) is kind else kind()
    fields: Fields = {"value_function": name}
    for number in dataclasses.fields(kind):
        if number.name in PARAMETERS:
            first = getattr(usual, number.name)
            fields |= field(PARAMETERS[number.name], key=f"{number.name}-{criterion}-{name}", first=first)
    return marked(criterion=criterion, **fields)


def _first_function() -> Fields:
    row = PARAMETERS["condition_value_function"]
    name = function_menu(
        row.label,
        side="condition",
        words=row.sentence,
        index=list(value_functions()).index(ANY.name),
        key="first_function",
        persist_state="session",
    )
    kind = VALUE_FUNCTIONS[name]
    number = number_of(kind)
    if number is None:
        return {"condition_value_function": name}
    chosen = field(PARAMETERS[number], key=f"{number}-first-{name}", first=getattr(kind(), number))
    with_number = f"{name}={chosen.pop(number)!r}"
    return marked(criterion="vv", condition_value_function=with_number, **chosen)


def search_choice(card: NetworkCard | None, conditions: Fields) -> Fields:
    """Generator, seeds and oracle; what hardly ever changes is folded away."""
    generator = field(PARAMETERS["generator"])
    explained = st.empty()
    meant = partial(_meant, card)
    before = conditions | generator
    with st.grid(2, min_column_width=200):
        fields = generator | fields_of(FormPart.SEARCH, before, {"generator": lambda: generator}, meant=meant)
    explained.caption(_explained(fields["generator"], meant(conditions | fields)["generator"]))
    with st.expander("More settings"), st.grid(2, min_column_width=200):
        return fields | fields_of(FormPart.MORE, conditions | fields)


def _meant(card: NetworkCard | None, fields: Fields) -> Fields:
    """The parameters with the generator that `AUTO` stands for, which is known with the network's card."""
    if fields["generator"] != AUTO or card is None:
        return fields
    by_gradients = fields["feature_mode"] == "free" or fields.get("objective", CampaignSpec.objective) != "distance"
    return fields | {"generator": suited(card.layers, by_gradients=by_gradients)}


def _explained(name: str, meant: str) -> str:
    """What the generator does, and which one it is for this network."""
    if meant == AUTO:
        return AUTOMATIC.words
    here = "" if meant == name else f"For this network: {GENERATORS[meant].title}. "
    return here + GENERATORS[meant].words
