"""Two inputs side by side: replay says the same, and nothing is left out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dnncov_core.criteria import CRITERIA
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.networks.zoo import TOY_WEIGHTS, load_embedded
from dnncov_core.playground.setting import NETWORK
from dnncov_core.playground.two_inputs import two_inputs
from dnncov_core.replay import replay
from tests import reference

POINTS = [(0.1, 0.0), (0.0, -1.0), (0.3, -0.7), (-0.8, 0.2), (0.0, 0.0), (0.5, 0.5)]


@pytest.fixture(scope="module")
def network() -> Network:
    return load_embedded(NETWORK)


def test_what_is_covered_is_what_a_replay_says(network: Network) -> None:
    n_covered = 0
    for x1, x2 in itertools.permutations(POINTS, 2):
        inputs = two_inputs(network, x1, x2)
        for method, pair in itertools.product(CRITERIA.values(), inputs.pairs()):
            covered = inputs.covers(method, pair)
            assert covered is replay(network, method, pair, np.array(x1), np.array(x2))
            assert covered is all(part.holds for part in inputs.parts(method, pair))
            n_covered += covered
    assert n_covered > 20


@pytest.mark.parametrize("x", POINTS)
def test_values_are_those_of_the_equations(network: Network, x: tuple[float, float]) -> None:
    inputs = two_inputs(network, x, (0.0, 1.0))
    expected = reference.forward(x, [np.array(weight) for weight in TOY_WEIGHTS])
    for layer, u in enumerate(expected, start=2):
        neurons = inputs.neurons(layer)
        assert [each.u1 for each in neurons] == pytest.approx(u)
        v = [reference.relu(value) for value in u] if layer < 4 else u
        assert [each.v1 for each in neurons] == pytest.approx(v)
    one, two = expected[-1]
    assert inputs.labels()[0] == int(two > one)


def test_pairs_are_those_of_the_network_and_larger_ones(network: Network) -> None:
    inputs = two_inputs(network, *POINTS[:2])
    assert set(inputs.pairs()) == set(FeaturePairs(network.layers, network.edges))
    every = list(inputs.pairs(3))
    assert len(every) == len(set(every)) == 7 * 7 + 7 * 3


def test_an_input_compared_with_itself_changes_nothing(network: Network) -> None:
    inputs = two_inputs(network, POINTS[0], POINTS[0])
    assert not any(each.changed for layer in (2, 3, 4) for each in inputs.neurons(layer))
    assert not any(inputs.covers(CRITERIA["ss"], pair) for pair in inputs.pairs(3))
