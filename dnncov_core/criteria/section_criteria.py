"""Criteria of the sections of neurons' ranges: MN, which counts neurons (Section 5 of the paper), and KMNC, sections.

A range over reference data is cut into m equal sections. A section has its lower bound, and the last one its upper
bound too. A range that is one value has no sections: its neuron is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.criteria.neuron_criteria import NONE, Meter, NeuronCondition, NeuronCriterion, Range
from dnncov_core.errors import SpecificationError
from dnncov_core.types import IntArray

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.layer_values import LayerValues

MOST_SECTIONS = 10_000
"""The most sections of a neuron: it keeps a row number for each. DeepGauge, which defines them, takes as many."""


@dataclass(frozen=True)
class Section(NeuronCondition):
    """The neuron's v lies in section j of m of its range over reference data, counted from 1."""

    by_ranges: ClassVar[bool] = True
    j: int
    m: int

    def __post_init__(self) -> None:
        _check_sections(self.m, "MN")
        if not 1 <= self.j <= self.m:
            expected = f"a section of MN, from 1 to {self.m}"
            raise SpecificationError(expected, str(self.j), "change the section")

    def left_out(self, known: Range | None) -> int:
        return 0 if known is None else known.without_sections

    def met(self, values: LayerValues, neurons: IntArray, known: Range | None) -> Tensor:
        import torch

        assert known is not None
        section, inside = known.sections(values, neurons, self.m)
        return torch.from_numpy(inside & (section == self.j - 1)).to(values.v.device)


class _Sections(Meter):
    def __init__(self, known: Range, m: int) -> None:
        self.rows = np.full((len(known.least), m), NONE, np.int64)
        self.left_out = known.without_sections
        self._known, self._m = known, m

    def add(self, first: int, values: LayerValues) -> None:
        still = np.flatnonzero((self.rows == NONE).any(axis=1) & self._known.has_sections)
        if not still.size:
            return
        section, inside = self._known.sections(values, still, self._m)
        place = still * self._m + section
        inside &= self.rows.reshape(-1)[place] == NONE
        batch, column = np.nonzero(inside)
        self.rows.reshape(-1)[place[batch[::-1], column[::-1]]] = first + batch[::-1]  # the first input is noted last


class _EachSection(_Sections):
    @property
    def total(self) -> int:
        return self._m * super().total

    @property
    def covered(self) -> int:
        return int((self.rows != NONE).sum())


@dataclass(frozen=True)
class MultisectionNeuron(NeuronCriterion):
    """MN: a neuron is covered if inputs fall into each of m equal sections of its range over reference data."""

    key: ClassVar[str] = "mn"
    title: ClassVar[str] = "MN (multisection neuron coverage)"
    words: ClassVar[str] = (
        "Some inputs put the neuron's v into each of m equal sections of its range over reference data."
    )
    formula: ClassVar[str] = r"\forall j \leq m \; \exists x: v_{k,i}[x] \in I_{k,i}^j"
    by_ranges: ClassVar[bool] = True
    usual_m: ClassVar[int] = 10
    sections: ClassVar[type[_Sections]] = _Sections
    m: int = usual_m

    def __post_init__(self) -> None:
        _check_sections(self.m, self.key.upper())

    def meter(self, neurons: int, known: Range | None) -> Meter:
        assert known is not None
        return self.sections(known, self.m)


@dataclass(frozen=True)
class SectionCoverage(MultisectionNeuron):
    """KMNC: of MN's sections of all neurons, those that some input falls into.

    Its source is k-multisection neuron coverage of Ma et al., "DeepGauge: Multi-Granularity Testing Criteria for Deep
    Learning Systems" (ASE 2018), which counts sections; NeuraL-Coverage does likewise. The paper's MN counts neurons.
    """

    key: ClassVar[str] = "kmnc"
    title: ClassVar[str] = "KMNC (section coverage)"
    words: ClassVar[str] = (
        "Some input puts the neuron's v into the section: each of the m sections of each neuron counts, as in"
        " DeepGauge's k-multisection neuron coverage, while MN counts the neurons of which all sections are met."
    )
    formula: ClassVar[str] = r"\exists x: v_{k,i}[x] \in I_{k,i}^j"
    sections: ClassVar[type[_Sections]] = _EachSection


def _check_sections(m: int, name: str) -> None:
    if not 1 <= m <= MOST_SECTIONS:
        raise SpecificationError(f"m of {name}: a whole number from 1 to {MOST_SECTIONS:,}", repr(m), "change m")
