"""Each mutation operator equals its definition in plain loops, on a network worked out neuron by neuron."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from dnncov_core.activations import capture
from dnncov_core.faults.fault import FaultyNetwork
from dnncov_core.faults.operators import MUTATION_OPERATORS
from dnncov_core.faults.sites import Site
from dnncov_core.networks.network import Network
from tests.networks_for_tests import mlp_of, piecewise

SIZES = (3, 5, 4, 3)
LOW, HIGH = [-1.0, 0.0, 2.0], [1.0, 4.0, 3.0]
DRAWN = np.random.default_rng(5)
WEIGHTS = [DRAWN.uniform(-1, 1.5, shape) for shape in itertools.pairwise(SIZES)]
BIASES = [DRAWN.uniform(1, 2, n) for n in SIZES[1:]]
INPUTS = DRAWN.uniform(LOW, HIGH, (6, 3))
NETWORK = Network(mlp_of(WEIGHTS, BIASES), (3,), (LOW, HIGH))


@dataclass
class Plain:
    """The network as lists: ``rows[k][j]`` are the weights into neuron j of layer k + 2."""

    rows: list[list[list[float]]] = field(default_factory=lambda: [weight.T.tolist() for weight in WEIGHTS])
    add_u: dict[int, list[float]] = field(default_factory=dict)
    sources: dict[int, list[int]] = field(default_factory=dict)
    given: Callable[[int, float], float] = lambda place, value: value

    def scores(self, x: list[float]) -> list[float]:
        values = [self.given(place, value) for place, value in enumerate(x)]
        for at, rows in enumerate(self.rows):
            layer = at + 2
            u = [sum(w * v for w, v in zip(row, values, strict=True)) for row in rows]
            u = [u[j] + BIASES[at][j] + self.add_u.get(layer, [0.0] * len(u))[j] for j in range(len(u))]
            if layer == len(self.rows) + 1:
                return u
            v = [each if math.isnan(each) else max(0.0, each) for each in u]
            sources = self.sources.get(layer, list(range(len(v))))
            values = [0.0 if source == -1 else v[source] for source in sources]
        raise AssertionError

    def flat(self, layer: int) -> list[float]:
        return [w for row in self.rows[layer - 2] for w in row]

    def set_flat(self, layer: int, weights: list[float]) -> None:
        width = len(self.rows[layer - 2][0])
        self.rows[layer - 2] = [weights[start : start + width] for start in range(0, len(weights), width)]


def some(strength: float, n: int) -> int:
    return max(1, round(strength * n))


def gaussian_fuzz(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    w = net.flat(layer)
    mean = sum(w) / len(w)
    deviation = (sum((each - mean) ** 2 for each in w) / len(w)) ** 0.5
    z = rng.standard_normal(len(w))
    net.set_flat(layer, [each + s * deviation * float(z[i]) for i, each in enumerate(w)])


def sign_flips(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    w = net.flat(layer)
    for i in rng.permutation(len(w)).tolist()[: some(s, len(w))]:
        w[i] = -w[i]
    net.set_flat(layer, w)


def bit_flips(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    w, bit = net.flat(layer), int(rng.integers(52, 64))
    for i in rng.permutation(len(w)).tolist()[: some(s, len(w))]:
        (whole,) = struct.unpack("<Q", struct.pack("<d", w[i]))
        (w[i],) = struct.unpack("<d", struct.pack("<Q", whole ^ (1 << bit)))
    net.set_flat(layer, w)


def pruning(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    w = net.flat(layer)
    half = rng.permutation(len(w)).tolist()[: (len(w) + 1) // 2]
    for i in sorted(half, key=lambda i: (abs(w[i]), i))[: some(s, len(half))]:
        w[i] = 0.0
    net.set_flat(layer, w)


def quantisation(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    w = net.flat(layer)
    step = s * max(abs(each) for each in w)
    for i in rng.permutation(len(w)).tolist()[: (len(w) + 1) // 2]:
        w[i] = step * round(w[i] / step)
    net.set_flat(layer, w)


def neurons_blocked(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    n = SIZES[layer - 1]
    blocked = rng.permutation(n).tolist()[: some(s, n)]
    net.sources[layer] = [-1 if i in blocked else i for i in range(n)]


def neurons_swapped(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    n = SIZES[layer - 1]
    order, sources = rng.permutation(n).tolist(), list(range(n))
    for j in range(some(s, n // 2)):
        one, other = order[j], order[n - 1 - j]
        sources[one], sources[other] = other, one
    net.sources[layer] = sources


def neurons_duplicated(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    n = SIZES[layer - 1]
    order, sources = rng.permutation(n).tolist(), list(range(n))
    for j in range(some(s, n // 2)):
        sources[order[j]] = order[n - n // 2 + j]
    net.sources[layer] = sources


def bias_shift(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    net.add_u[layer] = [s * z for z in rng.standard_normal(SIZES[layer - 1]).tolist()]


def input_mean(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    z = rng.standard_normal(3).tolist()
    net.given = lambda i, x: x + s * (HIGH[i] - LOW[i]) * z[i]


def input_deviation(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    places, coins = rng.random(3).tolist(), rng.random(3).tolist()
    factors = [1 + s if coin < 0.5 else 1 / (1 + s) for coin in coins]
    means = [LOW[i] + (HIGH[i] - LOW[i]) * places[i] for i in range(3)]
    net.given = lambda i, x: means[i] + factors[i] * (x - means[i])


def classes_swapped(net: Plain, s: float, layer: int, rng: np.random.Generator) -> None:
    rows = net.rows[layer - 2]
    a, b = rng.permutation(len(rows)).tolist()[:2]
    for i in rng.permutation(len(rows[0])).tolist()[: some(s, len(rows[0]))]:
        rows[a][i], rows[b][i] = rows[b][i], rows[a][i]


REFERENCES = (
    *(gaussian_fuzz, sign_flips, bit_flips, pruning, quantisation, neurons_blocked, neurons_swapped),
    *(neurons_duplicated, bias_shift, input_mean, input_deviation, classes_swapped),
)
LAYERS = {"input_mean": [1], "input_deviation": [1], "classes_swapped": [4], "bias_shift": [2, 3, 4]}
NEURONS = {"neurons_blocked", "neurons_swapped", "neurons_duplicated"}


def test_every_operator_has_a_reference_and_changes_something() -> None:
    assert [each.__name__ for each in REFERENCES] == list(MUTATION_OPERATORS)
    x = torch.from_numpy(INPUTS)
    for operator in MUTATION_OPERATORS.values():
        for layer in operator.layers(NETWORK):
            fault = operator(1.0).fault(Site(NETWORK, layer), np.random.default_rng(layer))
            assert not torch.allclose(FaultyNetwork(NETWORK, fault)(x), NETWORK(x)), (operator, layer)


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda each: each.__name__)
def test_layers_of_an_operator(reference: Callable[..., None]) -> None:
    name = reference.__name__
    expected = LAYERS.get(name, [2, 3] if name in NEURONS else [2, 3, 4])
    assert MUTATION_OPERATORS[name].layers(NETWORK) == expected


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda each: each.__name__)
@settings(max_examples=12)
@given(strength=st.floats(0.01, 1.0), seed=st.integers(0, 2**32), place=st.integers(0, 2))
def test_operator_equals_its_definition(reference: Callable[..., None], strength: float, seed: int, place: int) -> None:
    operator = MUTATION_OPERATORS[reference.__name__]
    layers = operator.layers(NETWORK)
    layer, plain = layers[place % len(layers)], Plain()
    reference(plain, strength, layer, np.random.default_rng(seed))
    before = NETWORK(torch.from_numpy(INPUTS))
    fault = operator(strength).fault(Site(NETWORK, layer), np.random.default_rng(seed))
    found = FaultyNetwork(NETWORK, fault)(torch.from_numpy(INPUTS)).numpy()
    with np.errstate(all="ignore"):
        expected = np.array([plain.scores(x) for x in INPUTS.tolist()])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert torch.equal(before, NETWORK(torch.from_numpy(INPUTS)))


def test_capture_sees_the_fault_and_shares_of_ranges_do_not_lose_it() -> None:
    x = torch.from_numpy(INPUTS)
    rng = lambda: np.random.default_rng(1)
    blocked = FaultyNetwork(NETWORK, MUTATION_OPERATORS["neurons_blocked"](1.0).fault(Site(NETWORK, 3), rng()))
    values = capture(blocked, x)
    assert not values[3].v.any()
    assert torch.equal(values[2].v, capture(NETWORK, x)[2].v)
    assert blocked(x).tolist() == [BIASES[-1].tolist()] * 6
    assert torch.equal(blocked.run(x, last_layer=3), values[3].v)
    moved = FaultyNetwork(NETWORK, MUTATION_OPERATORS["input_mean"](0.5).fault(Site(NETWORK, 1), rng()))
    shares = torch.from_numpy(NETWORK.box.shares(INPUTS))
    torch.testing.assert_close(moved.in_shares()(shares), moved(x))
    assert not torch.allclose(moved(x), NETWORK(x))
    assert moved.to(dtype=torch.float32)(x).dtype == torch.float32


def test_channels_of_a_convolution_are_neurons() -> None:
    network = piecewise("branches with pooling")
    x = torch.rand(3, *network.input_shape, dtype=torch.float64)
    operator = MUTATION_OPERATORS["neurons_swapped"](1.0)
    fault = operator.fault(Site(network, 2), np.random.default_rng(0))
    before, after = (capture(each, x)[2] for each in (network, FaultyNetwork(network, fault)))
    channels = before.v.reshape(3, *before.shape)
    assert torch.equal(after.v.reshape(3, *after.shape), channels.flip(1))
    assert torch.equal(before.u, after.u)


def test_a_network_whose_scores_do_not_come_from_one_linear_layer_swaps_no_classes() -> None:
    module = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3), nn.LayerNorm(3))
    network = Network(module, (3,))
    assert MUTATION_OPERATORS["classes_swapped"].layers(network) == []
    assert MUTATION_OPERATORS["sign_flips"].layers(network) == [2, 3]
