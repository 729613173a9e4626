"""The definition of a criterion: its formula, what its signs mean, its value functions, its parts with ticks."""

from __future__ import annotations

import dataclasses
from typing import Any

import streamlit as st

from dnncov_core.criteria import VALUE_FUNCTIONS, ValueFunction
from dnncov_core.criteria.parts import Part
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.phrases.definitions import NOTHING_ASKED, RELATIONS, asked
from pages.shared.words import help_of, plain

HOLDS = {True: ":blue[:material/check_circle:]", False: ":orange[:material/cancel:]"}


def in_lines(formula: str) -> str:
    """A conjunction with one part a line, so that it fits on narrow screens."""
    parts = [part.strip() for part in formula.replace(r"\;", " ").split(r"\wedge")]
    return r"\begin{aligned} &" + r" \\ \wedge\; &".join(parts) + r"\end{aligned}"


def ticked(part: Part) -> str:
    """Whether a part holds, and what it asks, in Markdown."""
    return f"{HOLDS[part.holds]} **{RELATIONS[part.asks]}**: {plain(asked(part))}"


def value_functions() -> dict[str, str]:
    """The value functions that describe half-spaces, as generators by linear programming need, each in words."""
    return {
        name: f"{name}: {kind.words}"
        for name, kind in VALUE_FUNCTIONS.items()
        if kind.alternatives is not ValueFunction.alternatives
    }


def function_menu(label: str, *, side: str, words: str, **options: Any) -> str:
    """A menu of value functions, with ``options`` of Streamlit's; says below it what ``any`` means for this side."""
    offered = value_functions()
    name: str = st.selectbox(
        label, list(offered), format_func=offered.__getitem__, help=help_of(label, words), **options
    )
    if name == ANY.name:
        st.caption(NOTHING_ASKED.format(side))
    return name


def number_of(kind: type[ValueFunction]) -> str | None:
    """The name of a value function's number, sigma or d; None if it has none."""
    return next((field.name for field in dataclasses.fields(kind) if isinstance(field.default, float)), None)
