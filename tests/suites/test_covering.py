"""Coverage of suites against the covering methods asked of every two inputs."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, CoveringMethod
from dnncov_core.criteria.baselines import NeuronBoundary, Section, TopNeuron
from dnncov_core.criteria.meeting import Meets
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.data import Data
from dnncov_core.features import FeaturePairs
from dnncov_core.networks import Network, memory
from dnncov_core.suites import covering, meeting, pairwise
from dnncov_core.suites.covering import covered
from dnncov_core.suites.patterns import Classes, packed
from dnncov_core.suites.streams import Suite, ranges
from tests.networks_for_tests import random_mlp, seeded

METHODS = {
    "ss": CRITERIA["ss"],
    "sv": CRITERIA["sv"],
    "vs": CRITERIA["vs"],
    "vv": CRITERIA["vv"],
    "sv absolute": CRITERIA["sv"].with_functions(VALUE_FUNCTIONS["absolute"](d=0.02), VALUE_FUNCTIONS["any"]()),
    "sv symmetric": CRITERIA["sv"].with_functions(VALUE_FUNCTIONS["ratio_symmetric"](), VALUE_FUNCTIONS["any"]()),
    "sv boundary": CRITERIA["sv"].with_functions(VALUE_FUNCTIONS["upper_boundary"](d=-0.1), VALUE_FUNCTIONS["any"]()),
    "vv boundary": CRITERIA["vv"].with_functions(VALUE_FUNCTIONS["upper_boundary"](d=0.05), VALUE_FUNCTIONS["any"]()),
    "vv any": CRITERIA["vv"].with_functions(VALUE_FUNCTIONS["any"](), VALUE_FUNCTIONS["any"]()),
    "vs ratio": CRITERIA["vs"].with_functions(VALUE_FUNCTIONS["ratio"](sigma=1.2), VALUE_FUNCTIONS["any"]()),
    "vs norm": CRITERIA["vs"].with_functions(VALUE_FUNCTIONS["norm"](d=1e-6), VALUE_FUNCTIONS["any"]()),
    "sv nb": CRITERIA["sv"].with_functions(Meets(NeuronBoundary()), ANY),
    "vv nb": CRITERIA["vv"].with_functions(Meets(NeuronBoundary()), ANY),
    "sv mn": CRITERIA["sv"].with_functions(Meets(Section(2, 3)), ANY),
    "vv mn": CRITERIA["vv"].with_functions(Meets(Section(2, 3)), ANY),
    "vs tn": CRITERIA["vs"].with_functions(Meets(TopNeuron(2)), ANY),
    "vv tn": CRITERIA["vv"].with_functions(ANY, Meets(TopNeuron(2))),
    "vv norms": CRITERIA["vv"].with_functions(VALUE_FUNCTIONS["norm"](d=0.05), VALUE_FUNCTIONS["norm"](d=0.1)),
}


class Branches(nn.Module):
    """Two layers that reach the same one, one of them past the other."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.last = (
            nn.Linear(*sizes, dtype=torch.float64) for sizes in ((3, 4), (4, 4), (8, 2))
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        one = self.first(x).relu()
        return self.last(torch.cat([one, nn.functional.leaky_relu(self.second(one))], dim=1))


def convolutions() -> nn.Module:
    first, second = nn.Conv2d(1, 2, 2, dtype=torch.float64), nn.Conv2d(2, 1, 2, dtype=torch.float64)
    with torch.no_grad():
        first.bias.copy_(-first.weight.sum(dim=(1, 2, 3)) / 2)  # so that units have both signs
    last = nn.Linear(2, 2, dtype=torch.float64)
    return nn.Sequential(first, nn.ReLU(), nn.MaxPool2d((1, 2)), second, nn.ReLU(), nn.Flatten(), last)


BUILT: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "mlp": (lambda: random_mlp([4, 5, 4, 3]), (4,)),
    "deeper mlp": (lambda: random_mlp([3, 3, 4, 3, 2], 2), (3,)),
    "convolutions": (lambda: seeded(convolutions), (1, 4, 5)),
    "branches": (lambda: seeded(Branches), (3,)),
}


@cache
def network_of(name: str) -> Network:
    build, shape = BUILT[name]
    return Network(build(), shape)


def suite(network: Network, inputs: int, seed: int) -> Data:
    """Inputs of which many are near to one another."""
    rng = np.random.default_rng(seed)
    some = rng.uniform(0, 1, (max(1, inputs // 4), *network.input_shape))
    images = some[rng.integers(0, len(some), inputs)]
    images = (
        images + rng.normal(size=images.shape) * rng.choice([0.03, 0.2], (inputs, *[1] * (images.ndim - 1)))
    ).clip(0, 1)
    return Data("made", images, np.zeros(inputs, np.int64), (), "test", "none")


@cache
def method_of(key: str, name: str) -> CoveringMethod:
    """A method, with ranges over data of the network where it asks for them."""
    network = network_of(name)
    reference = Suite(network, suite(network, 12, 99))
    return METHODS[key].with_ranges(ranges(reference, range(2, network.depth + 1), lambda n: None))


@dataclass(frozen=True)
class Asked:
    suite: Suite
    pairs: FeaturePairs


def measured(network: Network, data: Data, mode: str = "neuron", omega: float = 0.3) -> Asked:
    return Asked(Suite(network, data), FeaturePairs(network.layers, network.edges, mode=mode, omega=omega))


def classes(suite: Suite, layer: int) -> Classes:
    with torch.no_grad():
        u = capture(suite.network, torch.from_numpy(suite.data.images), [layer])[layer].u
    return Classes.by(packed((u >= 0).numpy()))


def brute_force(
    asked: Asked, method: CoveringMethod, edge: tuple[int, int]
) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """(condition feature, decision neuron) to all pairs of different inputs that cover it, straight from the paper."""
    with torch.no_grad():
        values = capture(asked.suite.network, torch.from_numpy(asked.suite.data.images))
    n = len(asked.suite)
    first, second = torch.tensor([*itertools.permutations(range(n), 2)], dtype=torch.long).reshape(-1, 2).T
    before, after = (
        {layer: type(each)(each.u[rows], each.v[rows], each.shape) for layer, each in values.items()}
        for rows in (first, second)
    )
    found = {}
    for pair in asked.pairs:
        if (pair.condition.layer, pair.decision.layer) == edge:
            holds = method.holds(pair, before, after).nonzero().flatten().tolist()
            condition = 0 if pair.condition.most is not None else pair.condition.neurons[0]
            found[condition, pair.decision.neurons[0]] = {(int(first[b]), int(second[b])) for b in holds}
    return found


def agrees(asked: Asked, method: CoveringMethod, edge: tuple[int, int]) -> int:
    expected = brute_force(asked, method, edge)
    result = covered(asked.suite, asked.pairs, method, edge, classes(asked.suite, edge[0]))
    witnesses = {(i, j): (x1, x2) for i, j, x1, x2 in result.witnesses.each()}
    assert result.total == len(expected)
    assert set(witnesses) == {key for key, pairs in expected.items() if pairs}
    assert all(witness in expected[key] for key, witness in witnesses.items())
    assert 0 <= result.covered == len(witnesses) <= result.total
    assert result.bound == ""
    return result.covered


@pytest.mark.parametrize("name", BUILT)
@pytest.mark.parametrize("key", METHODS)
def test_agrees_with_comparing_all_inputs(name: str, key: str) -> None:
    network = network_of(name)
    edges = sorted(network.edges)
    total = 0
    for seed, edge in itertools.product(range(3), edges):
        total += agrees(measured(network, suite(network, 36, seed)), method_of(key, name), edge)
    assert total > 0


@pytest.mark.parametrize("key", ["sv nb", "vv mn", "vs tn", "vv tn", "vs ratio", "vv norms"])
def test_parts_that_fit_into_memory_give_the_same(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network, method = network_of("deeper mlp"), method_of(key, "deeper mlp")
    asked = [(measured(network, suite(network, 36, seed)), edge) for seed in range(3) for edge in sorted(network.edges)]
    whole = [agrees(each, method, edge) for each, edge in asked]
    for module in (covering, meeting, pairwise):
        monkeypatch.setattr(module, "AT_ONCE", 40)
    monkeypatch.setattr(memory, "fitting_batch", lambda network, most: 7)
    assert [agrees(each, method, edge) for each, edge in asked] == whole
    assert sum(whole) > 0


@pytest.mark.parametrize("key", ["vs norm", "vs tn", "vv tn"])
@pytest.mark.parametrize("near", [False, True])
def test_feature_pairs_without_a_witness_take_no_memory(key: str, near: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two layers of 2,048 neurons: a number for each feature pair would take 32 MiB."""
    monkeypatch.setattr(pairwise, "AT_ONCE", 2**20)
    network = Network(seeded(wide), (1, 16, 16))
    data = suite(network, 4, 1)
    if near:
        data.images[1] = data.images[0] * 0.99  # no bias, no sign
    asked, signs = measured(network, data), classes(Suite(network, data), 2)
    method = METHODS[key].with_ranges({})
    tracemalloc.start()
    result = covered(asked.suite, asked.pairs, method, (2, 3), signs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(signs) < 4) is near
    assert peak < 2**24
    assert (result.covered > 0) is near


def wide() -> nn.Module:
    first, second = nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.Conv2d(8, 8, 3, padding=1)
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), nn.Flatten(), nn.Linear(2048, 2)).double()


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from([*BUILT]),
    key=st.sampled_from([*METHODS]),
    inputs=st.integers(1, 16),
    seed=st.integers(0, 10_000),
    place=st.integers(0, 9),
)
def test_any_suite(name: str, key: str, inputs: int, seed: int, place: int) -> None:
    network = network_of(name)
    edges = sorted(network.edges)
    agrees(measured(network, suite(network, inputs, seed)), method_of(key, name), edges[place % len(edges)])


@pytest.mark.parametrize("key", ["ss", "sv", "sv nb", "sv mn"])
@pytest.mark.parametrize("omega", [0.2, 1.0])
def test_free_features(key: str, omega: float) -> None:
    network = network_of("deeper mlp")
    total = 0
    for seed, edge in itertools.product(range(3), sorted(network.edges)):
        total += agrees(measured(network, suite(network, 12, seed), "free", omega), method_of(key, "deeper mlp"), edge)
    assert total > 0
