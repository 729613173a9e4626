"""The signs and parts of a covering method's definition, and what a value function compares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dnncov_core.criteria.parts import Asks, Part
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.phrases.numbers import short

if TYPE_CHECKING:
    from dnncov_core.criteria.value_function_base import Quantity

RELATIONS: Mapping[Asks, str] = {
    Asks.CONDITION_SIGN: "sc",
    Asks.REST_KEPT: "nsc",
    Asks.CONDITION_VALUE: "vc",
    Asks.LAYER_KEPT: "nsc",
    Asks.DECISION_SIGN: "sc",
    Asks.DECISION_VALUE: "vc",
    Asks.DECISION_KEPT: "nsc",
}
"""The paper's names: sign change, no sign change, value change."""
ASKED: Mapping[Asks, str] = {
    Asks.CONDITION_SIGN: "every neuron of the condition feature changes its sign",
    Asks.REST_KEPT: "the rest of layer {k} keeps its signs",
    Asks.CONDITION_VALUE: "the condition feature changes its value, as {g} says",
    Asks.LAYER_KEPT: "all of layer {k} keeps its signs",
    Asks.DECISION_SIGN: "every neuron of the decision feature changes its sign",
    Asks.DECISION_VALUE: "the decision feature changes its value, as {g} says",
    Asks.DECISION_KEPT: "the decision feature keeps its signs",
}
NOTHING_ASKED = "The value function any lets the {} feature change its value or not."
"""What is said about a feature where the value function is `any`."""


SYMBOLS = {
    r"nsc(": "nsc: no neuron's sign changes",
    r"\wedge": "∧: and",
    r"vc(": "vc: the value changes as the value function asks",
    r"P_k": "P_k: all neurons of layer k",
}
"""The meaning of a formula's signs, by the text that shows that they occur; sc occurs in every formula."""


def legend(formula: str = "".join(SYMBOLS)) -> str:
    """The meaning of the signs that occur in a formula; of all of them without one.

    >>> legend("sc(a) \\\\wedge vc(g, b)")
    "sc: every neuron's sign changes; ∧: and; vc: the value changes as the value function asks."
    """
    return "; ".join(["sc: every neuron's sign changes", *(SYMBOLS[sign] for sign in SYMBOLS if sign in formula)]) + "."


def asked(part: Part) -> str:
    """What a part of a definition asks.

    >>> asked(Part(Asks.REST_KEPT, 3, (0, 1), holds=True))
    'the rest of layer 3 keeps its signs'
    >>> asked(Part(Asks.DECISION_VALUE, 3, (0,), holds=True, function=ANY))
    'the decision feature may change its value or not (value function any)'
    """
    if part.function == ANY:
        side = "condition" if part.asks is Asks.CONDITION_VALUE else "decision"
        return f"the {side} feature may change its value or not (value function {ANY.name})"
    return ASKED[part.asks].format(k=part.layer, g=part.function.describe() if part.function else "")


def comparison(each: Quantity) -> str:
    """What a value function compares with what, with both values."""
    return f"{each.words} = {short(each.value)}, must be {each.relation} {each.limit_words} = {short(each.limit)}"
