"""MN and KMNC against their definitions, one input and one neuron at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.criteria.neuron_criteria import NONE, Range
from dnncov_core.criteria.section_criteria import MultisectionNeuron, Section, SectionCoverage
from dnncov_core.errors import SpecificationError
from tests.criteria.made import BATCHES, drawn, filled, first, range_of, values


def sections(known: Range, u: np.ndarray, i: int, m: int) -> list[list[bool]]:
    """For each section of a neuron which inputs fall into it; no sections where its range is one value."""
    low, high = float(known.least[i]), float(known.greatest[i])
    edges = [(low + j * (high - low) / m, low + (j + 1) * (high - low) / m) for j in range(m) if low < high]
    return [[start <= v < end or v == end == high for v in u[:, i].clip(min=0)] for start, end in edges]


@given(seed=st.integers(0, 500), batch=BATCHES, m=st.sampled_from([1, 2, 4, 8]))
def test_neurons_and_sections_are_counted_as_defined(seed: int, batch: int, m: int) -> None:
    u, reference = drawn(seed)
    known = range_of(reference)
    inside = [sections(known, u, i, m) for i in range(6)]
    ranged = [each for each in inside if each]
    neurons, each_section = (
        filled(kind(m).meter(6, known), u, batch) for kind in (MultisectionNeuron, SectionCoverage)
    )
    assert neurons.rows.tolist() == [[first(those) for those in each] if each else [NONE] * m for each in inside]
    assert np.array_equal(each_section.rows, neurons.rows)
    assert (neurons.total, neurons.left_out) == (len(ranged), 6 - len(ranged))
    assert neurons.covered == sum(all(any(those) for those in each) for each in ranged)
    assert each_section.total == m * len(ranged)
    assert each_section.covered == sum(any(those) for each in ranged for those in each)


@pytest.mark.parametrize("kind", [MultisectionNeuron, SectionCoverage])
@pytest.mark.parametrize("rounding", [0.0, 1e-7])
def test_a_range_of_one_value_has_no_sections(
    kind: type[MultisectionNeuron | SectionCoverage], rounding: float
) -> None:
    u = np.array([[2.0, 0.0], [2.0 + rounding, 0.0]])
    meter = filled(kind(2).meter(2, range_of(u)), u, 2)
    assert (meter.covered, meter.total, meter.left_out) == (0, 0, 2)
    assert (meter.rows == NONE).all()
    assert not Section(1, 2).met(values(u), np.arange(2), range_of(u)).any()
    assert Section(1, 2).left_out(range_of(u)) == 2


@given(seed=st.integers(0, 500), m=st.sampled_from([1, 3, 4, 7]))
def test_sections_are_those_of_the_meter(seed: int, m: int) -> None:
    u, reference = drawn(seed)
    known = range_of(reference)
    rows = filled(MultisectionNeuron(m).meter(6, known), u, len(u)).rows
    for j in range(m):
        met = Section(j + 1, m).met(values(u), np.arange(6), known).numpy()
        assert [first(met[:, i].tolist()) for i in range(6)] == rows[:, j].tolist()


@pytest.mark.parametrize("j", [0, 4])
def test_sections_are_counted_from_one(j: int) -> None:
    with pytest.raises(SpecificationError, match=f"a section of MN, from 1 to 3; got {j}; change the section"):
        Section(j, 3)
