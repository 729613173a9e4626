"""Criterion and value functions: what a new campaign asks of each pair."""

from __future__ import annotations

import dataclasses

import streamlit as st

from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, ValueFunction
from dnncov_core.criteria.mcdc import Change
from dnncov_core.phrases.definitions import NOTHING_ASKED
from pages.shared.fields import Fields, field, marked
from pages.shared.formula import in_lines, legend


def criterion_choice() -> Fields:
    """The criterion with its definition, and its value functions where it has some."""
    fields = field(PARAMETERS["criterion"])
    key = fields["criterion"]
    method = CRITERIA[key]
    st.markdown(method.words)
    st.latex(in_lines(method.formula))
    st.caption(legend(method.formula))
    if method.own_function is not None:
        two = method.condition is method.decision is Change.VALUE
        fields |= _value_function(key, method.own_function, "g2 of the decision feature" if two else "g")
        if two:
            fields |= _first_function()
    return fields


def _offered() -> list[str]:
    """Value functions that describe half-spaces, as generators by linear programming need."""
    return [name for name, kind in VALUE_FUNCTIONS.items() if kind.alternatives is not ValueFunction.alternatives]


def _described(name: str) -> str:
    return f"{name}: {VALUE_FUNCTIONS[name].words}"


def _value_function(criterion: str, default: ValueFunction, symbol: str) -> Fields:
    row, offered = PARAMETERS["value_function"], _offered()
    name = st.selectbox(
        f"Value function {symbol}",
        offered,
        index=offered.index(default.name),
        format_func=_described,
        key=f"value_function-{criterion}",
        persist_state="session",
        help=f"{row.sentence} u is the value before the activation function.",
    )
    kind = VALUE_FUNCTIONS[name]
    base = default if type(default) is kind else kind()
    fields: Fields = {"value_function": name}
    for each in dataclasses.fields(kind):
        if each.name in PARAMETERS:
            first = getattr(base, each.name)
            fields |= field(PARAMETERS[each.name], key=f"{each.name}-{criterion}-{name}", first=first)
    if name == "any":
        st.caption(NOTHING_ASKED.format("condition" if criterion == "vs" else "decision"))
    return marked(criterion=criterion, **fields)


def _first_function() -> Fields:
    row, offered = PARAMETERS["condition_value_function"], _offered()
    name = st.selectbox(
        row.label,
        offered,
        index=offered.index("any"),
        format_func=_described,
        key="first_function",
        persist_state="session",
        help=row.sentence,
    )
    numbers = [each for each in dataclasses.fields(VALUE_FUNCTIONS[name]) if isinstance(each.default, float)]
    if name == "any":
        st.caption(NOTHING_ASKED.format("condition"))
    if not numbers:
        return {"condition_value_function": name}
    number = numbers[0].name
    chosen = field(PARAMETERS[number], key=f"{number}-first-{name}", first=numbers[0].default)
    asked = f"{name}={chosen.pop(number)!r}"
    return marked(criterion="vv", condition_value_function=asked, **chosen)
