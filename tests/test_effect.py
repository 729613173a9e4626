"""Effects of the condition feature, beside slow references from their definition."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, EFFECTS
from dnncov_core.criteria.value_functions import RatioChange
from dnncov_core.effect import effects, interventions, layers_for
from dnncov_core.features import FeaturePair
from dnncov_core.networks.network import Network
from dnncov_core.partitions import Feature
from dnncov_core.replay import Replay, replay
from tests import reference
from tests.networks_for_tests import mlp_of

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
