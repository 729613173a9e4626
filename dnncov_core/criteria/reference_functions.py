"""Value functions that need reference data: u above its largest over these, or the condition of a neuron criterion.

Generators search with the first, neuron boundary coverage as a value function. `Meets` is the "suitable" g of the
lemmas in the paper's appendix: x2 meets the condition of a criterion of single neurons and x1 may be anything, so that
a covered feature pair has a neuron that the criterion counts as covered. Suites are measured by it; no generator
searches with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.criteria.neuron_criteria import NeuronCondition, Range, Ranges, above
from dnncov_core.criteria.value_function_base import Alternative, Compared, HalfSpace, ValueFunction

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.layer_values import LayerValues


@dataclass(frozen=True)
class MeasuredBoundary(ValueFunction):
    """u[x2] > the neuron's largest u over reference data; `at` says it for some features.

    Attributes:
        reference: the name of the data.
        highest: the largest u by (layer, neuron); empty before it was measured.
        limits: that of each neuron of a feature, a row for each feature of a batch.
    """

    name: ClassVar[str] = "upper_boundary"
    words: ClassVar[str] = "u[x2] is above the neuron's largest u over reference data"
    by_extremes: ClassVar[bool] = True
    by_ranges: ClassVar[bool] = True
    reference: str
    highest: Mapping[tuple[int, int], float] = field(default_factory=dict, compare=False, repr=False)
    limits: tuple[tuple[float, ...], ...] = ()

    def with_ranges(self, ranges: Ranges) -> MeasuredBoundary:
        """The function with the limits that u has to exceed to be above the greatest u over the reference data."""
        highest = {(k, i): float(u) for k, known in ranges.items() for i, u in enumerate(above(known.greatest_u))}
        return replace(self, highest=highest)

    def at(self, layer: int, features: Sequence[Sequence[int]]) -> MeasuredBoundary:
        return replace(self, limits=tuple(tuple(self.highest[layer, i] for i in neurons) for neurons in features))

    def some(self, rows: Tensor) -> MeasuredBoundary:
        return replace(self, limits=tuple(self.limits[row] for row in rows.tolist()))

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        assert self.limits, "ask `at` for the function of a layer's features, and call that"
        return self.shortfall(before.u[:, list(neurons)], after.u[:, list(neurons)]) < 0

    def describe(self) -> str:
        return f"{self.name} (d = the neuron's largest u over {self.reference})"

    def compared(self, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]) -> Compared:
        limit, words = self.highest[layer, neurons[0]], f"its largest u over {self.reference}"
        return "u[x2]", float(after.u[0, neurons[0]]), ">", limit, words

    def shortfall(self, u1: Tensor, u2: Tensor) -> Tensor:
        return (u2.new_tensor(self.limits) - u2).amax(dim=1) if self.limits else u2.new_full((len(u2),), math.inf)

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        return [tuple(HalfSpace({i: 1.0}, d, strict=True) for i, d in zip(neurons, self.limits[0], strict=True))]


@dataclass(frozen=True)
class Meets(ValueFunction):
    """x2 meets the condition of a criterion of single neurons for each neuron; `at` says it for some features.

    Attributes:
        condition: that condition.
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
