"""Bounds of u hold for every input that was tried, and for exact extremes, whatever the network is made of."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from dnncov_core.activations import capture
from dnncov_core.affine_parts import AffineParts
from dnncov_core.networks.network import Network
from dnncov_core.proofs.certificates import prove
from dnncov_core.proofs.intervals import Intervals
from dnncov_core.proofs.linear_bounds import LinearBounds
from dnncov_core.proofs.relaxations import Interval
from tests.networks_for_tests import random_mlp
from tests.proofs import networks

Known = dict[int, Interval]


def by_lines(network: Network) -> Known:
    """Linear bounds of every neuron, and nothing else."""
    intervals, parts = Intervals(network), AffineParts(network)
    linear = LinearBounds(parts, network.graph.functions, intervals.box, intervals.eps)
    bounds, found = intervals.bounds(), {}
    for layer in range(2, network.depth + 1):
        one_hot = torch.eye(network.layers[layer - 1].neurons).double()
        low, minus_high = (linear.lower(layer, rows, bounds) for rows in (one_hot, -one_hot))
        found[layer] = Interval(low, -minus_high)
    return found


def by_intervals(network: Network) -> Known:
    return {layer: found.before for layer, found in Intervals(network).bounds().items() if isinstance(layer, int)}


def assert_contains(bounds: Known, network: Network, x: torch.Tensor) -> None:
    """The bounds hold for the network as it is, in float64, and in another order of memory."""
    for evaluated in (network, network.to(dtype=torch.float64), network.to(memory_format=torch.channels_last)):
        for layer, values in capture(evaluated, x.to(evaluated.dtype)).items():
            u = values.u.detach().double()
            assert bool((bounds[layer].low <= u).all()), layer
            assert bool((u <= bounds[layer].high).all()), layer


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", networks.NAMES)
@settings(max_examples=4)
@given(seed=st.integers(0, 1000), spread=st.sampled_from([0.1, 1.0, 3.0]))
def test_they_hold_for_random_inputs_corners_and_searches(
    name: str, dtype: torch.dtype, seed: int, spread: float
) -> None:
    network = networks.network(name, seed, spread=spread, dtype=dtype)
    tried = [networks.inputs(network, 300, seed)]
    tried += [networks.climbed(network, layer, sign, 6) for layer in range(2, network.depth + 1) for sign in (1, -1)]
    for bounds in (by_intervals(network), by_lines(network)):
        assert_contains(bounds, network, torch.cat(tried))


@pytest.mark.parametrize("seed", range(4))
def test_they_hold_for_exact_extremes_and_lines_are_no_wider_than_intervals_in_all(seed: int) -> None:
    network = Network(random_mlp((3, 3, 3, 2), seed), (3,))
    intervals, lines = by_intervals(network), by_lines(network)
    widths = {}
    for layer in (2, 3, 4):
        exact = np.array([networks.extremes(network, layer, i) for i in range(network.layers[layer - 1].neurons)])
        for bounds in (intervals, lines):
            assert (bounds[layer].low.numpy() <= exact[:, 0] + 1e-7).all()
            assert (exact[:, 1] - 1e-7 <= bounds[layer].high.numpy()).all()
        widths[layer] = [float((b[layer].high - b[layer].low).sum()) for b in (intervals, lines)]
        if layer == 2:
            np.testing.assert_allclose(intervals[layer].low.numpy(), exact[:, 0], atol=1e-7)
            np.testing.assert_allclose(lines[layer].high.numpy(), exact[:, 1], atol=1e-7)
    assert widths[4][1] <= widths[4][0]


def test_lines_see_that_branches_belong_together() -> None:
    """v + 0.25 - v is 0.25 whatever v is; intervals do not know."""

    class Same(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 2)
            with torch.no_grad():
                self.linear.weight.copy_(torch.tensor([[1.0, -0.5], [0.5, 1.0]]))
                self.linear.bias.copy_(torch.tensor([-0.25, 0.25]))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            v = torch.relu(self.linear(x) + 2)
            return self.linear(torch.relu(v + 0.25 - v))

    network = Network(Same().double(), (2,))
    found = [(step.method, c.layer, c.sign) for step in prove(network) for c in step.certificates]
    assert ("linear", 3, 1) in found
    assert ("intervals", 3, 1) not in found


def test_a_box_is_as_wide_as_the_networks_precision_makes_it() -> None:
    network = Network(nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 2)), (1,), (0.0, 0.1))
    assert float(Intervals(network).box.high) == float(np.float32(0.1)) > 0.1
    network = Network(nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 2)), (1,), (-0.3, 0.3))
    assert float(Intervals(network).box.low) == -float(np.float32(0.3)) < -0.3
