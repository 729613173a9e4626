"""The form of a new measurement: criteria, with m or value functions of those that have them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import streamlit as st

from dnncov_core.criteria import CRITERIA, LAYER_CRITERIA, NEURON_CRITERIA, VALUE_FUNCTIONS
from dnncov_core.criteria.value_functions import UpperBoundary
from dnncov_core.suites.criterion_names import ALL, DEFAULT, ENTRIES, SPECIAL_CASES
from pages.shared.fields import Fields
from pages.shared.formula import number_of
from pages.shared.words import help_of, say_error

OWN = "own"
"""The criterion's own value function with its own number, as in the paper."""
BY_REFERENCE = f"{UpperBoundary.name} of the reference data"
LEMMAS = {
    "nb": "v[x2] is above its greatest over the reference data",
    "mn": "v[x2] is in one section of its range over the reference data",
    "tn": "v[x2] of the condition neuron is among the m greatest of its layer",
}
"""The value functions of the paper's lemmas, in words."""
LAYER_PARAMETERS = {
    "m": ("m", "The number of equal buckets of surprise, from 0 to the upper bound."),
    "upper": ("Upper bound", "The greatest surprise that lies in a bucket."),
    "layer": ("Layer", "By its number: the hidden layer whose values say how surprising an input is."),
}
"""Labels and help of what criteria of surprise take."""
SHORT_NAMES = {BY_REFERENCE: "upper_boundary, measured", **{name: f"{name.upper()}'s condition" for name in LEMMAS}}
"""Names that fit into a menu; its help says what they mean."""


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
            elif key in LAYER_CRITERIA:
                parameters[key] = _layer_parameters(key)
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


def _layer_parameters(key: str) -> str:
    """``:NAME=NUMBER/...`` for what differs from what is usual."""
    entered = {}
    for each in fields(LAYER_CRITERIA[key]):
        label, words = LAYER_PARAMETERS[each.name]
        usual: Any = each.default
        number = st.number_input(
            f"{label} of {key.upper()}",
            value=usual,
            placeholder="the last hidden layer",
            key=f"{each.name}-{key}",
            persist_state="session",
            help=words,
        )
        if number is not None and number != usual:
            entered[each.name] = number
    return ":" + "/".join(f"{name}={number:.9g}" for name, number in entered.items()) if entered else ""


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
