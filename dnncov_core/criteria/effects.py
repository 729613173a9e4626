"""Which effect of the condition feature on the decision feature a test pair has to show: the choices of `EFFECTS`.

Definitions 4 to 7 of the paper ask that the decision changes with the condition; MC/DC asks for an independent effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from dnncov_core.records import Named
from dnncov_core.types import BoolArray

if TYPE_CHECKING:
    from torch import Tensor

Flags = TypeVar("Flags", "Tensor", BoolArray)
"""Whether something holds, elementwise."""

NO_EFFECT = "none"
EFFECTS: dict[str, Named] = {
    NO_EFFECT: Named("None", "The decision changes together with the condition, which is all that the paper asks."),
    "needed": Named("Needed", "Without the condition's change the decision does not change."),
    "sufficient": Named("Sufficient", "The condition's change alone changes the decision."),
    "both": Named("Needed and sufficient", "The condition's change is needed, and it is sufficient."),
}
"""What is asked of a pair beside the covering method."""


def shown_effect(asked: str) -> str:
    """The effect that "with effect" stands for in a campaign that asks for this one: needed, unless it asks for more.

    >>> shown_effect("none"), shown_effect("both")
    ('needed', 'both')
    """
    return asked if asked in ("sufficient", "both") else "needed"


def asks_as_much(effect: str, other: str) -> bool:
    """Whether whatever shows one effect of `EFFECTS` shows the other, too.

    >>> asks_as_much("both", "needed"), asks_as_much("sufficient", "needed")
    (True, False)
    """
    return asks_needed(effect) >= asks_needed(other) and asks_sufficient(effect) >= asks_sufficient(other)


def asks_needed(effect: str) -> bool:
    """Whether an effect of `EFFECTS` asks that the condition's change is needed."""
    return effect in ("needed", "both")


def asks_sufficient(effect: str) -> bool:
    """Whether it asks that the condition's change is sufficient."""
    return effect in ("sufficient", "both")


def meets(effect: str, needed: Flags, sufficient: Flags) -> Flags:
    """Whether pairs of which these are known show an effect of `EFFECTS`, elementwise."""
    return (needed | (not asks_needed(effect))) & (sufficient | (not asks_sufficient(effect)))
