"""N, NB and TN against their definitions, one input and one neuron at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.activations import LayerValues
from dnncov_core.criteria import NEURON_CRITERIA
from dnncov_core.criteria.neuron_criteria import NONE, Meter, NeuronCondition, Range, TopNeuron
from dnncov_core.criteria.section_criteria import Section
from dnncov_core.errors import SpecificationError

BATCHES = st.sampled_from([1, 3, 50])


def drawn(seed: int, inputs: int = 30, neurons: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """u of a suite and of reference data; many values are equal, some are 0, and one neuron is never active."""
    rng = np.random.default_rng(seed)
    u, reference = (rng.integers(-3, 5, (n, neurons)) / 2 for n in (inputs, 20))
    u[:, 0] = reference[:, 0] = -1.0
    return u, reference


def values(u: np.ndarray) -> LayerValues:
    tensor = torch.from_numpy(u)
    return LayerValues(tensor, tensor.relu(), (u.shape[1],))


def range_of(reference: np.ndarray) -> Range:
    v = reference.clip(min=0)
    return Range(v.min(axis=0), v.max(axis=0), reference.max(axis=0))


def filled(meter: Meter, u: np.ndarray, batch: int) -> Meter:
    for start in range(0, len(u), batch):
        meter.add(start, values(u[start : start + batch]))
    return meter


def first(holds: list[bool]) -> int:
    return holds.index(True) if True in holds else NONE


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
    assert usual == {name: vars(kind).get("m", 0) for name, kind in NEURON_CRITERIA.items()}
