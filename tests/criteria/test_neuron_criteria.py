"""N, NB and TN against their definitions, one input and one neuron at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.criteria import NEURON_CRITERIA
from dnncov_core.criteria.neuron_criteria import NeuronCondition, TopNeuron
from dnncov_core.criteria.section_criteria import Section
from dnncov_core.errors import SpecificationError
from tests.criteria.made import BATCHES, drawn, filled, first, range_of, values


@given(seed=st.integers(0, 500), batch=BATCHES)
def test_neuron_coverage(seed: int, batch: int) -> None:
    u, _ = drawn(seed)
    meter = filled(NEURON_CRITERIA["n"]().meter(6, None), u, batch)
    assert meter.rows.tolist() == [first([x[i] >= 0 for x in u]) for i in range(6)]


@given(seed=st.integers(0, 500), batch=BATCHES)
def test_neuron_boundary_coverage(seed: int, batch: int) -> None:
    u, reference = drawn(seed)
    meter = filled(NEURON_CRITERIA["nb"]().meter(6, range_of(reference)), u, batch)
    highest = [max(max(x[i], 0) for x in reference) for i in range(6)]
    assert meter.rows.tolist() == [first([max(x[i], 0) > highest[i] for x in u]) for i in range(6)]


@given(seed=st.integers(0, 500), batch=BATCHES, m=st.integers(1, 9))
def test_top_neuron_coverage(seed: int, batch: int, m: int) -> None:
    u, _ = drawn(seed)
    meter = filled(TopNeuron(m).meter(6, None), u, batch)
    v = u.clip(min=0)
    rank = [[1 + sum(other > x[i] for other in x) for i in range(6)] for x in v]
    assert meter.rows.tolist() == [first([ranks[i] <= m for ranks in rank]) for i in range(6)]


@pytest.mark.parametrize("condition", [NEURON_CRITERIA["n"](), NEURON_CRITERIA["nb"](), TopNeuron(2), Section(2, 3)])
def test_conditions_of_some_neurons_are_those_of_all(condition: NeuronCondition) -> None:
    u, reference = drawn(3)
    known, some = range_of(reference), np.array([1, 4])
    whole = condition.met(values(u), np.arange(6), known)
    assert torch.equal(condition.met(values(u), some, known), whole[:, some])
    assert whole.any()
    assert not whole.all()


@pytest.mark.parametrize("name", ["mn", "kmnc", "tn"])
def test_m_is_a_whole_number_from_one(name: str) -> None:
    with pytest.raises(SpecificationError, match=f"m of {name.upper()}: a whole number from 1.*; got 0"):
        NEURON_CRITERIA[name](m=0)  # type: ignore[call-arg]


def test_the_usual_m_is_the_one_that_counts_without_another() -> None:
    usual = {name: kind.usual_m for name, kind in NEURON_CRITERIA.items()}
    assert usual.items() >= {"n": 0, "nb": 0, "tn": 1, "mn": 10, "kmnc": 10}.items()
    assert usual == {name: getattr(kind, "m", 0) for name, kind in NEURON_CRITERIA.items()}
