"""A test pair: what its labels are called, how many grey levels it changes, and what its difference shows."""

from __future__ import annotations

from collections.abc import Sequence

from dnncov_core.distances import written
from dnncov_core.phrases.numbers import NO_BREAK, short, signed
from dnncov_core.ratios import percentage
from dnncov_core.records import NetworkCard, Quantity, TestPair
from dnncov_core.types import Bounds, Shape

CONFIDENCE = (
    "The percentage beside a label is the softmax of the outputs, of the negated ones where the smallest decides: a"
    " probability only if the network was trained with its outputs as logits."
)
LEVELS = 255
"""Grey levels of 8 bits from black to white."""


def class_name(card: NetworkCard, label: int) -> str:
    """What the network calls a label; the number where it has no name for it."""
    return card.classes[label] if label < len(card.classes) else str(label)


def label_words(card: NetworkCard, label: int, confidence: float) -> str:
    """A label's name with the confidence of the network in it, a fraction; see `CONFIDENCE`."""
    return f"{class_name(card, label)} ({percentage(confidence)})"


def told_apart(card: NetworkCard, pair: TestPair) -> tuple[str, str]:
    """What the network says of x1 and of x2: a class each, or what the outputs of a regression do; for captions."""
    if card.quantities:
        return "outputs as they are", outputs_moved(card, pair)
    one, two = (label_words(card, *each) for each in _labels(pair))
    return f"class {one}", f"class {two}"


def _labels(pair: TestPair) -> tuple[tuple[int, float], tuple[int, float]]:
    return (pair.label1, pair.confidence1), (pair.label2, pair.confidence2)


def outputs_moved(card: NetworkCard, pair: TestPair) -> str:
    """By how much each output of a regression moves from x1 to x2, in its unit; where that is not stored, how far."""
    if pair.outputs is None:
        return f"outputs {class_name(card, pair.label2)}"
    moved = zip(card.quantities, pair.outputs[1] - pair.outputs[0], strict=True)
    return ", ".join(f"{of.name} {signed(by)}{NO_BREAK}{of.unit}".rstrip() for of, by in moved)


def why_not_adversarial(card: NetworkCard, pair: TestPair) -> str:
    """Why a pair is not adversarial, in a few words."""
    if pair.label1 != pair.label2:
        return "Beyond the bound b"
    return "Within tolerance" if card.quantities else "Label kept"


QUANTITY_HEADS = ("Output", "At x1", "At x2", "Difference", "Tolerance")


def quantity_rows(
    quantities: Sequence[Quantity], outputs1: Sequence[float], outputs2: Sequence[float]
) -> list[tuple[str, ...]]:
    """A row for each output of a regression, under `QUANTITY_HEADS`.

    >>> quantity_rows([Quantity("heading", "°", 2.0)], [1.0], [-2.5])
    [('heading (°)', '1', '−2.5', '−3.5', '2')]
    """
    return [
        (f"{of.name} ({of.unit})" if of.unit else of.name, short(y1), short(y2), signed(y2 - y1), short(of.tolerance))
        for of, y1, y2 in zip(quantities, outputs1, outputs2, strict=True)
    ]


def grey_levels(distance: float, bounds: Bounds = (0.0, 1.0)) -> str:
    """A distance of pixels between these bounds, in grey levels.

    >>> grey_levels(0.01), grey_levels(1.5, (0.0, 255.0))
    ('2.55', '1.50')
    """
    return written(LEVELS * distance / (bounds[1] - bounds[0]))


def difference_words(shape: Shape, orange: str = "orange", blue: str = "blue") -> str:
    """What colours of a difference mean, as `dnncov_core.figures.pictures.difference` draws them.

    ``shape`` is that of the images; ``orange`` and ``blue`` name or show these colours.

    >>> difference_words((1, 28, 28))
    'Difference: orange where x2 is brighter, blue where it is darker, light grey elsewhere.'
    """
    if len(shape) == 3 and shape[0] == 3:
        return "Difference: each channel around middle grey, lighter where x2 is brighter, darker where it is darker."
    return f"Difference: {orange} where x2 is brighter, {blue} where it is darker, light grey elsewhere."
