"""What may have to be done to labels: counting from 0, or another order of the classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from dnncov_core.types import IntArray

EACH = 4
"""Inputs of each class that a permutation is found from, at least; half of them judge it."""
LEAST_AGREEING = 0.4
"""Share of the other half of the inputs for which a permutation must hold."""


@dataclass(frozen=True)
class LabelOrder:
    """Labels as the network counts them.

    Attributes:
        cause: what is wrong with the labels, as a sentence without its full stop.
        code: the right labels as a Python expression of ``labels``.
        table: the network's class of each label; -1 where it has none.
    """

    cause: str
    code: str
    table: tuple[int, ...] = field(repr=False)

    def right(self, labels: IntArray) -> IntArray:
        """The network's classes of labels; -1 where it has none."""
        known: IntArray = np.array([*self.table, -1], dtype=np.int64)
        return known[np.minimum(labels, len(self.table))]


def usual_orders(labels: IntArray, classes: Sequence[str]) -> Iterator[LabelOrder]:
    """The orders that people mistake for one another, for labels and a network's class names."""
    n, most = len(classes), int(labels.max())
    numbers = tuple(range(n))
    if labels.min() >= 1:
        yield LabelOrder("labels count from 1", "labels - 1", (-1, *numbers))
    if most < n - 1:
        yield LabelOrder("the network has one more class before the first", "labels + 1", numbers[1:])
    orders = {"as text (0, 1, 10, 2)": (np.argsort([str(each) for each in numbers]), f"map(str, range({n}))")}
    if list(classes) != list(map(str, numbers)):
        orders["by the alphabet of the names"] = (np.argsort(classes), f"{list(classes)!r}")
    for words, (order, names) in orders.items():
        if not np.array_equal(order, numbers):
            code, table = f"np.argsort([*{names}])[labels]", tuple(map(int, order))
            yield LabelOrder(f"the labels have the classes sorted {words}", code, table)
            code, table = f"np.argsort(np.argsort([*{names}]))[labels]", tuple(map(int, np.argsort(order)))
            yield LabelOrder(f"the network has the classes sorted {words}", code, table)


def permutation(predicted: IntArray, labels: IntArray, n_classes: int) -> LabelOrder | None:
    """The order that predictions themselves suggest: found from every second input of each class, tried on the others.

    None where a class has too few inputs, where two labels are mostly given the same class, or where it hardly holds
    for the others.
    """
    counts = np.bincount(labels, minlength=n_classes)
    if len(counts) != n_classes or counts.min() < EACH:
        return None
    second = np.zeros(len(labels), dtype=bool)
    for label in range(n_classes):
        second[np.flatnonzero(labels == label)[::2]] = True
    confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(confusion, (labels[second], predicted[second]), 1)
    table = confusion.argmax(axis=1)
    agreeing = (table[labels[~second]] == predicted[~second]).mean()
    is_one_to_one = len(set(table.tolist())) == n_classes and not np.array_equal(table, np.arange(n_classes))
    if not is_one_to_one or agreeing < LEAST_AGREEING:
        return None
    cause = "the classes have another order, found from these predictions themselves: compare it with the names"
    return LabelOrder(cause, f"np.array({table.tolist()})[labels]", tuple(map(int, table)))
