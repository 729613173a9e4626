"""The solver's bound holds for every input, exact for ReLU networks and a relaxation for others."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from dnncov_core.activations import capture
from dnncov_core.affine_parts import AffineParts
from dnncov_core.networks.network import Network
from dnncov_core.proofs.intervals import Intervals
from dnncov_core.proofs.mixed_integer import Programmes, small_enough
from tests.networks_for_tests import random_mlp
from tests.proofs import networks


def programmes(network: Network, layer: int) -> Programmes:
    intervals, parts = Intervals(network), AffineParts(network)
    bounds = intervals.bounds()
    assert small_enough(parts, layer, bounds)
    return Programmes(parts, network.graph.functions, intervals.box, intervals.eps, layer, bounds)


@pytest.mark.parametrize("name", networks.NAMES)
def test_no_input_is_beyond_the_bound(name: str) -> None:
    network = networks.network(name, 3)
    x = torch.cat([networks.inputs(network, 600, 0), networks.climbed(network, network.depth, 1.0)])
    for layer in (3, network.depth):
        u = capture(network, x, [layer])[layer].u.detach()
        asked = programmes(network, layer)
        assert asked.extreme(0, 1, 20.0) >= float(u[:, 0].max())
        assert asked.extreme(0, -1, 20.0) <= float(u[:, 0].min())


@pytest.mark.parametrize("seed", range(3))
def test_a_bound_on_the_far_side_of_zero_is_the_extreme_and_the_margin(seed: int) -> None:
    module = random_mlp((3, 3, 3, 2), seed)
    module[-1].bias.data[:] = torch.tensor([50.0, -50.0])
    network = Network(module, (3,))
    (low, _), (_, high) = networks.extremes(network, 4, 0), networks.extremes(network, 4, 1)
    asked = programmes(network, 4)
    least, most = asked.extreme(0, -1, 20.0), asked.extreme(1, 1, 20.0)
    assert 0 < low - asked.margins[0] - 3 <= least <= low
    assert high <= most <= high + asked.margins[1] + 3 < 0


@pytest.mark.parametrize("scale", [1e-9, 1e-6])
def test_weights_and_values_that_a_solver_takes_for_zero_prove_nothing(scale: float) -> None:
    """u of layer 3 is scale (v - 1 / 2), with v from 0 to 1: under the solver's tolerances, and yet of both signs."""
    module = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 2)).double()
    module[0].weight.data[:], module[0].bias.data[:] = 1.0, 0.0
    module[2].weight.data[:], module[2].bias.data[:] = scale, -scale / 2
    asked = programmes(Network(module, (1,)), 3)
    assert asked.extreme(0, 1, 20.0) >= scale / 2
    assert asked.extreme(0, -1, 20.0) <= -scale / 2


def test_without_time_nothing_is_proved() -> None:
    asked = programmes(networks.network("mlp", 0), 4)
    assert asked.extreme(0, 1, 1e-9) == float("inf")
    assert asked.extreme(0, -1, 1e-9) == -float("inf")
