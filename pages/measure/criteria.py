"""Criteria with their parameters, and features: what a new measurement asks."""

from __future__ import annotations

import dataclasses

import streamlit as st

from dnncov_core.criteria import BASELINES, CRITERIA, VALUE_FUNCTIONS
from dnncov_core.criteria.value_functions import UpperBoundary
from dnncov_core.suites.criteria import ALL, DEFAULT, ENTRIES, MODES, SPECIAL_CASES
from pages.shared.fields import Fields

OWN = "own"
"""The criterion's own value function with its own number, as in the paper."""
BY_REFERENCE = f"{UpperBoundary.name} of the reference data"
SHORT = {
    BY_REFERENCE: "upper_boundary, measured",
    "nb": "NB's condition",
    "mn": "MN's condition",
    "tn": "TN's condition",
}
"""Names that fit into a menu; its help says what they mean."""
LEMMAS = {
    "nb": "v[x2] is above its greatest over the reference data",
    "mn": "v[x2] is in one section of its range over the reference data",
    "tn": "v[x2] of the condition neuron is among the m greatest of its layer",
}
"""The value functions of the paper's lemmas, in words."""
MODE_WORDS = {"neuron": "Single neurons", "free": "Free: whatever changes, up to ω of the layer"}


def criteria_choice() -> Fields:
    """The criteria, and m or value function of those that have one."""
    chosen = st.multiselect(
        "Criteria",
        list(ALL),
        default=DEFAULT.split(","),
        format_func=_short,
        key="criteria",
        persist_state="session",
        help="\n\n".join(f"{entry.title}: {entry.words}" for entry in ENTRIES.values()),
    )
    chosen = [key for key in ALL if key in chosen]
    parameters = {}
    with st.grid(2, min_column_width=220):
        for key in chosen:
            if key in CRITERIA and CRITERIA[key].own_function is not None:
                parameters[key] = _function(key)
            elif key in BASELINES and "m" in BASELINES[key].__dataclass_fields__:
                parameters[key] = _m(key)
    asked = [key + parameters.get(key, "") for key in chosen]
    together = ",".join(dict.fromkeys([*asked, *_of_the_lemmas(parameters)]))
    if not together:
        st.error("Choose at least one criterion.", icon=":material/error:")
    return {"criteria": together}


def _short(key: str) -> str:
    """A title that leaves room for eight others.

    >>> [_short(key) for key in ("ss", "n", "nb", "mn", "s")]
    ['SS (sign-sign)', 'N (neuron)', 'NB (boundary)', 'MN (multisection)', 'S (safety)']
    """
    title = ENTRIES[key].title.replace(" coverage", "")
    return title.replace("(neuron ", "(").replace(" neuron)", ")")


def _of_the_lemmas(parameters: dict[str, str]) -> list[str]:
    """What one checkbox adds: each covering method by each value function that a lemma about it asks for."""
    wanted = st.checkbox(
        "The lemmas' value functions",
        key="lemmas",
        persist_state="session",
        help="Makes NB, MN and TN special cases of SV, VS and VV, as the lemmas of the paper's appendix do: measures SV"
        " and VV also by NB and by the last section of MN, VS and VV also by TN, with the m of MN and TN chosen above."
        " Needs reference data.",
    )
    if not wanted:
        return []
    m = {key: parameters.get(key, "").removeprefix(":") or _usual_m(key) for key in ("mn", "tn")}
    forms = {"nb": "nb", "mn": f"mn={m['mn']}/{m['mn']}", "tn": f"tn={m['tn']}"}
    return [f"{key}:{forms[name]}" for key, places in SPECIAL_CASES.items() for name in places]


def _usual_m(key: str) -> int:
    return int(str(BASELINES[key].__dataclass_fields__["m"].default))


def _m(key: str) -> str:
    """``:m``, or nothing where it is the usual one."""
    usual = _usual_m(key)
    m = st.number_input(
        f"m of {key.upper()}", value=usual, step=1, key=f"m-{key}", persist_state="session", help=BASELINES[key].words
    )
    return "" if m == usual else f":{m}"


def _function(key: str) -> str:
    """``:NAME=NUMBER``, or nothing where it is the usual one."""
    usual = CRITERIA[key].own_function
    own = {OWN: usual.describe(), usual.name: f"{usual.name}, another number"} if usual else {}
    offered = [name for name, kind in VALUE_FUNCTIONS.items() if kind().by_extremes and kind() != usual]
    of_lemmas = SPECIAL_CASES.get(key, {})
    name = st.selectbox(
        f"Value function of {key.upper()}",
        [OWN, *offered, BY_REFERENCE, *of_lemmas],
        format_func=lambda choice: {**own, **SHORT}.get(choice, choice),
        key=f"measured-function-{key}",
        persist_state="session",
        help="\n\n".join(
            [
                *(f"{name}: {VALUE_FUNCTIONS[name].words}" for name in offered),
                f"{SHORT[BY_REFERENCE]}: u of x2 is above the neuron's largest over the reference data",
                *(f"{SHORT[name]}: {LEMMAS[name]}" for name in of_lemmas),
            ]
        ),
    )
    if name == OWN:
        return ""
    if name in LEMMAS:
        return _suitable(key, name)
    numbers = (
        [] if name == BY_REFERENCE else [f for f in dataclasses.fields(VALUE_FUNCTIONS[name]) if f.type == "float"]
    )
    if not numbers:
        return f":{UpperBoundary.name if name == BY_REFERENCE else name}"
    number = st.number_input(
        f"{numbers[0].name} of {key.upper()}",
        value=float(str(numbers[0].default)),
        step=0.5,
        key=f"measured-{numbers[0].name}-{key}",
        persist_state="session",
    )
    return f":{name}={number:g}"


def _suitable(key: str, name: str) -> str:
    """``:NAME`` with its m and section, if it has them."""
    if name == "nb":
        return ":nb"
    m = _number(f"{name.upper()}'s m of {key.upper()}", _usual_m(name), f"measured-m-{name}-{key}")
    if name == "tn":
        return f":tn={m}"
    return f":mn={_number(f'Section of {key.upper()}, from 1 to m', 1, f'measured-section-{key}')}/{m}"


def _number(label: str, usual: int, key: str) -> int:
    return int(st.number_input(label, value=usual, step=1, key=key, persist_state="session"))


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
        help="What one condition feature of SS and SV is. Free: whatever set of neurons changes its signs, as in the"
        " paper's ImageNet experiment. VS and VV have no free features, since no sign of that layer changes.",
    )
    if mode != "free":
        return {"feature_mode": mode}
    omega = st.number_input(
        "omega (ω)",
        value=0.001,
        step=0.001,
        format="%.4f",
        key="measured-omega",
        persist_state="session",
        help="Largest share of a layer's neurons in one condition feature, at least one neuron.",
    )
    return {"feature_mode": mode, "omega": omega}
