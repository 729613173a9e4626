"""Which inputs a search may give, and what their features are called."""

from __future__ import annotations

import math

import numpy as np

from dnncov_core.box import Box
from dnncov_core.distances import written
from dnncov_core.phrases.numbers import MINUS, counted, signed
from dnncov_core.records import NetworkCard, TestPair

MOST_NAMED = 12
"""Features whose ranges a sentence has."""


def searched_range(card: NetworkCard | None) -> str:
    """In which ranges the features of an input are searched, and what that means for a text.

    Empty where no card is known, and for images with one pair of bounds for all channels.
    """
    return "" if card is None else " ".join(filter(None, [_embedded(card), _ranges(card)]))


def _embedded(card: NetworkCard) -> str:
    """What an input and x2 are where inputs are sequences of embedded tokens; else empty."""
    if not card.embedded:
        return ""
    tokens, numbers = card.input_shape
    return (
        f"An input is a sequence of {counted(tokens, 'embedded token')} with {counted(numbers, 'number')} each. x2 is"
        " mostly a point between words: there need be no text whose embedding it is."
    )


def _ranges(card: NetworkCard) -> str:
    if card.ranges is None and len(card.input_shape) != 1:
        return ""
    if card.ranges is None:
        between = _between(card.box, 0)
        return f"All features of the input are searched {between}, also those whose own range is smaller."
    said = f"Each {card.box.noun} is searched within its own range, and distances are shares of it"
    return f"{said}." if len(card.ranges) > MOST_NAMED else f"{said}: {input_ranges(card.box)}."


def input_ranges(box: Box) -> str:
    """Between which values inputs lie: those of each feature where it has its own and there are few.

    >>> input_ranges(Box((2,), (-5.0, 60.0), ((0.0, 60.0), (-5.0, 5.0)), ("distance", "angle"), ("m", "°")))
    'distance from 0 to 60 m, angle from −5 to 5 °'
    >>> input_ranges(Box((1, 28, 28), (0.0, 1.0)))
    'from 0 to 1'
    """
    if box.ranges is None or len(box.ranges) > MOST_NAMED:
        return f"from {box.bounds[0]:g} to {box.bounds[1]:g}"
    n = math.prod(box.shape)
    return ", ".join(f"{box.name(i)} {_between(box, i)}" for i in range(0, n, n // len(box.ranges)))


def _between(box: Box, place: int) -> str:
    """The range of a number in words, with its unit where it has one."""
    digits = 10 if box.ranges is None else 7
    low, high = (f"{bound:,.{digits}g}".replace("-", MINUS) for bound in box.range_of(place))
    return f"from {low} to {high}{box.unit_name(place)}" if low != high else f"fixed at {low}{box.unit_name(place)}"


def moved_words(pair: TestPair, card: NetworkCard) -> str:
    """How many features differ between x1 and x2, and which of them moved most, in its unit and as a share."""
    box, moved = card.box, card.box.moved(pair.x1, pair.x2)
    sizes = np.abs(moved).reshape(card.input_shape[0], -1).max(axis=1)
    said = f"{np.count_nonzero(sizes)} of {counted(len(sizes), box.noun)} moved"
    largest = share_words(float(sizes.max()))
    most, share = sum(share_words(float(size)) == largest for size in sizes), f"{largest} of"
    if not sizes.any():
        return f"{said}."
    if most > 1:
        which = "all of them equally" if most == np.count_nonzero(sizes) else f"{most} of them most"
        return f"{said}, {which}: by {share} their ranges."
    place = int(np.abs(moved).argmax())
    by = float(pair.x2.flat[place]) - float(pair.x1.flat[place])
    return f"{said}; {box.name(place)} moved most, by {signed(by)}{box.unit_name(place)}, {share} its range."


def share_words(share: float) -> str:
    """A share of a range as a percentage with three digits.

    >>> share_words(0.0421), share_words(1.5)
    ('4.21 %', '150 %')
    """
    return f"{written(100 * share)} %"
