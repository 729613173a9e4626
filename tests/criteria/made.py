"""Values of small layers, and what criteria of single neurons make of them."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import strategies as st

from dnncov_core.criteria.neuron_criteria import NONE, Meter, Range
from dnncov_core.layer_values import LayerValues

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
