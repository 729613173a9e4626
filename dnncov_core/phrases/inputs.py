"""Which inputs a search may give, and what their features are called."""

from __future__ import annotations

from dnncov_core.box import Box
from dnncov_core.records import NetworkCard

MOST_NAMED = 12
"""Features whose ranges a sentence has."""


def searched_range(card: NetworkCard | None) -> str:
    """In which ranges the features of an input are searched.

    Empty where no card is known, and for images with one pair of bounds for all channels.
    """
    if card is None or (card.ranges is None and len(card.input_shape) != 1):
        return ""
    if card.ranges is None:
        between = _between(card.box, 0)
        return f"All features of the input are searched {between}, also those whose own range is smaller."
    said = "Each feature is searched within its own range, and distances are shares of it"
    if len(card.ranges) > MOST_NAMED:
        return f"{said}."
    numbers = range(0, card.layer(1).neurons, card.layer(1).neurons // len(card.ranges))
    return f"{said}: {', '.join(f'{card.box.name(i)} {_between(card.box, i)}' for i in numbers)}."


def _between(box: Box, place: int) -> str:
    """The range of a number in words, with its unit where it has one."""
    low, high = (f"{bound:,.10g}" for bound in box.range_of(place))
    return f"from {low} to {high}{box.unit_name(place)}" if low != high else f"fixed at {low}{box.unit_name(place)}"
