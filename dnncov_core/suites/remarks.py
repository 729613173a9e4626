"""Remarks beside a measurement's numbers, which say why the numbers are what they are."""

from __future__ import annotations

from collections.abc import Sequence

from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.suites.measurement_file import MeasuredCriterion

SAME_INPUTS = (
    "The suite is its own reference data: no input can be beyond ranges that the suite itself spans, so that NB and"
    " upper boundaries cannot be met."
)


def classified(misclassified: int | None) -> str:
    """What is known of a suite's labels.

    >>> classified(41), classified(None)
    ('41 misclassified, counted too', 'misclassified: not known, without labels')
    """
    if misclassified is None:
        return "misclassified: not known, without labels"
    return f"{misclassified:,} misclassified, counted too"


def no_pairs(inputs: int, criteria: Sequence[MeasuredCriterion], mode: str) -> list[str]:
    """Why covering methods cover nothing, where no two inputs do what they ask of the condition layer.

    Args:
        inputs: of the suite.
        criteria: the numbers. Nothing is said of those of which a search has left something out.
        mode: ``neuron`` or ``free`` condition features.
    """
    differ = "the sign of one neuron alone" if mode == "neuron" else "up to ω of a layer's signs"
    words = {Change.SIGN: f"differ in {differ} in any layer", Change.VALUE: "have the same signs throughout a layer"}
    found = []
    for change, what in words.items():
        without = [each.key for each in criteria if each.joined == 0 and not each.bounds]
        names = [key.upper() for key in dict.fromkeys(without) if CRITERIA[key].condition is change]
        if names:
            cover = f"{' and '.join(names)} cover{'s' * (len(names) == 1)}"
            found.append(f"No two of the {inputs:,} inputs {what}, so that {cover} nothing.")
    return found
