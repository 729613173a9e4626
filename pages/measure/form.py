"""The form of a new measurement: network, suite and reference data; criteria; features; the button that starts it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dnncov_core.campaign.library import SUFFIX, open_campaign, viewable
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.criteria import CRITERIA, EFFECTS, NEURON_CRITERIA, NO_EFFECT, VALUE_FUNCTIONS
from dnncov_core.criteria.value_functions import UpperBoundary
from dnncov_core.errors import DnncovError
from dnncov_core.records import NetworkCard
from dnncov_core.registry import data_names, default_data, described
from dnncov_core.suites.criterion_names import ALL, DEFAULT, ENTRIES, MODES, SPECIAL_CASES, key_of
from dnncov_core.suites.library import start
from dnncov_core.suites.remarks import headline, same_inputs
from dnncov_core.suites.spec import MeasurementSpec
from pages.measure.progress import MEASUREMENT
from pages.shared.campaigns import label, spec_of
from pages.shared.fields import Fields, place_of, widget
from pages.shared.formula import number_of
from pages.shared.job_buttons import start_job
from pages.shared.network import fitting, network_menu, say_no_data, your_own
from pages.shared.words import help_of, plain, say_error

COMMAND = "dnncov measure NETWORK --suite DATA"
OF_A_CAMPAIGN = (
    "Every different x1 and x2 of this campaign, and every two of them: also two that it did not pair, so that more may"
    " be covered than Gaps counts."
)
OWN = "own"
"""The criterion's own value function with its own number, as in the paper."""
BY_REFERENCE = f"{UpperBoundary.name} of the reference data"
LEMMAS = {
    "nb": "v[x2] is above its greatest over the reference data",
    "mn": "v[x2] is in one section of its range over the reference data",
    "tn": "v[x2] of the condition neuron is among the m greatest of its layer",
}
"""The value functions of the paper's lemmas, in words."""
SHORT_NAMES = {BY_REFERENCE: "upper_boundary, measured", **{name: f"{name.upper()}'s condition" for name in LEMMAS}}
"""Names that fit into a menu; its help says what they mean."""
MOST_PAIRS = 5_000_000
"""Feature pairs of a network beyond which no witnesses are written: a suite may cover most of them."""
SIDES = ("Condition layers", "Decision layers")
"""Of a layer pair, in its order."""
MODE_WORDS = {"neuron": "Single neurons", "free": "Free: whatever changes, up to ω of the layer"}


def suite_choice() -> tuple[Fields, NetworkCard | None]:
    """Network, suite and reference data, and the network's card, if it is known before loading."""
    name, card = network_menu("measured-network")
    names = fitting(list(data_names()), card)
    suites = [*names, *_campaigns(name)]
    suite = None
    if suites:
        suite = st.selectbox(
            "Suite",
            suites,
            index=place_of(default_data(name), suites),
            format_func=_described,
            key=f"suite-{name}",
            persist_state="session",
            help=help_of(
                "Suite",
                "The inputs that are measured: data, or the test pairs of one of your campaigns on this network. All"
                " of them count, also those that the network gets wrong.",
            ),
        )
        classes = () if card is None else card.classes
        words = described(suite, classes) if suite in names else OF_A_CAMPAIGN
        st.caption(plain(words))
    else:
        say_no_data(name, COMMAND, beside=", and none of your campaigns is on it")
    your_own(COMMAND, labelled=False)
    if suite is None:
        return {"network": name, "suite": None, "reference": None}, card
    reference = st.selectbox(
        "Reference data",
        [None, *names],
        format_func=lambda choice: choice or "None",
        key=f"measured-reference-{name}",
        persist_state="session",
        help="Data whose ranges NB, MN, KMNC, upper_boundary and the lemmas' value functions compare with: take"
        " training data, not the suite itself, since no input can be above the largest value of its own suite.",
    )
    return {"network": name, "suite": suite, "reference": reference}, card


def _campaigns(network: str) -> list[str]:
    """File names of campaigns on a network that have a test pair, newest first."""
    files = viewable()
    return [
        f"{campaign_id}{SUFFIX}"
        for campaign_id in files
        if (spec := spec_of(campaign_id, files)) is not None and spec.network == network and _has_pairs(campaign_id)
    ]


def _has_pairs(campaign_id: str) -> bool:
    try:
        with open_campaign(campaign_id) as store:
            return store.pairs.count() > 0
    except DnncovError:
        return False


def _described(suite: str) -> str:
    return f"Test pairs: {label(suite.removesuffix(SUFFIX))}" if suite.endswith(SUFFIX) else suite


def criteria_choice() -> Fields:
    """The criteria, and m or value function of those that have one."""
    chosen = st.multiselect(
        "Criteria",
        list(ALL),
        default=DEFAULT.split(","),
        format_func=_short,
        key="criteria",
        persist_state="session",
        help=help_of("Criteria", "\n\n".join(f"{entry.title}: {entry.words}" for entry in ENTRIES.values())),
    )
    chosen = [key for key in ALL if key in chosen]
    parameters = {}
    with st.grid(2, min_column_width=220):
        for key in chosen:
            if key in CRITERIA and CRITERIA[key].own_function is not None:
                parameters[key] = _function(key)
            elif key in NEURON_CRITERIA and (usual := NEURON_CRITERIA[key].usual_m):
                m = _number(f"m of {key.upper()}", usual, f"m-{key}", NEURON_CRITERIA[key].words)
                parameters[key] = "" if m == usual else f":{m}"
    criteria = [key + parameters.get(key, "") for key in chosen]
    together = ",".join(dict.fromkeys([*criteria, *_of_the_lemmas(parameters)]))
    if not together:
        say_error("Choose at least one criterion.")
    return {"criteria": together}


def _short(key: str) -> str:
    """A title that leaves room for nine others.

    >>> [_short(key) for key in ("ss", "n", "nb", "mn", "s")]
    ['SS (sign-sign)', 'N (neuron)', 'NB (boundary)', 'MN (multisection)', 'S (safety)']
    >>> _short("kmnc")
    'KMNC (section)'
    """
    title = ENTRIES[key].title.replace(" coverage", "")
    return title.replace("(neuron ", "(").replace(" neuron)", ")")


def _of_the_lemmas(parameters: dict[str, str]) -> list[str]:
    """What one checkbox adds: each covering method by each value function that a lemma about it asks for."""
    wanted = st.checkbox(
        "The lemmas' value functions",
        key="lemmas",
        persist_state="session",
        help=help_of(
            "Value functions",
            "Makes NB, MN and TN special cases of SV, VS and VV, as the lemmas of the paper's appendix do: measures SV"
            " and VV also by NB and by the last section of MN, VS and VV also by TN, with the m of MN and TN chosen"
            " above. Needs reference data.",
        ),
    )
    if not wanted:
        return []
    m = {key: parameters.get(key, "").removeprefix(":") or NEURON_CRITERIA[key].usual_m for key in ("mn", "tn")}
    forms = {"nb": "nb", "mn": f"mn={m['mn']}/{m['mn']}", "tn": f"tn={m['tn']}"}
    return [f"{key}:{forms[name]}" for key, places in SPECIAL_CASES.items() for name in places]


def _function(key: str) -> str:
    """``:NAME=NUMBER``, or nothing where it is the usual one."""
    usual = CRITERIA[key].own_function
    own = {OWN: usual.describe(), usual.name: f"{usual.name}, another number"} if usual else {}
    offered = [name for name, kind in VALUE_FUNCTIONS.items() if kind().by_extremes and kind() != usual]
    of_lemmas = SPECIAL_CASES.get(key, {})
    words = [
        *(f"{name}: {VALUE_FUNCTIONS[name].words}" for name in offered),
        f"{SHORT_NAMES[BY_REFERENCE]}: u of x2 is above the neuron's largest over the reference data",
        *(f"{SHORT_NAMES[name]}: {LEMMAS[name]}" for name in of_lemmas),
    ]
    name = st.selectbox(
        f"Value function of {key.upper()}",
        [OWN, *offered, BY_REFERENCE, *of_lemmas],
        format_func=lambda choice: {**own, **SHORT_NAMES}.get(choice, choice),
        key=f"measured-function-{key}",
        persist_state="session",
        help=help_of("Value function", "\n\n".join(words)),
    )
    if name == OWN:
        return ""
    if name in LEMMAS:
        return _suitable(key, name)
    kind = UpperBoundary if name == BY_REFERENCE else VALUE_FUNCTIONS[name]
    parameter = None if name == BY_REFERENCE else number_of(kind)
    if parameter is None:
        return f":{kind.name}"
    number = st.number_input(
        f"{parameter} of {key.upper()}",
        value=float(getattr(kind(), parameter)),
        step=0.5,
        key=f"measured-{parameter}-{key}",
        persist_state="session",
    )
    return f":{name}={number:g}"


def _suitable(key: str, name: str) -> str:
    """``:NAME`` with its m and section, if it has them."""
    if name == "nb":
        return ":nb"
    m = _number(f"{name.upper()}'s m of {key.upper()}", NEURON_CRITERIA[name].usual_m, f"measured-m-{name}-{key}")
    if name == "tn":
        return f":tn={m}"
    return f":mn={_number(f'Section of {key.upper()}, from 1 to m', 1, f'measured-section-{key}')}/{m}"


def _number(label: str, usual: int, key: str, words: str | None = None) -> int:
    return int(st.number_input(label, value=usual, step=1, key=key, persist_state="session", help=words))


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


def checked(
    fields: Fields, card: NetworkCard | None, *, by_reference: DeltaGenerator, by_criteria: DeltaGenerator
) -> MeasurementSpec | None:
    """The specification, or None after a message below the menu that it is about."""
    if fields["suite"] is None or not fields["criteria"]:
        return None  # said there
    spec = MeasurementSpec(**fields)
    try:
        criteria = replace(spec, reference=spec.reference or "some").asked()
        if card is not None:
            spec.pairs(card)
    except DnncovError as error:
        with by_criteria:
            say_error(error)
        return None
    lacking = dict.fromkeys(
        key_of(criterion.text).upper() for criterion in criteria if criterion.by_reference and spec.reference is None
    )
    if lacking:
        words = f"Choose reference data: {', '.join(lacking)} cannot be measured without."
        with by_reference:
            say_error(words)
        return None
    if spec.suite == spec.reference and (words := same_inputs(criterion.text for criterion in criteria)):
        by_reference.warning(words, icon=":material/warning:")
    if spec.used() != spec:
        by_reference.caption("Reference data are left out: none of the chosen criteria needs them.")
    return spec


def measure_bar(spec: MeasurementSpec | None, card: NetworkCard | None) -> None:
    """One line of what will happen, whether witnesses are kept, and the button."""
    words, toggle, button = st.columns([4, 1.4, 1], vertical_alignment="center")
    words.markdown(
        f"**{plain(headline(spec))}** · {plain(spec.criteria.replace(',', ', '))}"
        if spec
        else ":gray[Not ready to measure.]"
    )
    many = card is not None and spec is not None and len(spec.pairs(card)) > MOST_PAIRS
    witnesses = toggle.toggle(
        "Keep witnesses",
        key="witnesses",
        persist_state="session",
        disabled=many,
        help="Writes for each test condition that is met which inputs meet it, a row each, to be downloaded as CSV."
        + (f" Not for networks of more than {MOST_PAIRS:,} feature pairs; use dnncov measure." if many else ""),
    )
    icon = ":material/straighten:"
    pressed = button.button("Measure", type="primary", icon=icon, width="stretch", disabled=spec is None)
    if pressed and spec is not None:
        start_job(MEASUREMENT, partial(start, spec, witnesses=witnesses and not many))
