"""Criterion and value functions: what a new campaign asks of each pair."""

from __future__ import annotations

import dataclasses
from typing import Any

import streamlit as st

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, ValueFunction
from dnncov_core.criteria.mcdc import Change
from dnncov_core.distances import NORMS
from dnncov_core.phrases.definitions import NOTHING_ASKED
from dnncov_pages.shared.fields import Fields, marked, registered

NUMBERS = {
    "sigma": ("sigma (σ)", "The factor by which u must change. The paper uses 2 for SV and 5 for VV."),
    "d": ("d", "The threshold that the value function compares with, in units of u (for SSIM a similarity, 0 to 1)."),
}

SYMBOLS = {
    r"nsc(": "nsc: no neuron's sign changes",
    r"\wedge": "∧: and",
    r"vc(": "vc: the value changes as the value function asks",
    r"P_k": "P_k: all neurons of layer k",
}
"""What the signs of a formula mean, by what shows that they occur; sc is in every one."""


def legend(formula: str) -> str:
    """The meaning of the signs that occur in a formula.

    >>> legend("sc(a) \\\\wedge vc(g, b)")
    "sc: every neuron's sign changes; ∧: and; vc: the value changes as the value function asks."
    """
    return "; ".join(["sc: every neuron's sign changes", *(SYMBOLS[sign] for sign in SYMBOLS if sign in formula)]) + "."


def criterion_choice() -> Fields:
    """The criterion with its definition, and its value functions where it has some."""
    words = "Which change of the condition feature must cause which change of the decision feature."
    key = registered("Criterion", CRITERIA, "criterion", words=words)
    method = CRITERIA[key]
    st.markdown(method.words)
    st.latex(in_lines(method.formula))
    st.caption(legend(method.formula))
    fields: Fields = {"criterion": key}
    if method.own_function is not None:
        two = method.condition is method.decision is Change.VALUE
        fields |= _value_function(key, method.own_function, "g2 of the decision feature" if two else "g")
        if two:
            fields |= _first_function()
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
    if name == "any":
        st.caption(NOTHING_ASKED.format("condition" if criterion == "vs" else "decision"))
    return marked(criterion=criterion, **fields)


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


def _first_function() -> Fields:
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
    if name == "any":
        st.caption(NOTHING_ASKED.format("condition"))
    if not numbers:
        return {"condition_value_function": name}
    number = _parameter(f"first-{name}", numbers[0].name, numbers[0].default)
    return marked(criterion="vv", condition_value_function=f"{name}={number!r}")
