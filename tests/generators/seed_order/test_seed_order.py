"""Orders of seeds: at random as in the paper, or by a lower bound on the distance that the programme needs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core.criteria import CRITERIA
from dnncov_core.features import FeaturePair, FeaturePairs
from dnncov_core.generators.base import Seed
from dnncov_core.generators.seed_order.orders import SEED_ORDERS
from dnncov_core.generators.seed_order.programme_ranking import ProgrammeRanking
from dnncov_core.generators.seed_order.ranking import Pool, Ranking, RankingParameters
from dnncov_core.networks.network import Network
from dnncov_core.records import Outcome, Target
from tests.builders import search as search_of
from tests.networks_for_tests import piecewise

N = 40


def pool_of(network: Network, n: int = N, seed: int = 0) -> tuple[Pool, np.ndarray]:
    inputs = np.random.default_rng(seed).uniform(*network.bounds, (n, *network.input_shape))
    return Pool(n, lambda places: inputs[places]), inputs


def places(ranking: Ranking, target: Target) -> list[int]:
    (ranked,) = ranking([target])
    assert ranked.passes == 0
    found: list[int] = ranked.places.tolist()
    return found


@pytest.mark.parametrize("name", SEED_ORDERS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_contract(name: str, criterion: str) -> None:
    network = piecewise("mlp", bounds=(-3.0, 3.0))
    pool, _ = pool_of(network)
    pairs = FeaturePairs(network.layers, network.edges)
    rankings = [
        SEED_ORDERS[name].prepare(network, CRITERIA[criterion], pool, RankingParameters(most, random_seed=3))
        for most in (7, 7, 100)
    ]
    for ordinal in (0, 11, len(pairs) - 1):
        target = pairs[ordinal].target(ordinal)
        first, again, every = (places(ranking, target) for ranking in rankings)
        assert first == again == every[:7]
        assert sorted(every) == list(range(N))


def test_random_depends_on_random_seed_and_target() -> None:
    network = piecewise("mlp")
    pool, _ = pool_of(network)
    pairs = FeaturePairs(network.layers, network.edges)
    drawn = {
        (seed, ordinal): tuple(
            places(
                SEED_ORDERS["random"].prepare(network, CRITERIA["ss"], pool, RankingParameters(9, random_seed=seed)),
                pairs[ordinal].target(ordinal),
            )
        )
        for seed in (0, 1)
        for ordinal in (0, 1)
    }
    assert len(set(drawn.values())) == 4


@pytest.mark.parametrize("name", ["mlp", "leaky", "relu6", "max pooling", "residual and cat"])
@pytest.mark.parametrize(("criterion", "effect"), [("ss", "none"), ("sv", "none"), ("ss", "needed"), ("sv", "both")])
def test_weighed_bound_is_never_above_the_optimum(name: str, criterion: str, effect: str) -> None:
    network = piecewise(name, bounds=(-3.0, 3.0))
    pool, inputs = pool_of(network)
    method = dataclasses.replace(CRITERIA[criterion], effect=effect)
    nearest = ProgrammeRanking(network, method, pool, N)
    search = search_of("lp", network, method)
    pairs = FeaturePairs(network.layers, network.edges)
    compared = 0
    for ordinal in range(0, len(pairs), max(1, len(pairs) // 6)):
        target = pairs[ordinal].target(ordinal)
        best = places(nearest, target)[:6]
        (bounds,) = nearest._weighed_bounds([target], np.array([best]))
        for place, bound in zip(best, bounds.tolist(), strict=True):
            attempt, _ = search.attempt(FeaturePair.of(target), Seed(place, inputs[place]))
            if attempt.objective is not None:
                compared += 1
                assert bound <= attempt.objective * (1 + 1e-4) + 1e-5
    assert compared >= (5 if effect == "none" else 1)


@pytest.mark.parametrize("criterion", ["ss", "vs", "sv", "vv"])
@pytest.mark.parametrize("effect", ["needed", "sufficient"])
def test_seeds_from_which_a_condition_has_no_effect_come_last_and_have_no_solution(criterion: str, effect: str) -> None:
    network = piecewise("mlp", bounds=(-3.0, 3.0))
    pool, inputs = pool_of(network)
    method = dataclasses.replace(CRITERIA[criterion], effect=effect)
    nearest, search = ProgrammeRanking(network, method, pool, N), search_of("lp", network, method)
    pairs = FeaturePairs(network.layers, network.edges)
    without = 0
    for ordinal in range(0, len(pairs), 9):
        target = pairs[ordinal].target(ordinal)
        hopeless = set(np.flatnonzero(nearest._without_effect(target)).tolist())
        order = places(nearest, target)
        constant = np.isinf(nearest._distances(target.decision_layer, target.decision_neurons[0]))
        last = hopeless.union(np.flatnonzero(constant).tolist())
        assert hopeless <= set(order[N - len(last) :])
        without += len(hopeless)
        for place in list(hopeless)[:4]:
            assert (
                search.attempt(FeaturePair.of(target), Seed(place, inputs[place]))[0].outcome is Outcome.INFEASIBLE_HERE
            )
    assert without >= 20


def test_where_another_label_is_wanted_the_larger_of_both_bounds_counts() -> None:
    network = piecewise("leaky", bounds=(-3.0, 3.0))
    pool, inputs = pool_of(network)
    alone = ProgrammeRanking(network, CRITERIA["ss"], pool, N)
    both = ProgrammeRanking(network, CRITERIA["ss"], pool, N, labels=True)
    target = FeaturePairs(network.layers, network.edges)[3].target(3)
    (bounds,) = alone._weighed_bounds([target], np.arange(N)[None])
    lead = []
    for x in inputs:
        x1 = torch.from_numpy(x)[None].requires_grad_()
        first, second = network(x1)[0].topk(2).values
        (gradient,) = torch.autograd.grad(first - second, x1)
        lead.append(float((first - second).detach() / gradient.abs().sum()))
    assert places(both, target) == np.argsort(np.maximum(bounds, lead), kind="stable").tolist()
    assert places(both, target) != places(alone, target)


def test_nearest_needs_fewer_attempts_and_less_distance_than_random() -> None:
    network = piecewise("mlp", bounds=(-3.0, 3.0))
    pool, inputs = pool_of(network, 200)
    search = search_of("lp", network, CRITERIA["ss"])
    pairs = FeaturePairs(network.layers, network.edges)
    spent: dict[str, tuple[int, float]] = {}
    for name, order in SEED_ORDERS.items():
        ranking = order.prepare(network, CRITERIA["ss"], pool, RankingParameters(41, random_seed=0))
        attempts, distances = 0, []
        for ordinal in range(len(pairs)):
            for place in places(ranking, pairs[ordinal].target(ordinal)):
                attempts += 1
                attempt, _ = search.attempt(pairs[ordinal], Seed(place, inputs[place]))
                if attempt.outcome is Outcome.FOUND:
                    distances.append(attempt.objective or 0.0)
                    break
        spent[name] = attempts, float(np.mean(distances))
    assert spent["nearest"][0] <= spent["random"][0]
    assert spent["nearest"][1] < 0.5 * spent["random"][1]


def test_a_network_that_is_not_piecewise_linear_is_ranked_too() -> None:
    network = Network(
        nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.Linear(4, 4), nn.Sigmoid(), nn.Linear(4, 2)), (3,)
    )
    pool, _ = pool_of(network)
    pairs = FeaturePairs(network.layers, network.edges)
    ranking = SEED_ORDERS["nearest"].prepare(network, CRITERIA["ss"], pool, RankingParameters(5, random_seed=0))
    assert len(set(places(ranking, pairs[3].target(3)))) == 5
