"""SNAC, NBC and TKNC against their definitions, one input and one neuron at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.criteria import NEURON_CRITERIA
from dnncov_core.criteria.deepgauge_criteria import BothBoundaries, TopNeurons
from tests.criteria.made import BATCHES, drawn, filled, first, range_of


@given(seed=st.integers(0, 500), batch=BATCHES)
def test_both_sides_of_each_range_count(seed: int, batch: int) -> None:
    u, reference = drawn(seed)
    reference[:, 1] = reference[:, 1] + 2  # so that v can be below its range
    meter = filled(BothBoundaries().meter(6, range_of(reference)), u, batch)
    v, known = u.clip(min=0), reference.clip(min=0)
    below = [first([x[i] < min(known[:, i]) for x in v]) for i in range(6)]
    above = [first([x[i] > max(known[:, i]) for x in v]) for i in range(6)]
    assert meter.rows.tolist() == [list(sides) for sides in zip(below, above, strict=True)]
    assert (meter.total, meter.covered) == (12, sum(row >= 0 for row in below + above))


@given(seed=st.integers(0, 500), batch=BATCHES)
def test_snac_is_nb_and_tknc_is_tn(seed: int, batch: int) -> None:
    u, reference = drawn(seed)
    known = range_of(reference)
    found = {key: filled(NEURON_CRITERIA[key]().meter(6, known), u, batch).rows for key in ("nb", "snac", "tknc")}
    assert np.array_equal(found["snac"], found["nb"])
    three = filled(NEURON_CRITERIA["tn"](m=3).meter(6, None), u, batch)  # type: ignore[call-arg]
    assert np.array_equal(found["tknc"], three.rows)
    assert TopNeurons().m == 3
