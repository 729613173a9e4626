"""The targeted search on small networks of each kind, against the network itself."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA
from dnncov_core.effect import effects
from dnncov_core.features import FeaturePair, FeaturePairs
from dnncov_core.generators import GRIDS
from dnncov_core.generators.base import Found, Seed
from dnncov_core.generators.targeted_search import TargetedSearch
from dnncov_core.interventions import interventions
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.replay import replay
from tests.generators.test_batched_search import parameters
from tests.networks_for_tests import piecewise

NETWORKS = ["mlp", "leaky", "relu6", "max pooling", "residual and cat"]


def found_by(
    network: Network, criterion: str, mode: str, omega: float, n: int = 8, effect: str = "none", **changes: object
) -> list[tuple[FeaturePair, Found]]:
    """What the search finds for pairs of one kind, all with the same 30 seeds."""
    pairs = FeaturePairs(network.layers, network.edges, mode=mode, omega=omega)
    kinds = itertools.groupby(pairs, key=kind)
    chosen = list(next(group for _, group in kinds))[:n]
    inputs = seeds_of(network)
    targets = [pair.target(i) for i, pair in enumerate(chosen)]
    method = dataclasses.replace(CRITERIA[criterion], effect=effect)
    search = TargetedSearch(network, method, parameters(**{"passes": 600, "batch": 8, **changes}))
    found = search.run(targets, lambda some: [[Seed(row, x) for row, x in enumerate(inputs)] for _ in some])
    return list(zip(chosen, found, strict=True))


def seeds_of(network: Network) -> np.ndarray:
    low, high = network.bounds
    return low + (high - low) * np.random.default_rng(1).integers(0, 256, (30, *network.input_shape)) / 255


def kind(pair: FeaturePair) -> tuple[int, ...]:
    """What the pairs of a batch have in common."""
    condition, decision = pair.condition, pair.decision
    return condition.layer, decision.layer, len(condition.neurons), len(decision.neurons)


def passes(found: Found) -> int:
    return sum(attempt.passes or 0 for attempt in found.attempts)


def random_covers(
    network: Network, criterion: str, pairs: list[FeaturePair], n: int = 20_000, effect: str = "none"
) -> list[bool]:
    """Which pairs some of n random steps from the same seeds cover, with an effect."""
    rng, inputs = np.random.default_rng(5), seeds_of(network)
    x1 = inputs[rng.integers(0, len(inputs), n)]
    low, high = network.bounds
    sizes = (high - low) * rng.choice([0.01, 0.03, 0.1, 0.3, 1.0], (n, *[1] * (x1.ndim - 1)))
    x2 = (x1 + rng.normal(size=x1.shape) * sizes).clip(low, high)
    before, after = (capture(network, torch.from_numpy(x)) for x in (x1, x2))

    def shown(pair: FeaturePair) -> Tensor:
        made = interventions(network, pair, torch.from_numpy(x1), torch.from_numpy(x2), before, after)
        return effects(CRITERIA[criterion], pair, before, after, made).meet(effect)

    return [bool((CRITERIA[criterion].holds(pair, before, after) & shown(pair)).any()) for pair in pairs]


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(
    ("criterion", "mode"),
    [("ss", "free"), ("sv", "free"), ("ss", "neuron"), ("sv", "neuron"), ("vs", "neuron"), ("vv", "fixed")],
)
def test_covers_what_thousands_of_random_steps_cover(name: str, criterion: str, mode: str) -> None:
    network = piecewise(name, bounds=(-3.0, 3.0))
    found = found_by(network, criterion, mode, 0.6 if mode == "free" else 0.4)
    by_chance = random_covers(network, criterion, [pair for pair, _ in found])
    held = [each.x2 is not None for _, each in found]
    assert sum(held) >= (0.8 if mode == "free" else 0.5) * sum(by_chance)
    for pair, each in found:
        assert passes(each) <= 600
        if each.x2 is not None and each.seed is not None:
            assert replay(network, CRITERIA[criterion], pair, each.seed.x, each.x2)
            assert each.x2.dtype == each.seed.x.dtype
            assert network.bounds[0] <= each.x2.min() <= each.x2.max() <= network.bounds[1]


@pytest.mark.parametrize("name", ["mlp", "max pooling", "residual and cat"])
@pytest.mark.parametrize(
    ("criterion", "mode", "effect"),
    [("ss", "neuron", "needed"), ("sv", "neuron", "both"), ("ss", "free", "needed"), ("vs", "neuron", "needed")],
)
def test_covers_with_the_effect_what_random_steps_cover_with_it(
    name: str, criterion: str, mode: str, effect: str
) -> None:
    network = piecewise(name, bounds=(-3.0, 3.0))
    found = found_by(network, criterion, mode, 0.6 if mode == "free" else 0.4, effect=effect)
    by_chance = random_covers(network, criterion, [pair for pair, _ in found], 4000, effect)
    assert sum(each.x2 is not None for _, each in found) >= 0.5 * sum(by_chance)
    method = dataclasses.replace(CRITERIA[criterion], effect=effect)
    for pair, each in found:
        assert passes(each) <= 600
        if each.x2 is not None and each.seed is not None:
            assert replay(network, method, pair, each.seed.x, each.x2)


@pytest.mark.parametrize("name", ["leaky", "residual and cat"])
def test_on_the_grid_x2_is_an_image(name: str) -> None:
    held = [each for _, each in found_by(piecewise(name), "ss", "free", 0.6, grid=GRIDS["8bit"]) if each.x2 is not None]
    assert len(held) >= 2
    for each in held:
        assert each.x2 is not None
        assert np.array_equal(GRIDS["8bit"].nearest(each.x2), each.x2)


def test_smaller_steps_than_where_the_condition_breaks() -> None:
    """Half of each step no longer covers: the line search took it back as far as it could, to a few per cent."""
    network = piecewise("mlp", bounds=(-3.0, 3.0))
    halves = []
    for pair, each in found_by(network, "ss", "free", 1.0, n=5):
        if each.x2 is not None and each.seed is not None:
            half = each.seed.x + (each.x2 - each.seed.x) / 2
            halves.append(replay(network, CRITERIA["ss"], pair, each.seed.x, half))
    assert halves
    assert not any(halves)


@pytest.mark.parametrize("name", ["leaky", "relu6", "residual and cat"])
def test_other_labels_within_the_bound(name: str) -> None:
    network = piecewise(name, bounds=(-3.0, 3.0))
    plain = found_by(network, "ss", "free", 0.6)
    asked = found_by(network, "ss", "free", 0.6, objective="adversarial", bound=2.0)
    assert covered(asked) == changed(network, asked) >= max(1, changed(network, plain))
    preferred = found_by(network, "ss", "free", 0.6, objective="prefer", bound=2.0)
    assert changed(network, preferred) == changed(network, asked)
    assert covered(preferred) >= covered(plain) - 1
    for _, each in [*asked, *preferred]:
        if each.x2 is not None and each.seed is not None and Oracle().judge(network, each.seed.x, each.x2).adversarial:
            assert np.abs(each.x2 - each.seed.x).max() <= 2.0 + 1e-12


def covered(found: list[tuple[FeaturePair, Found]]) -> int:
    return sum(each.x2 is not None for _, each in found)


def changed(network: Network, found: list[tuple[FeaturePair, Found]]) -> int:
    return sum(
        Oracle().judge(network, each.seed.x, each.x2).adversarial
        for _, each in found
        if each.x2 is not None and each.seed is not None
    )


def test_the_same_batch_gives_the_same_result() -> None:
    first, second = (found_by(piecewise("max pooling", bounds=(-3.0, 3.0)), "ss", "free", 0.6) for _ in range(2))
    for (_, one), (_, other) in zip(first, second, strict=True):
        assert (one.x2 is None) == (other.x2 is None)
        if one.x2 is not None and other.x2 is not None:
            assert np.array_equal(one.x2, other.x2)


def test_a_small_budget_is_kept() -> None:
    for _, each in found_by(piecewise("mlp"), "ss", "neuron", 0.1, passes=9):
        assert passes(each) <= 9


def test_networks_in_half_precision_are_searched_in_single_precision_and_asked_in_their_own() -> None:
    torch.manual_seed(0)
    network = Network(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3)).half(), input_shape=(4,))
    pairs = FeaturePairs(network.layers, network.edges)
    seeds = [Seed(row, x.astype(np.float16)) for row, x in enumerate(seeds_of(network))]
    search = TargetedSearch(network, CRITERIA["ss"], parameters(passes=600, batch=8))
    found = list(search.run([pair.target(i) for i, pair in enumerate(pairs)], lambda some: [seeds for _ in some]))
    witnesses = [(pair, each) for pair, each in zip(pairs, found, strict=True) if each.seed is not None]
    assert witnesses
    for pair, each in witnesses:
        assert each.x2.dtype == np.float16
        assert replay(network, CRITERIA["ss"], pair, each.seed.x, each.x2)
