"""The form of a new campaign: network and data, criterion, test conditions, and search."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dnncov_core.campaign.parameter_kinds import Entry, FormPart
from dnncov_core.campaign.parameters import AUTOMATIC, EFFECT_CHOICES, PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, CoveringMethod, ValueFunction
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.generators import AUTO, GENERATORS, suited
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.phrases.definitions import legend
from dnncov_core.phrases.inputs import searched_range
from dnncov_core.records import NetworkCard
from dnncov_core.registry import lacks_labels
from pages.shared.fields import Entered, Fields, checked_together, field, fields_of
from pages.shared.formula import function_menu, in_lines, number_of, value_functions
from pages.shared.network import data_menu, network_menu, say_no_labels, your_own
from pages.shared.words import help_of, plain

COMMAND = "dnncov run NETWORK --data DATA"


def network_choice() -> tuple[Entered, NetworkCard | None]:
    """Network and data, and the network's card, if it is known before loading."""
    name, card = network_menu("network")
    words = "Inputs with labels, or with right outputs. Those that the network gets right serve as seeds, x1."
    chosen = data_menu("Data", name, card, key="data", words=words, command=COMMAND)
    if refused := bool(chosen and lacks_labels(name, chosen)):
        say_no_labels(str(chosen))
    if searched := searched_range(card):
        st.caption(plain(searched))
    your_own(COMMAND, labelled=True)
    return Entered({"network": name, "data": chosen}, refused), card


def conditions_choice(card: NetworkCard | None) -> Entered:
    """Features, layers, and how many pairs."""
    mode = field(PARAMETERS["feature_mode"])
    own = {
        "feature_mode": lambda: mode,
        "omega": lambda: _omega(mode["feature_mode"], card),
        "pairs": _pairs,
        "layers": lambda: _layers(card),
    }
    return fields_of(FormPart.CONDITIONS, mode, own)


def _omega(mode: str, card: NetworkCard | None) -> Entered:
    omega = field(PARAMETERS["omega"])
    if card is not None and not omega.refused:
        st.caption(sizes_in_words(_sizes(mode, card, omega["omega"])))
    return omega


def _sizes(mode: str, card: NetworkCard, omega: float) -> dict[int, int]:
    """The most neurons that a feature has, by layer; layers that cannot be split in this mode are left out."""
    how, sizes = FEATURE_MODES[mode], dict[int, int]()
    for k, decision in card.edges:
        for split, layer in ((how.condition, k), (how.decision, decision)):
            if how.fits(card.layer(layer)):
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


def _layers(card: NetworkCard | None) -> Entered:
    if card is None:
        return Entered({})
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
    return Entered({"layers": tuple(chosen)})


def _pairs() -> Entered:
    how = st.segmented_control(
        "Feature pairs",
        ["sample", "all"],
        default="sample",
        required=True,
        format_func={"sample": "A sample", "all": "All of them"}.__getitem__,
        key="pairs_how",
        persist_state="session",
        help=help_of("Feature pairs", "Each feature pair is one test condition."),
    )
    return Entered({"pairs": None}) if how == "all" else field(PARAMETERS["pairs"])


def criterion_choice() -> tuple[Entered, DeltaGenerator]:
    """The criterion with its definition, value functions where it has some, the effect, and a place to explain that."""
    entered = field(PARAMETERS["criterion"])
    method = CRITERIA[entered["criterion"]]
    st.markdown(method.words)
    st.latex(in_lines(method.formula))
    st.caption(legend(method.formula))
    if method.own_function is not None:
        entered |= _value_function(method, method.own_function)
        if method.two_functions:
            entered |= _first_function(method)
    return entered | field(PARAMETERS["effect"]), st.empty()


def effect_explained(effect: str, spec: CampaignSpec | None, card: NetworkCard | None) -> str:
    """What an effect asks of a pair, and which one it is for what was chosen, once that and the network are known."""
    meant = effect if spec is None or card is None else spec.for_network(card).effect
    return _explained(EFFECT_CHOICES, effect, meant, "search")


def _value_function(method: CoveringMethod, default: ValueFunction) -> Entered:
    label = "Value function g2 of the decision feature" if method.two_functions else "Value function g"
    words = f"{PARAMETERS['value_function'].sentence} u is the value before the activation function."
    name = _function(label, default, side=method.own_side, words=words, key=f"value_function-{method.key}")
    kind = VALUE_FUNCTIONS[name]
    usual = default if type(default) is kind else kind()
    entered = Entered({"value_function": name})
    for number in dataclasses.fields(kind):
        if number.name in PARAMETERS:
            first = getattr(usual, number.name)
            entered |= field(PARAMETERS[number.name], key=f"{number.name}-{method.key}-{name}", first=first)
    return checked_together(entered, method.key)


def _first_function(method: CoveringMethod) -> Entered:
    row = PARAMETERS["condition_value_function"]
    name = _function(row.label, ANY, side="condition", words=row.sentence, key="first_function")
    kind = VALUE_FUNCTIONS[name]
    number = number_of(kind)
    if number is None:
        return Entered({"condition_value_function": name})
    chosen = field(PARAMETERS[number], key=f"{number}-first-{name}", first=getattr(kind(), number))
    with_number = {"condition_value_function": f"{name}={chosen[number]!r}"}
    return checked_together(Entered(with_number, refused=chosen.refused), method.key)


def _function(label: str, first: ValueFunction, *, side: str, words: str, key: str) -> str:
    """The name of the value function that is chosen in a menu, which begins with ``first``."""
    index = list(value_functions()).index(first.name)
    return function_menu(label, side=side, words=words, index=index, key=key, persist_state="session")


def search_choice(card: NetworkCard | None, conditions: Entered) -> Entered:
    """Generator, seeds and oracle; what hardly ever changes is folded away."""
    generator = field(PARAMETERS["generator"])
    explained = st.empty()
    meant = partial(_meant, card)
    before = conditions | generator
    with st.grid(2, min_column_width=200):
        entered = generator | fields_of(FormPart.SEARCH, before, {"generator": lambda: generator}, meant=meant)
    suiting = meant((conditions | entered).fields)["generator"]
    explained.caption(_explained({AUTO: AUTOMATIC, **GENERATORS}, entered["generator"], suiting, "network"))
    with st.expander("More settings"), st.grid(2, min_column_width=200):
        return entered | fields_of(FormPart.MORE, conditions | entered)


def _meant(card: NetworkCard | None, fields: Fields) -> Fields:
    """The parameters with the generator that `AUTO` stands for, which is known with the network's card."""
    if fields["generator"] != AUTO or card is None:
        return fields
    objective = fields.get("objective", CampaignSpec.objective)
    generator = suited(card.layers, card.obstacle, feature_mode=fields["feature_mode"], objective=objective)
    return fields | {"generator": generator}


def _explained(known: Mapping[str, Entry], chosen: str, meant: str, what: str) -> str:
    """What a choice means, and which one it is for this network or search if it is automatic."""
    return f"For this {what}: {known[meant].title}. " * (meant != chosen) + known[meant].words
