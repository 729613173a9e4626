"""Effects of the condition feature, beside slow references from their definition."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, EFFECTS
from dnncov_core.criteria.value_functions import RatioChange
from dnncov_core.effect import effects
from dnncov_core.features import FeaturePair
from dnncov_core.interventions import contributions, interventions, layers_for
from dnncov_core.networks.network import Network
from dnncov_core.partitions import Feature
from dnncov_core.replay import Replay, replay
from tests import reference
from tests.networks_for_tests import Fn, linear, mlp_of

SIZES = (3, 6, 5, 4)
WEIGHTS = [np.random.default_rng(n).normal(size=shape) for n, shape in enumerate(itertools.pairwise(SIZES))]
BIASES = [0.1 * np.random.default_rng(9 + n).normal(size=size) for n, size in enumerate(SIZES[1:])]


def doubled(u1: list[float], u2: list[float]) -> bool:
    """The value function `ratio` with sigma = 2."""
    return all(after / before >= 2 if before else after != 0 for before, after in zip(u1, u2, strict=True))


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(mlp_of(WEIGHTS, BIASES), (3,), bounds=(-2.0, 2.0))


def drawn(n: int) -> list[tuple[np.ndarray, np.ndarray, FeaturePair]]:
    """Pairs of inputs near each other, with feature pairs of one to three neurons."""
    rng, found = np.random.default_rng(3), []
    for _ in range(n):
        k = int(rng.integers(2, 4))
        i, j = (rng.choice(SIZES[at], int(rng.integers(1, 4)), replace=False).tolist() for at in (k - 1, k))
        x1 = rng.uniform(-2, 2, 3)
        found.append((x1, (x1 + rng.normal(size=3)).clip(-2, 2), FeaturePair(Feature(k, (*i,)), Feature(k + 1, (*j,)))))
    return found


@pytest.mark.parametrize("key", ["ss", "vs", "sv", "vv"])
def test_effects_are_those_of_the_definition(network: Network, key: str) -> None:
    method = dataclasses.replace(CRITERIA[key], g2=RatioChange(sigma=2.0))
    seen = {"needed": set[bool](), "sufficient": set[bool]()}
    for x1, x2, pair in drawn(200):
        u1, u2 = (reference.forward(x, WEIGHTS, BIASES) for x in (x1, x2))
        k, condition, decision = pair.condition.layer - 2, pair.condition.neurons, pair.decision.neurons
        back = reference.put(u2[k], u1[k], condition, WEIGHTS[k + 1], BIASES[k + 1])
        alone = reference.put(u1[k], u2[k], condition, WEIGHTS[k + 1], BIASES[k + 1])
        effect = Replay(network, method, x1, x2).effect(pair)
        assert effect.needed == reference.needed(key, u1[k + 1], back, decision, doubled)
        assert effect.sufficient == reference.sufficient(key, u1[k + 1], alone, decision, doubled)
        assert effect.share == pytest.approx(reference.share(u1[k + 1], u2[k + 1], back, decision))
        seen["needed"].add(effect.needed)
        seen["sufficient"].add(effect.sufficient)
    assert all(both == {True, False} for both in seen.values())


@pytest.mark.parametrize("asked", list(EFFECTS))
def test_a_method_that_asks_for_an_effect_covers_only_with_it(network: Network, asked: str) -> None:
    plain, covered = CRITERIA["ss"], set[tuple[bool, bool]]()
    method = dataclasses.replace(plain, effect=asked)
    rng = np.random.default_rng(1)
    for _ in range(1500):
        x1 = rng.uniform(-2, 2, 3)
        x2 = (x1 + 0.4 * rng.normal(size=3)).clip(-2, 2)
        replayed = Replay(network, plain, x1, x2)
        for i, j in [(i, j) for i in replayed.changed(3) for j in range(4)][:4]:
            pair = FeaturePair(Feature(3, (i,)), Feature(4, (j,)))
            effect, holds = replayed.effect(pair), replayed.covers(pair)
            wanted = {"needed": effect.needed, "sufficient": effect.sufficient}
            met = all(wanted.values()) if asked == "both" else wanted.get(asked, True)
            assert replay(network, method, pair, x1, x2) == (holds and met)
            covered |= {(holds, met)}
    assert covered >= {(True, True), (False, True)}
    assert asked == "none" or (True, False) in covered


def test_a_free_feature_is_put_back_whole(network: Network) -> None:
    method, rng = CRITERIA["ss"], np.random.default_rng(2)
    for _ in range(50):
        x1, x2 = rng.uniform(-2, 2, (2, 3))
        replayed = Replay(network, method, x1, x2)
        free = FeaturePair(Feature(2, (), 6), Feature(3, (1,)))
        named = FeaturePair(Feature(2, replayed.changed(2)), Feature(3, (1,)))
        assert replayed.effect(free) == replayed.effect(named)


def test_a_batch_has_the_effects_of_each_of_its_pairs(network: Network) -> None:
    pair, method = FeaturePair(Feature(2, (0, 3)), Feature(3, (2,))), CRITERIA["ss"]
    x1, x2 = (torch.from_numpy(x) for x in np.random.default_rng(4).uniform(-2, 2, (2, 30, 3)))
    before, after = (capture(network, x, layers_for(network, pair)) for x in (x1, x2))
    found = effects(method, pair, before, after, interventions(network, pair, x1, x2, before, after))
    for b in range(30):
        alone = Replay(network, method, x1[b].numpy(), x2[b].numpy()).effect(pair)
        assert (bool(found.needed[b]), bool(found.sufficient[b])) == (alone.needed, alone.sufficient)
        assert float(found.share[b]) == pytest.approx(alone.share)


def test_what_neurons_carry_adds_up_to_the_change(network: Network) -> None:
    for x1, x2, pair in drawn(100):
        (a, b), k, condition = (reference.forward(x, WEIGHTS, BIASES) for x in (x1, x2)), *place_of(pair)
        decision = list(pair.decision.neurons)
        carried = {
            i: [WEIGHTS[k + 1][i, j] * (reference.relu(b[k][i]) - reference.relu(a[k][i])) for j in decision]
            for i in range(SIZES[k + 1])
        }
        own = np.sum([carried.pop(i) for i in condition], axis=0)
        towards = [math.copysign(1, b[k + 1][j] - a[k + 1][j]) for j in decision]
        order = sorted(carried, key=lambda i: -abs(np.dot(towards, carried[i])))
        largest = [i for i in order if any(carried[i])][:2]
        neurons, others = contributions(network, pair, x1, x2, most=2)
        change = Replay(network, CRITERIA["ss"], x1, x2).decision_change(pair)
        assert change.u2 - change.put_back == pytest.approx(own)
        assert neurons == tuple(largest)
        assert others == pytest.approx(np.array([carried[i] for i in largest]).reshape(-1, len(decision)))
        left = [carried[i] for i in carried if i not in largest]
        rest = change.put_back - change.u1 - others.sum(axis=0)
        assert rest == pytest.approx(np.sum(left, axis=0) if left else np.zeros(len(decision)))


def place_of(pair: FeaturePair) -> tuple[int, tuple[int, ...]]:
    """The condition layer's place among layers 2..K, and its neurons."""
    return pair.condition.layer - 2, pair.condition.neurons


@pytest.fixture(scope="module")
def pooled() -> Network:
    """Layer 4 takes the larger of each two neurons of layer 2, and layer 3."""

    def forward(m: torch.nn.ModuleList, x: torch.Tensor) -> torch.Tensor:
        y, z = m[0](x).relu(), m[1](x).relu()
        y = torch.nn.functional.max_pool2d(y[:, None, None], (1, 2))[:, 0, 0]
        return m[3](m[2](torch.cat([y, z], dim=1)).relu())

    layers = [
        linear(np.random.default_rng(n).normal(size=size)) for n, size in enumerate(((3, 8), (3, 2), (6, 4), (4, 2)))
    ]
    return Network(Fn(forward, *layers), (3,), bounds=(-2.0, 2.0))


def test_behind_a_pooling_and_beside_another_layer_the_rest_is_what_neurons_alone_do_not_carry(pooled: Network) -> None:
    first, second, third = (
        np.random.default_rng(n).normal(size=size) for n, size in enumerate(((3, 8), (3, 2), (6, 4)))
    )
    pair, rng = FeaturePair(Feature(2, (1,)), Feature(4, (2,))), np.random.default_rng(5)

    def u(y: np.ndarray, z: np.ndarray) -> float:
        winners = [max(y[2 * i], y[2 * i + 1]) for i in range(4)]
        return float(sum(w * third[n, 2] for n, w in enumerate([*winners, *z])))

    for _ in range(50):
        x1, x2 = rng.uniform(-2, 2, (2, 3))
        (y1, z1), (y2, z2) = ([np.maximum(x @ w, 0) for w in (first, second)] for x in (x1, x2))
        carried = [u(y2, z2) - u(np.where(np.arange(8) == i, y1, y2), z2) for i in range(8)]
        found = Replay(pooled, CRITERIA["ss"], x1, x2).decision_change(pair)
        assert found.u2 - found.put_back == pytest.approx([carried[1]])
        assert found.others[:, 0] == pytest.approx([carried[i] for i in found.neurons])
        shown = sum(carried[i] for i in (1, *found.neurons))
        assert found.put_back - found.u1 - found.others.sum(axis=0) == pytest.approx([u(y2, z2) - u(y1, z1) - shown])
