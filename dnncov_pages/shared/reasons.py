"""The parts of a covering method's definition in words, ticked or not."""

from __future__ import annotations

import math

from dnncov_core.criteria.parts import Asks, Part
from dnncov_core.criteria.value_function import Quantity
from dnncov_core.criteria.value_functions import ANY

HOLDS = {True: ":blue[:material/check_circle:]", False: ":orange[:material/cancel:]"}
WORDS = {
    Asks.CONDITION_SIGN: ("sc", "every neuron of the condition feature changes its sign"),
    Asks.REST_KEPT: ("nsc", "the rest of layer {k} keeps its signs"),
    Asks.CONDITION_VALUE: ("vc", "the condition feature changes its value, as {g} says"),
    Asks.LAYER_KEPT: ("nsc", "all of layer {k} keeps its signs"),
    Asks.DECISION_SIGN: ("sc", "every neuron of the decision feature changes its sign"),
    Asks.DECISION_VALUE: ("vc", "the decision feature changes its value, as {g} says"),
    Asks.DECISION_KEPT: ("nsc", "the decision feature keeps its signs"),
}


def asked(part: Part) -> str:
    """A tick, and what the part asks."""
    symbol, words = WORDS[part.asks]
    said = words.format(k=part.layer, g=f"**{part.function.describe()}**" if part.function else "")
    if part.function == ANY:
        side = "condition" if part.asks is Asks.CONDITION_VALUE else "decision"
        said = f"the {side} feature may change its value or not, as **any** says"
    return f"{HOLDS[part.holds]} **{symbol}**: {said}"


def comparison(each: Quantity) -> str:
    """What a value function compares with what."""
    return f"{each.words} = {number(each.value)}, must be {each.relation} {each.limit_words} = {number(each.limit)}"


def number(value: float) -> str:
    """A value with four digits.

    >>> number(-0.00012345), number(float("inf")), number(float("nan"))
    ('-0.0001234', '∞', '0/0')
    """
    if math.isnan(value):
        return "0/0"
    return f"{value:.4g}".replace("inf", "∞")
