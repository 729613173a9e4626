"""No input that was tried covers a condition that was proved infeasible: 20,000 pairs a network, and searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
import torch
from torch import Tensor

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.features import FeaturePairs
from dnncov_core.generators import Seed
from dnncov_core.networks.network import Network
from dnncov_core.proofs import constant_of, why_infeasible
from dnncov_core.records import Outcome, Target
from tests import builders
from tests.proofs import networks
from tests.proofs.networks import constant_neurons

PAIRS = 20_000
METHODS = ("ss", "vs", "sv")
SPREADS = {"mlp": 1.5, "leaky": 1.5, "max pooling": 0.7, "residual and cat": 1.5, "pooling of the input": 1.5}
"""How far offsets lie from 0, so that some neurons are constant and others are not."""
TARGETS = 12
"""Test conditions of each network that generators search for."""


@pytest.fixture(scope="module", params=SPREADS)
def network(request: pytest.FixtureRequest) -> Network:
    """A network of which some neurons are constant, and others are not."""
    return networks.network(request.param, 7, spread=SPREADS[request.param], dtype=torch.float32)


def proved(network: Network, key: str, constant: set[tuple[int, int]]) -> list[Target]:
    """The neuron pairs that certificates make infeasible."""
    pairs = FeaturePairs(network.layers, network.edges)
    targets = [pair.target(ordinal) for ordinal, pair in enumerate(pairs)]
    return [target for target in targets if why_infeasible(CRITERIA[key], target, constant) is not None]


def pairs_of_inputs(network: Network) -> tuple[Tensor, Tensor]:
    """Inputs x1, and x2 anywhere in the box, near x1, or where some values are changed."""
    low, high = network.bounds
    x1, other = networks.inputs(network, PAIRS, 0), networks.inputs(network, PAIRS, 1)
    third = PAIRS // 3
    x2 = other.clone()
    step = torch.logspace(-6, 0, third).reshape(-1, *[1] * (x1.ndim - 1))
    x2[:third] = (x1[:third] + step * (other[:third] - x1[:third])).clamp(low, high)
    few = torch.rand(third, *x1.shape[1:], generator=torch.Generator().manual_seed(2)) < 0.2
    x2[third : 2 * third] = torch.where(few, other[third : 2 * third], x1[third : 2 * third])
    return x1, x2


def test_no_pair_of_inputs_covers_a_condition_proved_infeasible(network: Network) -> None:
    constant = constant_of(constant_neurons(network))
    x1, x2 = pairs_of_inputs(network)
    before, after = capture(network, x1), capture(network, x2)
    for layer, neuron in constant:
        signs = torch.cat([values[layer].u[:, neuron] >= 0 for values in (before, after)])
        assert bool(signs.all()) or not bool(signs.any())
    possible = 0
    for key in METHODS:
        infeasible = {target.ordinal for target in proved(network, key, constant)}
        assert infeasible
        for ordinal, pair in enumerate(FeaturePairs(network.layers, network.edges)):
            covered = bool(CRITERIA[key].holds(pair, before, after).any())
            assert not (covered and ordinal in infeasible)
            possible += covered
    assert possible > 0


@pytest.mark.parametrize("generator", ["lp", "targeted"])
def test_no_generator_covers_a_condition_proved_infeasible(network: Network, generator: str) -> None:
    constant = constant_of(constant_neurons(network))
    for key in ("ss", "sv"):
        targets = proved(network, key, constant)[:: max(1, len(proved(network, key, constant)) // TARGETS)]
        for found in searched(network, CRITERIA[key], targets, generator):
            assert found
            assert {attempt.outcome for attempt in found} <= {
                Outcome.INFEASIBLE_HERE,
                Outcome.UNKNOWN,
                Outcome.EXHAUSTED,
            }


def searched(
    network: Network, method: CoveringMethod, targets: Sequence[Target], generator: str
) -> Iterator[list[object]]:
    """Attempts of a generator at each target, with three seeds."""
    search = builders.search(generator, network, method, passes=60, batch=32)
    images = networks.inputs(network, 3, 5).numpy()

    def seeds(asked: Sequence[Target]) -> list[list[Seed]]:
        return [[Seed(row, x) for row, x in enumerate(images)] for _ in asked]

    for start in range(len(targets)):
        for found in search.run(targets[start : start + 1], seeds):
            yield list(found.attempts)
