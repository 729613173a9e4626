"""A test pair: what its labels are called, how many grey levels it changes, and what its difference shows."""

from __future__ import annotations

from dnncov_core.distances import written
from dnncov_core.ratios import percentage
from dnncov_core.records import NetworkCard
from dnncov_core.types import Shape

LEVELS = 255
"""Grey levels of 8 bits from black to white."""


def class_name(card: NetworkCard, label: int) -> str:
    """What the network calls a label; the number where it has no name for it."""
    return card.classes[label] if label < len(card.classes) else str(label)


def label_words(card: NetworkCard, label: int, confidence: float) -> str:
    """A label's name with the confidence of the network in it, a fraction."""
    return f"{class_name(card, label)} ({percentage(confidence)})"


def grey_levels(distance: float) -> str:
    """A distance of pixels from 0 to 1, in grey levels.

    >>> grey_levels(0.01)
    '2.55'
    """
    return written(LEVELS * distance)


def difference_words(shape: Shape, orange: str = "orange", blue: str = "blue") -> str:
    """What colours of a difference mean, as `dnncov_core.figures.pictures.difference` draws them.

    ``shape`` is that of the images; ``orange`` and ``blue`` name or show these colours.

    >>> difference_words((1, 28, 28))
    'Difference: orange where x2 is brighter, blue where it is darker, light grey elsewhere.'
    """
    if len(shape) == 3 and shape[0] == 3:
        return "Difference: each channel around middle grey, lighter where x2 is brighter, darker where it is darker."
    return f"Difference: {orange} where x2 is brighter, {blue} where it is darker, light grey elsewhere."
