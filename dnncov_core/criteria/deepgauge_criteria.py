"""SNAC, NBC and TKNC of Ma et al., "DeepGauge: Multi-Granularity Testing Criteria for Deep Learning Systems", ASE 2018.

SNAC and TKNC ask what NB and TN of the paper ask. DeepGauge's own program takes the mean of a feature map for one
neuron, while here each of its values is one. Boundaries that are moved by a share of the standard deviation, as its
experiments also have them, are not offered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.criteria.neuron_criteria import (
    NONE,
    Meter,
    NeuronBoundary,
    NeuronCondition,
    NeuronCriterion,
    OneConditionMeter,
    Range,
    TopNeuron,
    below,
    columns,
)
from dnncov_core.types import IntArray

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.layer_values import LayerValues


@dataclass(frozen=True)
class StrongActivation(NeuronBoundary):
    """SNAC: the same neurons as NB."""

    key: ClassVar[str] = "snac"
    title: ClassVar[str] = "SNAC (boundary)"
    words: ClassVar[str] = "DeepGauge's name for NB: some input gives the neuron a v above its greatest."


@dataclass(frozen=True)
class TopNeurons(TopNeuron):
    """TKNC: the same neurons as TN with the same m, which DeepGauge calls k and takes from 1 to 3."""

    key: ClassVar[str] = "tknc"
    title: ClassVar[str] = "TKNC (top neuron)"
    words: ClassVar[str] = (
        "DeepGauge's name for TN, with m = 3 unless another is given: some input puts the neuron's v among the m"
        " greatest of its layer. Neurons with equal values share a rank."
    )
    usual_m: ClassVar[int] = 3
    m: int = usual_m


@dataclass(frozen=True)
class _Below(NeuronCondition):
    """The neuron's v is below all that reference data give it, beyond rounding."""

    def met(self, values: LayerValues, neurons: IntArray, known: Range | None) -> Tensor:
        import torch

        assert known is not None
        return columns(values.v, neurons) < torch.from_numpy(below(known.least[neurons])).to(values.v)


class _BothSides(Meter):
    """Two test conditions a neuron: below its range, and above it."""

    def __init__(self, neurons: int, known: Range | None) -> None:
        self._sides = [OneConditionMeter(side, neurons, known) for side in (_Below(), NeuronBoundary())]

    def add(self, first: int, values: LayerValues) -> None:
        for side in self._sides:
            side.add(first, values)

    @property
    def rows(self) -> IntArray:  # type: ignore[override]  # read from both sides
        return np.stack([side.rows for side in self._sides], axis=1)

    @property
    def total(self) -> int:
        return sum(side.total for side in self._sides)

    @property
    def covered(self) -> int:
        return int((self.rows != NONE).sum())


@dataclass(frozen=True)
class BothBoundaries(NeuronCriterion):
    """NBC: of the two sides of each neuron's range, those beyond which some input's v lies."""

    key: ClassVar[str] = "nbc"
    title: ClassVar[str] = "NBC (both ends)"
    words: ClassVar[str] = (
        "Some input gives the neuron a v on that side of its range over the reference data, below or above: each side"
        " of each neuron counts, while NB and SNAC ask for values above. Behind ReLU hardly any v can lie below."
    )
    formula: ClassVar[str] = r"v_{k,i}[x] < v_{k,i}^l \vee v_{k,i}[x] > v_{k,i}^u"
    by_ranges: ClassVar[bool] = True

    def meter(self, neurons: int, known: Range | None) -> Meter:
        return _BothSides(neurons, known)
