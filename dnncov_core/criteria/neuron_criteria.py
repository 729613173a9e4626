"""Criteria of single neurons that the paper compares its own with: N, NB and TN (Section 5); section_criteria has MN.

Each is a `NeuronCriterion`; a `Meter` of it takes a suite batch by batch and notes for each test condition the first
input that meets it. A `NeuronCondition` says which inputs meet it for which neurons: N, NB and TN are one each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.errors import SpecificationError
from dnncov_core.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.layer_values import LayerValues

NONE = -1
BEYOND = 1e-6
"""A value is above the greatest of the reference data only if it exceeds it by this share, and a range is one value
unless it is wider than this share: an input may have another value in another batch, by a rounding."""


def above(greatest: FloatArray) -> FloatArray:
    """The limits that a value has to exceed to be above these values, allowing for rounding."""
    found: FloatArray = greatest + BEYOND * np.abs(greatest)
    return found


def below(least: FloatArray) -> FloatArray:
    """The limits that a value has to be under to be below these values, likewise."""
    return -above(-least)


@dataclass(frozen=True)
class Range:
    """The least and the greatest v, and the greatest u, of a layer's neurons over reference data, ``(s_k,)`` each."""

    least: FloatArray
    greatest: FloatArray
    greatest_u: FloatArray

    @cached_property
    def has_sections(self) -> BoolArray:
        """Which neurons have a range that can be cut into sections, one that is more than a value and its rounding."""
        found: BoolArray = self.greatest - self.least > BEYOND * np.maximum(np.abs(self.least), np.abs(self.greatest))
        return found

    @property
    def without_sections(self) -> int:
        """How many neurons have no such range."""
        return int((~self.has_sections).sum())

    def sections(self, values: LayerValues, neurons: IntArray, m: int) -> tuple[IntArray, BoolArray]:
        """The section of each v, from 0, and whether v lies in a section at all, both ``(batch, len(neurons))``."""
        v = columns(values.v, neurons).cpu().numpy()
        least, greatest, there = self.least[neurons], self.greatest[neurons], self.has_sections[neurons]
        section = ((v - least) / np.where(there, (greatest - least) / m, 1)).astype(np.int64).clip(0, m - 1)
        return section, there & (v >= least) & (v <= greatest)

    def __or__(self, other: Range) -> Range:
        """The ranges over both sets of reference data."""
        greatest, greatest_u = np.maximum(self.greatest, other.greatest), np.maximum(self.greatest_u, other.greatest_u)
        return Range(np.minimum(self.least, other.least), greatest, greatest_u)


Ranges = Mapping[int, Range]
"""The ranges of each layer, by its number."""


class Meter(ABC):
    """What a suite meets of one criterion in one layer.

    Attributes:
        rows: the first input that meets each test condition, -1 for none; ``(s_k,)``, or ``(s_k, sections)``.
        left_out: neurons of which nothing can be asked.
    """

    rows: IntArray
    left_out: int = 0

    @abstractmethod
    def add(self, first: int, values: LayerValues) -> None:
        """Takes the next batch, whose first input is row ``first`` of the suite."""

    @property
    def total(self) -> int:
        """How many test conditions there are: the neurons that are not left out."""
        return len(self.rows) - self.left_out

    @property
    def covered(self) -> int:
        """How many neurons are covered: those whose conditions are all met."""
        return int((self.rows != NONE).reshape(len(self.rows), -1).all(axis=1).sum())


@dataclass(frozen=True)
class NeuronCriterion(ABC):
    """A criterion of single neurons."""

    key: ClassVar[str]
    title: ClassVar[str]
    words: ClassVar[str]
    formula: ClassVar[str]
    by_ranges: ClassVar[bool] = False
    """Whether it needs the neurons' ranges over reference data."""
    usual_m: ClassVar[int] = 0
    """Its number m unless another one is asked for; 0 where it has no m."""
    monotone: ClassVar[bool] = True
    """Whether more inputs never lower it."""
    order_free: ClassVar[bool] = True
    """Whether the order of the inputs never changes it."""

    @abstractmethod
    def meter(self, neurons: int, known: Range | None) -> Meter:
        """A meter for a layer of so many neurons, with their ranges where the criterion needs them."""


class NeuronCondition(ABC):
    """What one input has to do with one neuron."""

    by_ranges: ClassVar[bool] = False
    """Whether it needs the neurons' ranges over reference data."""

    def left_out(self, known: Range | None) -> int:
        """Of how many neurons of a layer it cannot be asked."""
        return 0

    @abstractmethod
    def met(self, values: LayerValues, neurons: IntArray, known: Range | None) -> Tensor:
        """Which input meets it for which of these neurons, ``(batch, len(neurons))`` of bool.

        Args:
            values: u and v of the whole layer.
            neurons: 0-based numbers, ascending.
            known: the ranges of the whole layer, where the condition needs them.
        """


class OneConditionMeter(Meter):
    """One test condition a neuron. Neurons that are covered already are not looked at again."""

    def __init__(self, condition: NeuronCondition, neurons: int, known: Range | None) -> None:
        self.rows = np.full(neurons, NONE, np.int64)
        self._condition, self._known = condition, known

    def add(self, first: int, values: LayerValues) -> None:
        still = np.flatnonzero(self.rows == NONE)
        if not still.size:
            return
        met = self._condition.met(values, still, self._known).cpu().numpy()
        found = met.any(axis=0)
        self.rows[still[found]] = first + met.argmax(axis=0)[found]


class _OneCondition(NeuronCriterion, NeuronCondition):
    """A criterion with one condition, which each neuron has to meet."""

    def meter(self, neurons: int, known: Range | None) -> Meter:
        return OneConditionMeter(self, neurons, known)


def columns(values: Tensor, neurons: IntArray) -> Tensor:
    """The values of some neurons, ``(batch, len(neurons))``."""
    import torch

    if len(neurons) == values.shape[1]:
        return values
    return values.index_select(1, torch.from_numpy(neurons).to(values.device))


@dataclass(frozen=True)
class NeuronCoverage(_OneCondition):
    """N: a neuron is covered by an input that gives it the sign +1."""

    key: ClassVar[str] = "n"
    title: ClassVar[str] = "N (neuron coverage)"
    words: ClassVar[str] = "Some input gives the neuron the sign +1."
    formula: ClassVar[str] = r"sign(n_{k,i}, x) = +1"

    def met(self, values: LayerValues, neurons: IntArray, known: Range | None) -> Tensor:
        return columns(values.u, neurons) >= 0


@dataclass(frozen=True)
class NeuronBoundary(_OneCondition):
    """NB: a neuron is covered by an input whose v is above all that reference data give it, beyond rounding."""

    key: ClassVar[str] = "nb"
    title: ClassVar[str] = "NB (neuron boundary coverage)"
    words: ClassVar[str] = "Some input gives the neuron a v above its greatest over the reference data."
    formula: ClassVar[str] = r"v_{k,i}[x] > v_{k,i}^u"
    by_ranges: ClassVar[bool] = True

    def met(self, values: LayerValues, neurons: IntArray, known: Range | None) -> Tensor:
        import torch

        assert known is not None
        limits = torch.from_numpy(above(known.greatest[neurons])).to(values.v)
        return columns(values.v, neurons) > limits


@dataclass(frozen=True)
class TopNeuron(_OneCondition):
    """TN: a neuron is covered by an input for which fewer than m neurons of its layer have a greater v.

    Equal values share the best rank among them.
    """

    key: ClassVar[str] = "tn"
    title: ClassVar[str] = "TN (top neuron coverage)"
    words: ClassVar[str] = "Some input puts the neuron's v among the m greatest of its layer."
    formula: ClassVar[str] = r"rank(n_{k,i}, x) \leq m"
    usual_m: ClassVar[int] = 1
    m: int = usual_m

    def __post_init__(self) -> None:
        if self.m < 1:
            raise SpecificationError(f"m of {self.key.upper()}: a whole number from 1", repr(self.m), "change m")

    def met(self, values: LayerValues, neurons: IntArray, known: Range | None) -> Tensor:
        m = min(self.m, values.v.shape[1])
        least = values.v.amax(dim=1) if m == 1 else values.v.topk(m, dim=1).values[:, -1]
        return columns(values.v, neurons) >= least[:, None]
