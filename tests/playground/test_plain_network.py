"""The example network in NumPy is the one in PyTorch, and that of the paper's equations."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.layer_values import near_zero
from dnncov_core.networks.network import Network
from dnncov_core.networks.zoo import TOY_WEIGHTS, load_embedded
from dnncov_core.playground.plain_network import EXAMPLE
from dnncov_core.playground.setting import NETWORK, Point
from dnncov_core.playground.two_inputs import two_inputs
from tests import reference

POINTS: list[Point] = [(0.1, 0.0), (0.0, -1.0), (0.3, -0.7), (-0.8, 0.2), (0.0, 0.0), (10.0, -10.0)]


@pytest.fixture(scope="module")
def network() -> Network:
    return load_embedded(NETWORK)


def random_points(n: int) -> list[Point]:
    return [(x, y) for x, y in np.random.default_rng(0).uniform(-10, 10, (n, 2)).tolist()]


def test_layers_are_those_of_the_network(network: Network) -> None:
    inputs = two_inputs(*POINTS[:2])
    assert (inputs.layers, inputs.edges, EXAMPLE.depth) == (network.layers, network.edges, network.depth)
    assert {k: values.shape for k, values in inputs.before.items()} == {2: (3,), 3: (3,), 4: (2,)}


def test_values_are_those_of_the_equations_in_every_batch() -> None:
    points = POINTS + random_points(50)
    weights = [np.array(weight) for weight in TOY_WEIGHTS]
    together = EXAMPLE.values(points)
    for row, x in enumerate(points):
        alone = EXAMPLE.values([x])
        for layer, u in enumerate(reference.forward(x, weights), start=2):
            v = [reference.relu(value) for value in u] if layer < EXAMPLE.depth else u
            for values, at in ((alone, 0), (together, row)):
                assert values[layer].u[at].tolist() == u
                assert values[layer].v[at].tolist() == v


def test_values_are_those_of_pytorch(network: Network) -> None:
    points = POINTS + random_points(50)
    ours, theirs = EXAMPLE.values(points), capture(network, torch.tensor(points, dtype=torch.float64))
    for layer in theirs:
        assert np.asarray(ours[layer].u) == pytest.approx(theirs[layer].u.numpy(), abs=1e-12)
        assert np.asarray(ours[layer].v) == pytest.approx(theirs[layer].v.numpy(), abs=1e-12)
        assert np.array_equal(near_zero(ours[layer].u), near_zero(theirs[layer].u).numpy())


def test_evaluation_stops_where_it_is_told() -> None:
    assert list(EXAMPLE.values(POINTS, 2)) == [2]


@pytest.mark.parametrize("x", POINTS)
def test_two_inputs_have_their_values_and_labels(x: Point) -> None:
    inputs = two_inputs(x, (0.0, 1.0))
    expected = reference.forward(x, [np.array(weight) for weight in TOY_WEIGHTS])
    for layer, u in enumerate(expected, start=2):
        assert [each.u1 for each in inputs.neurons(layer)] == u
        v = [reference.relu(value) for value in u] if layer < 4 else u
        assert [each.v1 for each in inputs.neurons(layer)] == v
    one, two = expected[-1]
    assert inputs.labels()[0] == int(two > one)
