"""MN and KMNC against their definitions, one input and one neuron at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.criteria.section_criteria import MultisectionNeuron, Section, SectionCoverage
from dnncov_core.errors import SpecificationError
from tests.criteria.test_neuron_criteria import BATCHES, drawn, filled, first, range_of, values


@given(seed=st.integers(0, 500), batch=BATCHES, m=st.sampled_from([1, 2, 4, 8]))
def test_multisection_neuron_coverage(seed: int, batch: int, m: int) -> None:
    u, reference = drawn(seed)
    known = range_of(reference)
    meter = filled(MultisectionNeuron(m).meter(6, known), u, batch)
    for i in range(6):
        low, high = float(known.least[i]), float(known.greatest[i])
        width = (high - low) / m
        for j in range(m):
            start, end = low + j * width, low + (j + 1) * width
            inside = [low < high and (start <= v < end or (v == end == high)) for v in u[:, i].clip(min=0)]
            assert int(meter.rows[i, j]) == first(inside)
    ranged = [i for i in range(6) if known.least[i] < known.greatest[i]]
    assert meter.covered == sum(all(meter.rows[i] != NONE) for i in ranged)
    assert (meter.total, meter.left_out) == (len(ranged), 6 - len(ranged))


@given(seed=st.integers(0, 500), batch=BATCHES, m=st.sampled_from([1, 2, 4, 8]))
def test_section_coverage_counts_the_sections_that_multisection_coverage_asks_for_together(
    seed: int, batch: int, m: int
) -> None:
    u, reference = drawn(seed)
    known = range_of(reference)
    meter = filled(SectionCoverage(m).meter(6, known), u, batch)
    met = total = 0
    for i in range(6):
        low, high = float(known.least[i]), float(known.greatest[i])
        for j in range(m) if low < high else ():
            start, end = low + j * (high - low) / m, low + (j + 1) * (high - low) / m
            total += 1
            met += any(start <= v < end or v == end == high for v in u[:, i].clip(min=0))
    assert (meter.covered, meter.total) == (met, total)
    assert np.array_equal(meter.rows, filled(MultisectionNeuron(m).meter(6, known), u, batch).rows)


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
