"""Seeds by the distance of their decision, against one gradient at a time."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.features import FeaturePairs
from dnncov_core.generators.seed_order.gradient_ranking import CANDIDATES, GradientRanking
from dnncov_core.generators.seed_order.ranking import Pool, RankingParameters
from dnncov_core.networks.network import Network
from dnncov_core.records import Target
from tests.networks_for_tests import piecewise


def free_targets(network: Network) -> list[Target]:
    pairs = FeaturePairs(network.layers, network.edges, mode="free", omega=0.5)
    return [pair.target(i) for i, pair in enumerate(pairs)]


def pool_of(network: Network, n: int) -> tuple[Pool, np.ndarray]:
    inputs = np.random.default_rng(0).uniform(0, 1, (n, *network.input_shape))
    return Pool(n, lambda places: inputs[places]), inputs


def reference(network: Network, x: np.ndarray, layer: int, neuron: int) -> float:
    """|u| / ||grad_x u||_1 of one input."""
    x1 = torch.from_numpy(x)[None].requires_grad_()
    u = capture(network, x1, [layer])[layer].u[0, neuron]
    (gradient,) = torch.autograd.grad(u, x1)
    return float(u.detach().abs() / gradient.abs().sum())


def label_reference(network: Network, x: np.ndarray) -> float:
    x1 = torch.from_numpy(x)[None].requires_grad_()
    first, second = network(x1)[0].topk(2).values
    (gradient,) = torch.autograd.grad(first - second, x1)
    return float((first - second).detach() / gradient.abs().sum())


@pytest.mark.parametrize("name", ["mlp", "max pooling", "residual and cat"])
def test_order_of_a_small_pool_is_that_of_the_distances(name: str) -> None:
    network = piecewise(name)
    pool, inputs = pool_of(network, CANDIDATES)
    targets = [target for target in free_targets(network) if target.edge == network.edges[1]]
    ranking = GradientRanking(network, CRITERIA["ss"], pool, RankingParameters(5, 0, targets=targets))(targets)
    for target, ranked in zip(targets, ranking, strict=True):
        distances = [reference(network, x, target.decision_layer, *target.decision_neurons) for x in inputs]
        finite = np.nan_to_num(distances, nan=np.inf, posinf=np.inf)
        assert np.allclose(finite[ranked.places], np.sort(finite)[:5])
        assert ranked.passes == 2 * CANDIDATES + -(-CANDIDATES // len(targets))


def test_with_labels_the_larger_distance_counts() -> None:
    network = piecewise("mlp")
    pool, inputs = pool_of(network, CANDIDATES)
    targets = [target for target in free_targets(network) if target.edge == network.edges[1]]
    ranking = GradientRanking(network, CRITERIA["ss"], pool, RankingParameters(12, 0, labels=True, targets=targets))(
        targets
    )
    labels = [label_reference(network, x) for x in inputs]
    for target, ranked in zip(targets, ranking, strict=True):
        own = [reference(network, x, target.decision_layer, *target.decision_neurons) for x in inputs]
        both = np.maximum(np.nan_to_num(own, nan=np.inf, posinf=np.inf), labels)
        assert np.allclose(both[ranked.places], np.sort(both))


def test_seeds_that_would_have_to_change_their_sign_come_last() -> None:
    network = piecewise("mlp")
    pool, inputs = pool_of(network, 30)
    targets = [target for target in free_targets(network) if target.edge == network.edges[1]]
    method = CRITERIA["sv"].with_functions(VALUE_FUNCTIONS["upper_boundary"](d=5.0), VALUE_FUNCTIONS["any"]())
    ranking = GradientRanking(network, method, pool, RankingParameters(30, 0, targets=targets))(targets)
    for target, ranked in zip(targets, ranking, strict=True):
        u = capture(network, torch.from_numpy(inputs), [target.decision_layer])[target.decision_layer].u
        active = (u[:, target.decision_neurons[0]] >= 0).numpy()[ranked.places]
        assert active.tolist() == sorted(active.tolist(), reverse=True)


def test_a_decision_that_holds_already_leaves_the_order_to_the_condition() -> None:
    network = piecewise("mlp")
    pool, inputs = pool_of(network, 30)
    edge = network.edges[-1]
    pairs = FeaturePairs(network.layers, [edge])
    targets = [pair.target(i) for i, pair in enumerate(pairs)]
    small = VALUE_FUNCTIONS["norm"](d=1e-3, at_most=True)
    method = CRITERIA["sv"].with_functions(small, VALUE_FUNCTIONS["any"]())
    u = capture(network, torch.from_numpy(inputs), edge)[edge[0]].u.abs().numpy()
    ranking = GradientRanking(network, method, pool, RankingParameters(30, 0, targets=targets))(targets)
    for target, ranked in zip(targets, ranking, strict=True):
        assert ranked.places.tolist() == u[:, target.condition_neurons[0]].argsort(kind="stable").tolist()


def test_a_budget_for_few_seeds_ranks_seeds_from_the_whole_pool() -> None:
    network = piecewise("mlp")
    pool, _ = pool_of(network, 900)
    targets = [target for target in free_targets(network) if target.edge == network.edges[1]][:1]
    (ranked,) = GradientRanking(network, CRITERIA["ss"], pool, RankingParameters(99, 0, passes=40, targets=targets))(
        targets
    )
    assert sorted(ranked.places) == [90 * number for number in range(10)]


@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("passes", [12, 40, 400])
@pytest.mark.parametrize("some", [1, 4])
def test_ranking_spends_at_most_half_the_passes(labels: bool, passes: int, some: int) -> None:
    network = piecewise("mlp")
    pool, _ = pool_of(network, 900)
    targets = [target for target in free_targets(network) if target.edge == network.edges[1]][:some]
    wanted = RankingParameters(9, 0, labels=labels, passes=passes, targets=targets)
    for ranked in GradientRanking(network, CRITERIA["ss"], pool, wanted)(targets):
        assert 1 <= ranked.passes <= passes // 2
        assert len(ranked.places) >= 1


def test_a_target_is_ranked_the_same_alone_and_with_others() -> None:
    network = piecewise("max pooling")
    pool, _ = pool_of(network, 40)
    targets = [target for target in free_targets(network) if target.edge == network.edges[0]]
    ranking = GradientRanking(network, CRITERIA["ss"], pool, RankingParameters(9, 0, targets=targets))
    together = [ranked.places.tolist() for ranked in ranking(targets)]
    assert together == [ranking([target])[0].places.tolist() for target in targets]


def network_weight(network: Network, layer: int, i: int, j: int) -> float:
    """By how much the logit of class j grows with v of neuron i in the last hidden layer."""
    x, v = torch.zeros(2, *network.input_shape), torch.zeros(2, network.layers[layer - 1].neurons)
    v[1, i] = 1
    zero, one = network.run(x, given={layer: v.double()})[:, j]
    return float(one - zero)


@pytest.mark.parametrize("criterion", ["ss", "sv"])
def test_seeds_where_the_condition_moves_the_decision_the_wrong_way_come_last(criterion: str) -> None:
    network = piecewise("mlp")
    pool, inputs = pool_of(network, 30)
    pairs = FeaturePairs(network.layers, network.edges)
    targets = [pair.target(i) for i, pair in enumerate(pairs) if pair.decision.layer == network.depth][:12]
    method = dataclasses.replace(CRITERIA[criterion], effect="needed")
    ranking = GradientRanking(network, method, pool, RankingParameters(30, 0, targets=targets))(targets)
    values = capture(network, torch.from_numpy(inputs))
    seen = set()
    for target, ranked in zip(targets, ranking, strict=True):
        (i,), (j,) = target.condition_neurons, target.decision_neurons
        weight = network_weight(network, target.condition_layer, i, j)
        moved = torch.where(values[target.condition_layer].u[:, i] >= 0, -1, 1) * np.sign(weight)
        sign = torch.where(values[target.decision_layer].u[:, j] >= 0, 1, -1)
        right = (moved == (sign if criterion == "sv" else -sign)).numpy()[ranked.places]
        assert right.tolist() == sorted(right.tolist(), reverse=True)
        seen |= set(right.tolist())
    assert seen == {True, False}


def test_seeds_where_the_condition_is_off_come_last_among_the_candidates_of_a_value_change() -> None:
    network = piecewise("mlp")
    pool, inputs = pool_of(network, CANDIDATES)
    targets = [pair.target(i) for i, pair in enumerate(FeaturePairs(network.layers, network.edges))][:8]
    method = dataclasses.replace(CRITERIA["vs"], effect="needed")
    ranking = GradientRanking(network, method, pool, RankingParameters(CANDIDATES, 0, targets=targets))(targets)
    values, seen = capture(network, torch.from_numpy(inputs)), set()
    for target, ranked in zip(targets, ranking, strict=True):
        on = (values[target.condition_layer].u[:, target.condition_neurons[0]] >= 0).numpy()[ranked.places]
        assert on.tolist() == sorted(on.tolist(), reverse=True)
        seen |= set(on.tolist())
    assert seen == {True, False}
