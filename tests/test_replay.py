"""Replay of single pairs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA
from dnncov_core.errors import NetworkError, NumericsError
from dnncov_core.features import Feature, FeaturePair, FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.replay import replay
from tests.networks_for_tests import profile, random_mlp, toy_network

SS = CRITERIA["ss"]
X1, X2 = np.array([0.1, 0.0]), np.array([0.0, -1.0])


@pytest.fixture(scope="module")
def toy() -> Network:
    return toy_network()


def test_papers_pair_is_covered_on_replay(toy: Network) -> None:
    assert replay(toy, SS, FeaturePair(Feature(2, (0,)), Feature(3, (0,))), X1, X2)
    assert not replay(toy, SS, FeaturePair(Feature(2, (0,)), Feature(3, (1,))), X1, X2)


def test_replay_says_what_the_covering_method_says_of_a_batch(toy: Network) -> None:
    pairs = list(FeaturePairs(toy.layers, toy.edges))
    rng = np.random.default_rng(0)
    x1, x2 = rng.uniform(-10, 10, (2, 20, 2))
    whole = profile(SS, pairs, *(capture(toy, torch.from_numpy(x)) for x in (x1, x2)))
    assert whole.shape == (20, len(pairs))
    for b in range(20):
        assert whole[b].tolist() == [replay(toy, SS, pair, x1[b], x2[b]) for pair in pairs]
    assert whole.any()


def test_replay_takes_inputs_in_the_networks_precision() -> None:
    """In float32 this x2 lies on the other side of 0 from where it is in float64."""
    module = random_mlp((1, 1, 2), dtype=torch.float32)
    with torch.no_grad():
        for layer in (module[1], module[3]):
            layer.weight.fill_(1.0)
        module[1].bias.fill_(-0.5)
        module[3].bias.fill_(-0.25)
    network, pair = Network(module, (1,)), FeaturePair(Feature(2, (0,)), Feature(3, (0,)))
    x1, x2 = np.array([1.0]), np.array([0.5 - 1e-9])
    assert not replay(network, SS, pair, x1, x2)
    assert replay(network.to(dtype=torch.float64), SS, pair, x1, x2)


def test_replay_refuses_what_is_no_input(toy: Network) -> None:
    pair = FeaturePair(Feature(2, (0,)), Feature(3, (0,)))
    with pytest.raises(NetworkError, match="shape"):
        replay(toy, SS, pair, X1, np.zeros(3))
    with pytest.raises(NumericsError, match="NaN"):
        replay(toy, SS, pair, X1, np.array([np.nan, 0.0]))


def test_an_input_covers_nothing_with_itself(toy: Network) -> None:
    values = capture(toy, torch.from_numpy(X1)[None])
    assert profile(SS, list(FeaturePairs(toy.layers, toy.edges)), values, values).sum() == 0
