"""What the check of a draft found, as a file that the page reads."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.ratios import Ratio
from dnncov_core.records import NetworkCard
from dnncov_core.types import Count, Shape

REPORT = ".json"
"""Follows the stem of a check's files."""


@dataclass(frozen=True)
class Choice:
    """A way to take network and data.

    Attributes:
        causes: what is wrong with them as they are, a sentence each without its full stop; empty where they are taken
            so.
        mends: Python that says what is done about it.
        correct: inputs of the sample to which the network then gives their label.
        inputs: how many there are; 0 for data without labels.
        network_file: what is written for it in the draft's folder; empty for the network as it is.
        data_file: likewise.
        card: of the network that it gives.
        own_decisions: whether labels are the network's own decisions.
    """

    causes: tuple[str, ...]
    mends: tuple[str, ...]
    correct: Count
    inputs: Count
    network_file: str
    data_file: str
    card: NetworkCard
    own_decisions: bool = False

    @property
    def accuracy(self) -> Ratio:
        """How many inputs of the sample are classified correctly."""
        return Ratio(self.correct, self.inputs)


@dataclass(frozen=True)
class Report:
    """What was found.

    Attributes:
        layout: what the axes of the network's inputs are.
        card: of the network as it is.
        shape: of one input of the data.
        kind: the type of their numbers.
        low: the smallest of them.
        high: the largest.
        inputs: how many inputs there are.
        labelled: whether they have labels, or targets.
        fits: whether they have the network's shape.
        inside: whether they lie within the network's bounds.
        least: the accuracy below which it is near chance.
        fine: whether nothing has to be mended.
        tried: how many readings were tried.
        correct: inputs of the sample that are classified correctly as they are; None where they do not fit.
        sample: inputs of the sample.
        choices: ways to take both, the best one first.
        notes: what was seen besides, a sentence each.
    """

    layout: str
    card: NetworkCard
    shape: Shape
    kind: str
    low: float
    high: float
    inputs: Count
    labelled: bool
    fits: bool
    inside: bool
    least: float
    fine: bool
    tried: Count
    correct: Count | None
    sample: Count
    choices: tuple[Choice, ...]
    notes: tuple[str, ...]
