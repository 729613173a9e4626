"""A test pair: what its labels are called, how many grey levels it changes, and what its difference shows."""

from __future__ import annotations

from collections.abc import Sequence

from dnncov_core.distances import written
from dnncov_core.phrases.numbers import short
from dnncov_core.ratios import percentage
from dnncov_core.records import NetworkCard, Quantity
from dnncov_core.types import Shape

LEVELS = 255
"""Grey levels of 8 bits from black to white."""


def class_name(card: NetworkCard, label: int) -> str:
    """What the network calls a label; the number where it has no name for it."""
    return card.classes[label] if label < len(card.classes) else str(label)


def label_words(card: NetworkCard, label: int, confidence: float) -> str:
    """A label's name with the confidence of the network in it, a fraction; outputs of a regression have none."""
    if card.quantities:
        return class_name(card, label)
    return f"{class_name(card, label)} ({percentage(confidence)})"


QUANTITY_HEADS = ("Output", "At x1", "At x2", "Difference", "Tolerance")


def quantity_rows(
    quantities: Sequence[Quantity], outputs1: Sequence[float], outputs2: Sequence[float]
) -> list[tuple[str, ...]]:
    """A row for each output of a regression, under `QUANTITY_HEADS`.

    >>> quantity_rows([Quantity("heading", "°", 2.0)], [1.0], [-2.5])
    [('heading (°)', '1', '−2.5', '−3.5', '2')]
    """
    return [
        (f"{of.name} ({of.unit})" if of.unit else of.name, short(y1), short(y2), short(y2 - y1), short(of.tolerance))
        for of, y1, y2 in zip(quantities, outputs1, outputs2, strict=True)
    ]


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
