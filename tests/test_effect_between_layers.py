"""Effects through convolutions, poolings and branches: beside an own forward pass, and what always holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.value_functions import RatioChange
from dnncov_core.effect import Effects, effects
from dnncov_core.features import FeaturePair
from dnncov_core.interventions import interventions
from dnncov_core.networks.network import Network
from dnncov_core.partitions import Feature
from dnncov_core.replay import Replay
from tests import reference

SIDE = 4
Values = dict[int, np.ndarray]
Between = Callable[..., np.ndarray]


class Pooled(nn.Module):
    """A convolution, a max pooling and a convolution, and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 3, 3, padding=1), nn.Conv2d(3, 2, 3, padding=1)
        self.last = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        v = torch.max_pool2d(torch.relu(self.first(x)), 2)
        return self.last(torch.relu(self.second(v)).flatten(1))

    def between(self) -> Mapping[int, tuple[Sequence[int], Between]]:
        return {
            2: ((1,), lambda x: convolved(x.reshape(1, SIDE, SIDE), self.first)),
            3: ((2,), lambda v: convolved(pooled(v.reshape(3, SIDE, SIDE)), self.second)),
            4: ((3,), lambda v: weighted(v, self.last)),
        }


class Branched(nn.Module):
    """A residual block: both the first and the second layer feed the third."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 2, 3, padding=1), nn.Conv2d(2, 2, 3, padding=1)
        self.third, self.last = nn.Conv2d(2, 2, 3, padding=1), nn.Linear(32, 3)

    def forward(self, x: Tensor) -> Tensor:
        v = torch.relu(self.first(x))
        block = torch.relu(self.third(v + torch.relu(self.second(v))))
        return self.last(block.flatten(1))

    def between(self) -> Mapping[int, tuple[Sequence[int], Between]]:
        def image(v: np.ndarray) -> np.ndarray:
            return v.reshape(2, SIDE, SIDE)

        return {
            2: ((1,), lambda x: convolved(x.reshape(1, SIDE, SIDE), self.first)),
            3: ((2,), lambda v: convolved(image(v), self.second)),
            4: ((2, 3), lambda v2, v3: convolved(image(v2) + image(v3), self.third)),
            5: ((4,), lambda v: weighted(v, self.last)),
        }


def convolved(v: np.ndarray, layer: nn.Conv2d) -> np.ndarray:
    """A convolution by 3x3 with padding 1, one output at a time."""
    weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()  # type: ignore[union-attr]
    padded = np.pad(v, ((0, 0), (1, 1), (1, 1)))
    height, width = v.shape[1:]
    u = [
        bias[o]
        + sum(weight[o, c, a, b] * padded[c, r + a, s + b] for c in range(len(v)) for a in range(3) for b in range(3))
        for o in range(len(weight))
        for r in range(height)
        for s in range(width)
    ]
    return np.array(u)


def pooled(v: np.ndarray) -> np.ndarray:
    """A max pooling by 2x2."""
    rows, columns = range(0, v.shape[1], 2), range(0, v.shape[2], 2)
    return np.array([[[channel[r : r + 2, s : s + 2].max() for s in columns] for r in rows] for channel in v])


def weighted(v: np.ndarray, layer: nn.Linear) -> np.ndarray:
    """A linear layer."""
    found: np.ndarray = layer.weight.detach().numpy() @ v + layer.bias.detach().numpy()
    return found


MODULES: dict[str, type[Pooled] | type[Branched]] = {"pooled": Pooled, "branched": Branched}


@cache
def made(name: str) -> tuple[Network, Mapping[int, tuple[Sequence[int], Between]]]:
    torch.manual_seed(3)
    module = MODULES[name]().double()
    return Network(module, (1, SIDE, SIDE), bounds=(-2.0, 2.0)), module.between()


def slow_forward(between: Mapping[int, tuple[Sequence[int], Between]], x: np.ndarray) -> tuple[Values, Values]:
    """u and v of each layer; v of layer 1 is x."""
    u: Values = {}
    v = {1: x.ravel()}
    for layer, (sources, evaluate) in between.items():
        u[layer] = evaluate(*(v[source] for source in sources))
        v[layer] = np.maximum(u[layer], 0)
    return u, v


def put(
    between: Mapping[int, tuple[Sequence[int], Between]], pair: FeaturePair, values: Values, other: Values
) -> np.ndarray:
    """u of the decision layer with ``values`` of v, but the condition's neurons of ``other``."""
    sources, evaluate = between[pair.decision.layer]
    condition = values[pair.condition.layer].copy()
    for i in pair.condition.neurons:
        condition[i] = other[pair.condition.layer][i]
    return evaluate(*(condition if source == pair.condition.layer else values[source] for source in sources))


def drawn(network: Network, seed: int) -> tuple[np.ndarray, np.ndarray, FeaturePair]:
    """A pair of inputs near each other, with features of up to eight and up to two neurons."""
    rng = np.random.default_rng(seed)
    k, layer = network.edges[int(rng.integers(len(network.edges)))]
    sizes = ((k, int(rng.integers(1, 9))), (layer, int(rng.integers(1, 3))))
    i, j = (rng.choice(network.layers[at - 1].neurons, n, replace=False).tolist() for at, n in sizes)
    x1 = rng.uniform(-2, 2, network.input_shape)
    x2 = (x1 + rng.choice([0.3, 1]) * rng.normal(size=x1.shape)).clip(-2, 2)
    return x1, x2, FeaturePair(Feature(k, (*i,)), Feature(layer, (*j,)))


def doubled(u1: Sequence[float], u2: Sequence[float]) -> bool:
    """The value function `ratio` with sigma = 2."""
    return all(after / before >= 2 if before else after != 0 for before, after in zip(u1, u2, strict=True))


@pytest.mark.parametrize("name", MODULES)
def test_the_reference_is_the_network(name: str) -> None:
    network, between = made(name)
    x = drawn(network, 0)[0]
    u, _ = slow_forward(between, x)
    for layer, values in capture(network, torch.from_numpy(x)[None]).items():
        assert np.allclose(values.u[0].numpy(), u[layer])


@pytest.mark.parametrize("key", ["ss", "sv"])
@pytest.mark.parametrize("name", MODULES)
def test_effects_are_those_of_the_definition(name: str, key: str) -> None:
    network, between = made(name)
    method = dataclasses.replace(CRITERIA[key], g2=RatioChange(sigma=2.0))
    seen = {"needed": set[bool](), "sufficient": set[bool]()}
    for number in range(150):
        x1, x2, pair = drawn(network, number)
        (u1, v1), (u2, v2) = (slow_forward(between, x) for x in (x1, x2))
        layer, decision = pair.decision.layer, pair.decision.neurons
        back, alone = put(between, pair, v2, v1), put(between, pair, v1, v2)
        effect = Replay(network, method, x1, x2).effect(pair)
        assert effect.needed == reference.needed(key, u1[layer], back, decision, doubled)
        assert effect.sufficient == reference.sufficient(key, u1[layer], alone, decision, doubled)
        assert effect.share == pytest.approx(reference.share(u1[layer], u2[layer], back, decision), abs=1e-9)
        seen["needed"].add(effect.needed)
        seen["sufficient"].add(effect.sufficient)
    assert all(both == {True, False} for both in seen.values())


@given(number=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_units_that_do_not_reach_the_decision_do_not_matter(number: int) -> None:
    network, _ = made("branched")
    x1, x2 = (torch.from_numpy(x)[None] for x in drawn(network, number)[:2])
    rng = np.random.default_rng(number)
    (row, column), (out, i), k = rng.integers(SIDE, size=2), rng.integers((2, 2 * SIDE**2)), int(rng.integers(2, 4))
    pair = FeaturePair(Feature(k, (int(i),)), Feature(4, (int(SIDE**2 * out + SIDE * row + column),)))
    places = np.indices((2, SIDE, SIDE)).reshape(3, -1)
    far = torch.from_numpy((abs(places[1] - row) > 1) | (abs(places[2] - column) > 1))
    before, after = (capture(network, x, [2, 3, 4]) for x in (x1, x2))

    def effects_now() -> Effects:
        return effects(CRITERIA["ss"], pair, before, after, interventions(network, pair, x1, x2, before, after))

    plain = effects_now()
    assert not far[int(i)] or float(plain.share) == pytest.approx(0, abs=1e-12)
    for values in (before, after):
        for source in (2, 3):
            values[source].v[:, far] = torch.from_numpy(rng.normal(size=int(far.sum())))
    other = effects_now()
    assert (plain.needed, plain.sufficient) == (other.needed, other.sufficient)
    assert float(plain.share) == pytest.approx(float(other.share), abs=1e-12)


@given(number=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_a_whole_layer_put_back_is_x1_and_alone_is_x2(number: int) -> None:
    network, _ = made("pooled")
    x1, x2, pair = drawn(network, number)
    k, layer = pair.condition.layer, pair.decision.layer
    whole = FeaturePair(Feature(k, tuple(range(network.layers[k - 1].neurons))), pair.decision)
    replayed = Replay(network, CRITERIA["ss"], x1, x2)
    found = replayed.interventions(whole)
    assert torch.equal(found.put_back[layer].u, replayed.before[layer].u)
    assert torch.equal(found.alone[layer].u, replayed.after[layer].u)


@given(number=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_shares_of_single_neurons_add_up_to_one_where_nothing_bends_between(number: int) -> None:
    network, _ = made("branched")
    x1, x2, pair = drawn(network, number)
    replayed = Replay(network, CRITERIA["ss"], x1, x2)
    sources = network.graph.sources[pair.decision.layer]
    neurons = [Feature(k, (i,)) for k in sources for i in range(network.layers[k - 1].neurons)]
    shares = [replayed.effect(FeaturePair(condition, pair.decision)).share for condition in neurons]
    assert sum(share or 0.0 for share in shares) == pytest.approx(1)
