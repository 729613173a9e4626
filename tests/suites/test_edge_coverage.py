"""Coverage of suites against the covering methods asked of every two inputs."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, CoveringMethod
from dnncov_core.criteria.neuron_criteria import NeuronBoundary, TopNeuron
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.criteria.section_criteria import Section
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.data import Data
from dnncov_core.features import FeaturePairs
from dnncov_core.networks import memory
from dnncov_core.networks.network import Network
from dnncov_core.suites import edge_coverage, steps, value_changes
from dnncov_core.suites.edge_coverage import EdgeCoverage, covered
from dnncov_core.suites.patterns import Classes, packed
from dnncov_core.suites.progress import Progress
from dnncov_core.suites.streams import Suite, ranges
from tests import reference
from tests.networks_for_tests import Dense, random_mlp, seeded
from tests.suites import definitions
from tests.suites.definitions import Layer, Method, of_u

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
DEFINED = {
    "ss": Method("ss"),
    "sv": Method("sv", g2=of_u(reference.ratio(2.0))),
    "vs": Method("vs"),
    "vv": Method("vv", g2=of_u(reference.ratio(5.0))),
    "sv absolute": Method("sv", g2=of_u(reference.absolute(0.02))),
    "sv symmetric": Method("sv", g2=of_u(reference.ratio_symmetric(2.0))),
    "sv boundary": Method("sv", g2=of_u(reference.upper_boundary(-0.1))),
    "vv boundary": Method("vv", g2=of_u(reference.upper_boundary(0.05))),
    "vv any": Method("vv"),
    "vs ratio": Method("vs", g1=of_u(reference.ratio(1.2))),
    "vs norm": Method("vs", g1=of_u(reference.norm(1e-6, "inf"))),
    "sv nb": Method("sv", g2=definitions.boundary),
    "vv nb": Method("vv", g2=definitions.boundary),
    "sv mn": Method("sv", g2=definitions.section(2, 3)),
    "vv mn": Method("vv", g2=definitions.section(2, 3)),
    "vs tn": Method("vs", g1=definitions.top(2)),
    "vv tn": Method("vv", g1=definitions.top(2)),
    "vv norms": Method("vv", g1=of_u(reference.norm(0.1, "inf")), g2=of_u(reference.norm(0.05, "inf"))),
}
"""What each of them asks, written down a second time."""


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
    "dense": (lambda: seeded(lambda: Dense(3, [3, 4, 3])), (3,)),
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
    return Data("made", images, np.zeros(inputs, np.int64), (), "test")


@cache
def reference_data(name: str) -> Suite:
    network = network_of(name)
    return Suite(network, suite(network, 12, 99))


@cache
def method_of(key: str, name: str) -> CoveringMethod:
    """A method, with ranges over data of the network where it asks for them."""
    layers = range(2, network_of(name).depth + 1)
    return METHODS[key].with_ranges(ranges(reference_data(name), layers, lambda n: None))


@dataclass(frozen=True)
class Asked:
    """So many inputs, drawn with a seed, given to a network of `BUILT`."""

    name: str
    inputs: int = 36
    seed: int = 0
    mode: str = "neuron"
    omega: float = 0.3

    @property
    def suite(self) -> Suite:
        return Suite(network_of(self.name), suite(network_of(self.name), self.inputs, self.seed))

    @property
    def pairs(self) -> FeaturePairs:
        return pairs_of(network_of(self.name), self.mode, self.omega)


def pairs_of(network: Network, mode: str = "neuron", omega: float = 0.3) -> FeaturePairs:
    return FeaturePairs(network.layers, network.edges, mode=mode, omega=omega)


def classes(suite: Suite, layer: int) -> Classes:
    with torch.no_grad():
        u = capture(suite.network, torch.from_numpy(suite.data.images), [layer])[layer].u
    return Classes.by(packed((u >= 0).numpy()))


@cache
def layers_of(asked: Asked) -> dict[int, Layer]:
    """u and v of the suite, and v of the reference data, as plain numbers by layer."""
    with torch.no_grad():
        values, known = (
            capture(network_of(asked.name), torch.from_numpy(each.data.images))
            for each in (asked.suite, reference_data(asked.name))
        )
    return {n: Layer(each.u.tolist(), each.v.tolist(), known[n].v.tolist()) for n, each in values.items()}


@cache
def with_condition(
    asked: Asked, method: Method, layer: int, feature: frozenset[int], most: int | None
) -> list[tuple[int, int]]:
    """All pairs of different inputs in which the condition feature does what it has to."""
    k = layers_of(asked)[layer]
    return [
        each for each in itertools.permutations(range(asked.inputs), 2) if method.condition(k, *each, feature, most)
    ]


def brute_force(asked: Asked, method: Method, edge: tuple[int, int]) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """(condition feature, decision neuron) to all pairs of different inputs that cover it, straight from the paper."""
    d, found = layers_of(asked)[edge[1]], {}
    alone = replace(method, key=method.key[0], g2=definitions.ANY)  # methods that differ by their decision share it
    for pair in asked.pairs:
        if (pair.condition.layer, pair.decision.layer) == edge:
            most, condition, decision = pair.condition.most, pair.condition.neurons, frozenset(pair.decision.neurons)
            found[condition[0] if most is None else 0, pair.decision.neurons[0]] = {
                each
                for each in with_condition(asked, alone, edge[0], frozenset(condition), most)
                if method.decision(d, *each, decision)
            }
    return found


def measured(suite: Suite, pairs: FeaturePairs, method: CoveringMethod, edge: tuple[int, int]) -> EdgeCoverage:
    """What one method covers of one layer pair."""
    found = covered(suite, pairs, {"one": method}, [(edge[0], classes(suite, edge[0]))], Progress())["one"]
    return next(each for each in found if each.edge == edge)


def agrees(asked: Asked, key: str, edge: tuple[int, int]) -> int:
    expected = brute_force(asked, DEFINED[key], edge)
    suite = asked.suite
    result = measured(suite, asked.pairs, method_of(key, asked.name), edge)
    witnesses = {(i, j): (x1, x2) for i, j, x1, x2 in result.witnesses.each()}
    layer = layers_of(asked)[edge[1]]
    one_value = {j for j in layer.neurons if layer.least[j] == layer.greatest[j]} if " mn" in key else set()
    assert result.total == sum(j not in one_value for _, j in expected)
    assert result.left_out == len(one_value)
    assert set(witnesses) == {key for key, pairs in expected.items() if pairs}
    assert all(witness in expected[key] for key, witness in witnesses.items())
    assert 0 <= result.covered == len(witnesses) <= result.total
    assert result.bound == ""
    return result.covered


def test_each_method_is_defined_a_second_time() -> None:
    assert list(DEFINED) == list(METHODS)


@pytest.mark.parametrize("name", BUILT)
@pytest.mark.parametrize("key", METHODS)
def test_agrees_with_comparing_all_inputs(name: str, key: str) -> None:
    edges = sorted(network_of(name).edges)
    assert sum(agrees(Asked(name, seed=seed), key, edge) for seed, edge in itertools.product(range(3), edges)) > 0


@pytest.mark.parametrize("omega", [None, 0.4])
def test_all_methods_and_layer_pairs_at_once_give_what_each_gives_alone(omega: float | None) -> None:
    asked = Asked("dense", 30, 4) if omega is None else Asked("dense", 30, 4, "free", omega)
    network, suite = network_of("dense"), asked.suite
    methods = {key: method_of(key, "dense") for key in METHODS if omega is None or key[:2] in ("ss", "sv")}
    signs = [(layer.index, classes(suite, layer.index)) for layer in network.layers[1:-1]]
    found = covered(suite, asked.pairs, methods, signs, Progress())
    for key, method in methods.items():
        assert [each.edge for each in found[key]] == sorted(network.edges)
        for each in found[key]:
            alone = measured(suite, asked.pairs, method, each.edge)
            assert [*each.witnesses.each()] == [*alone.witnesses.each()]
            assert (each.total, each.joined, each.bound) == (alone.total, alone.joined, alone.bound)
    assert sum(each.covered for those in found.values() for each in those) > 0


@pytest.mark.parametrize("key", ["sv nb", "vv mn", "vs tn", "vv tn", "vs ratio", "vv norms"])
def test_parts_that_fit_into_memory_give_the_same(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = sorted(network_of("deeper mlp").edges)
    asked = [(Asked("deeper mlp", seed=seed), edge) for seed, edge in itertools.product(range(3), edges)]
    whole = [agrees(each, key, edge) for each, edge in asked]
    for module in (edge_coverage, steps, value_changes):
        monkeypatch.setattr(module, "AT_ONCE", 40)
    monkeypatch.setattr(memory, "fitting_batch", lambda network, most=7: 7)
    assert [agrees(each, key, edge) for each, edge in asked] == whole
    assert sum(whole) > 0


@pytest.mark.parametrize("key", ["vs norm", "vs tn", "vv tn"])
@pytest.mark.parametrize("near", [False, True])
def test_feature_pairs_without_a_witness_take_no_memory(key: str, near: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two layers of 2,048 neurons: a number for each feature pair would take 32 MiB."""
    monkeypatch.setattr(value_changes, "AT_ONCE", 2**20)
    network = Network(seeded(wide), (1, 16, 16))
    data = suite(network, 4, 1)
    if near:
        data.images[1] = data.images[0] * 0.99  # no bias, no sign
    asked = Suite(network, data)
    signs = classes(asked, 2)
    method = METHODS[key].with_ranges({})
    tracemalloc.start()
    result = measured(asked, pairs_of(network), method, (2, 3))
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
    edges = sorted(network_of(name).edges)
    agrees(Asked(name, inputs, seed), key, edges[place % len(edges)])


@pytest.mark.parametrize("key", ["ss", "sv", "sv nb", "sv mn"])
@pytest.mark.parametrize("omega", [0.2, 1.0])
def test_free_features(key: str, omega: float) -> None:
    edges = sorted(network_of("deeper mlp").edges)
    asked = [(Asked("deeper mlp", 12, seed, "free", omega), edge) for seed in range(3) for edge in edges]
    assert sum(agrees(each, key, edge) for each, edge in asked) > 0
