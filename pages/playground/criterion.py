"""Which criterion the Playground looks at, its definition, and its value functions."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.phrases.definitions import legend
from dnncov_core.playground.setting import EXAMPLES
from pages.playground.setting import CRITERION, FIRST, OWN, put_functions
from pages.shared.formula import function_menu, in_lines, number_of
from pages.shared.words import help_of


def criterion() -> None:
    """The choice of the covering method."""
    st.segmented_control(
        "Test with criterion",
        list(CRITERIA),
        format_func=str.upper,
        required=True,
        key=CRITERION,
        on_change=_changed,
        help=help_of(
            "Test with criterion",
            "Which change of the condition feature must come with which change of the decision feature.",
        ),
    )
    method = CRITERIA[st.session_state[CRITERION]]
    st.caption(f"**{method.title}.** {method.words}")


def _changed() -> None:
    put_functions(EXAMPLES[st.session_state[CRITERION]].setting.method)


def definition() -> None:
    """What the criterion asks, in words and as the paper's formula, with its value functions to choose."""
    method = CRITERIA[st.session_state[CRITERION]]
    st.markdown(f"##### What {method.key.upper()} asks")
    st.latex(in_lines(method.formula))
    st.caption(legend(method.formula))
    if method.two_functions:
        _function("g1 of the condition", FIRST, "condition")
        _function("g2 of the decision", OWN, "decision")
    elif method.own_function is not None:
        side = method.own_side
        _function(f"g of the {side} feature", OWN, side)


def _function(symbol: str, key: str, side: str) -> None:
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        words = "What counts as a significant change of value. u is the value before the activation function."
        name = function_menu(
            f"Value function {symbol}", side=side, words=words, key=key, on_change=_usual_number, args=(key,)
        )
    number = number_of(VALUE_FUNCTIONS[name])
    if number is not None:
        row = PARAMETERS[number]
        right.number_input(
            row.label, step=0.5, format="%.12g", key=f"{key}-number", help=help_of(row.label, row.sentence)
        )


def _usual_number(key: str) -> None:
    kind = VALUE_FUNCTIONS[st.session_state[key]]
    number = number_of(kind)
    if number is not None:
        st.session_state[f"{key}-number"] = getattr(kind(), number)
