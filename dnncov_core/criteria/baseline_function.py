"""The condition of a baseline as a value function: the "suitable" g of the lemmas in the paper's appendix.

It says that x2 meets the condition and lets x1 be anything, so that a feature pair that is covered has a neuron that
the baseline counts as covered. Suites are measured by it; no generator searches with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.criteria.baselines import NeuronCondition, Range, Ranges
from dnncov_core.criteria.value_function import ValueFunction

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.activations import LayerValues


@dataclass(frozen=True)
class Meets(ValueFunction):
    """x2 meets a baseline's condition for each neuron of the feature; `at` says it for some features.

    Attributes:
        condition: the condition of the baseline.
        ranges: the neurons' ranges over reference data, by layer; empty before they were measured.
        known: the ranges of the feature's layer, where the condition needs them.
    """

    name: ClassVar[str] = "meets"
    words: ClassVar[str] = "x2 meets the condition of a criterion of single neurons"
    condition: NeuronCondition
    ranges: Ranges = field(default_factory=dict, compare=False, repr=False)
    known: Range | None = field(default=None, compare=False, repr=False)

    @property
    def by_ranges(self) -> bool:
        return self.condition.by_ranges

    def with_ranges(self, ranges: Ranges) -> Meets:
        return replace(self, ranges=ranges)

    def at(self, layer: int, features: Sequence[Sequence[int]]) -> Meets:
        return replace(self, known=self.ranges.get(layer))

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        met = self.condition.met(after, np.array(neurons, np.int64), self.known).all(dim=1)
        return met.expand(max(len(before.u), len(after.u)))
