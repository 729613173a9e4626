"""Rows that ask for an effect: beside slow references, by brute force, and on every kind of network."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.value_function_base import HalfSpace
from dnncov_core.criteria.value_functions import (
    AbsoluteChange,
    AnyChange,
    NormChange,
    RatioChange,
    SymmetricRatioChange,
)
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePair, FeaturePairs
from dnncov_core.generators import GRIDS
from dnncov_core.generators.base import Seed
from dnncov_core.generators.effect_rows import ways_to_fail
from dnncov_core.generators.lp_search import LinearProgramSearch
from dnncov_core.generators.papers_programme import PapersProgramme
from dnncov_core.generators.programme import LinearCondition
from dnncov_core.generators.row_generation import RowGeneration
from dnncov_core.interventions import interventions, layers_for
from dnncov_core.networks.network import Network
from dnncov_core.records import Outcome
from dnncov_core.replay import Replay
from tests import reference
from tests.builders import search as search_of
from tests.networks_for_tests import PIECEWISE, mlp_of, piecewise, random_mlp

MARGIN = 1e-4
EFFECTS = ("needed", "sufficient", "both")
METHODS = [
    CRITERIA["ss"],
    CRITERIA["vs"].with_functions(AbsoluteChange(0.2), AnyChange()),
    CRITERIA["sv"].with_functions(SymmetricRatioChange(1.5), AnyChange()),
    CRITERIA["vv"].with_functions(NormChange(0.2, "1"), AbsoluteChange(0.1)),
]
SIZES = (3, 6, 5, 4)
WEIGHTS = [np.random.default_rng(n).normal(size=shape) for n, shape in enumerate(itertools.pairwise(SIZES))]
BIASES = [0.1 * np.random.default_rng(9 + n).normal(size=size) for n, size in enumerate(SIZES[1:])]

Asked = tuple[LinearProgramSearch, FeaturePair, np.ndarray]


def asked(network: Network, effect: str, n: int, seed: int = 0, **options: object) -> Iterator[Asked]:
    """Random feature pairs from random inputs, all four covering methods in turn."""
    rng, pairs = np.random.default_rng(seed), FeaturePairs(network.layers, network.edges, **options)
    searches = [search_of("lp", network, dataclasses.replace(method, effect=effect)) for method in METHODS]
    for place in range(n):
        pair = pairs[int(rng.integers(len(pairs)))]
        yield searches[place % 4], pair, rng.uniform(*network.bounds, network.input_shape)


def rooms(network: Network, condition: LinearCondition, x2: np.ndarray) -> list[float]:
    """By how much an input keeps each row."""
    u = {k: layer.u[0].tolist() for k, layer in capture(network, torch.from_numpy(x2)[None]).items()}
    sums = [sum(c * u[k][i] for (k, i), c in row.coefficients.items()) for row in condition.rows]
    return [total - row.at_least for total, row in zip(sums, condition.rows, strict=True)]


@pytest.mark.parametrize("effect", ["needed", "sufficient"])
def test_a_row_is_the_decision_with_the_condition_put_back_or_alone(effect: str) -> None:
    """By a forward pass in plain loops, at every solution."""
    network = Network(mlp_of(WEIGHTS, BIASES), (3,), (-2.0, 2.0))
    compared = 0
    for search, pair, x1 in asked(network, effect, 100):
        k, (j,) = pair.condition.layer - 2, pair.decision.neurons
        for condition in search.conditions(pair, Seed(0, x1), MARGIN):
            x2 = RowGeneration(network).solve(condition).x2
            if x2 is None or condition.method.decision is not Change.SIGN:
                continue
            u1, u2 = (reference.forward(x, WEIGHTS, BIASES) for x in (x1, x2))
            others, own = (u2, u1) if effect == "needed" else (u1, u2)
            made = reference.put(others[k], own[k], pair.condition.neurons, WEIGHTS[k + 1], BIASES[k + 1])[j]
            side = (1 if u1[k + 1][j] >= 0 else -1) * (1 if effect == "needed" else -1)
            assert rooms(network, condition, x2) == pytest.approx([side * made - MARGIN], abs=1e-12)
            assert side * made >= MARGIN - 1e-8
            compared += 1
    assert compared >= 6


@pytest.mark.parametrize("name", PIECEWISE)
def test_found_pairs_show_the_effect_on_every_network(name: str) -> None:
    network, outcomes = piecewise(name, bounds=(-3.0, 3.0)), Counter[Outcome]()
    for effect in EFFECTS:
        for search, pair, x1 in asked(network, effect, 16):
            attempt, x2 = search.attempt(pair, Seed(0, x1))
            outcomes[attempt.outcome] += 1
            if x2 is not None:
                shown = Replay(network, CRITERIA["ss"], x1, x2, layers_for(network, pair))
                made = shown.interventions(pair)
                method = search._criterion
                assert effect == "sufficient" or bool(method.decision_undone(pair, shown.before, made.put_back)[0])
                assert effect == "needed" or bool(method.decision_holds(pair, shown.before, made.alone)[0])
    assert outcomes[Outcome.FOUND]
    assert outcomes[Outcome.UNKNOWN] <= 2 * ("pooling" in name)


@pytest.mark.parametrize("name", ["mlp", "leaky", "relu6", "max pooling", "residual and cat"])
def test_the_optimum_with_an_effect_is_that_of_the_papers_programme(name: str) -> None:
    network, statuses = piecewise(name, bounds=(-3.0, 3.0)), Counter[str]()
    paper, rows = PapersProgramme(network), RowGeneration(network)
    for search, pair, x1 in itertools.chain.from_iterable(asked(network, effect, 12) for effect in EFFECTS):
        for condition in search.conditions(pair, Seed(0, x1), MARGIN):
            mine, theirs = rows.solve(condition), paper.solve(condition)
            statuses[mine.status] += 1
            assert mine.status == theirs.status
            assert mine.objective is None or mine.objective == pytest.approx(theirs.objective, abs=1e-7)
    assert statuses["Optimal"] >= 4


def with_effect(
    network: Network, pair: FeaturePair, method: CoveringMethod, x1: np.ndarray, x2: torch.Tensor
) -> torch.Tensor:
    """Which inputs cover with the effect, keep the pattern of x1 but for the condition, and every sign by a margin."""
    layers = sorted({*network.graph.ancestors[pair.decision.layer], *layers_for(network, pair)})
    before, after = (capture(network, x, layers) for x in (torch.from_numpy(x1)[None].expand_as(x2), x2))
    good = method.holds(pair, before, after)
    for k in layers[: layers.index(pair.condition.layer)]:
        good &= ((before[k].u >= 0) == (after[k].u >= 0)).all(dim=1)
    made = interventions(network, pair, torch.from_numpy(x1)[None].expand_as(x2), x2, before, after)
    back, alone = (
        values[pair.decision.layer].u[:, list(pair.decision.neurons)] for values in (made.put_back, made.alone)
    )
    if method.effect in ("needed", "both"):
        good &= method.decision_undone(pair, before, made.put_back)
        good &= (back.abs() >= MARGIN).all(dim=1) if method.decision is Change.SIGN else True
    if method.effect in ("sufficient", "both"):
        good &= method.decision_holds(pair, before, made.alone) & (alone.abs() >= MARGIN).all(dim=1)
    return good


@pytest.mark.parametrize("effect", EFFECTS)
def test_no_input_of_a_grid_with_the_effect_is_nearer(effect: str) -> None:
    axis = torch.linspace(-2, 2, 101, dtype=torch.float64)
    grid = torch.cartesian_prod(axis, axis)
    seen = Counter[bool]()
    networks = [Network(random_mlp((2, 4, 3, 3), place), (2,), (-2.0, 2.0)) for place in range(2)]
    for search, pair, x1 in itertools.chain.from_iterable(asked(network, effect, 14) for network in networks):
        attempt, x2 = search.attempt(pair, Seed(0, x1))
        found = grid[with_effect(search._network, pair, search._criterion, x1, grid)]
        distances = (found - torch.from_numpy(x1)).abs().amax(dim=1)
        seen[x2 is not None] += 1
        if len(found):
            assert attempt.objective is not None
            assert attempt.objective <= float(distances.min()) + 20 * MARGIN
    assert min(seen.values()) >= 3


def test_features_of_several_neurons_are_put_back_together() -> None:
    network, found = piecewise("mlp", bounds=(-3.0, 3.0)), 0
    for effect in EFFECTS:
        for search, pair, x1 in asked(network, effect, 8, mode="fixed", omega=0.4):
            attempt, x2 = search.attempt(pair, Seed(0, x1))
            assert attempt.outcome in (Outcome.FOUND, Outcome.INFEASIBLE_HERE)
            found += x2 is not None and len(pair.condition.neurons) > 1
    assert found >= 3


def test_an_effect_is_shown_on_grey_levels() -> None:
    network, found = Network(random_mlp((4, 6, 6, 3), 1), (4,)), 0
    method = dataclasses.replace(CRITERIA["ss"], effect="both")
    search = search_of("lp", network, method, grid=GRIDS["8bit"])
    rng, pairs = np.random.default_rng(0), FeaturePairs(network.layers, network.edges)
    for place in range(3 * len(pairs)):
        pair, x1 = pairs[place % len(pairs)], rng.random(network.input_shape)
        _, x2 = search.attempt(pair, Seed(0, x1))
        if x2 is not None:
            found += 1
            assert x2 * 255 == pytest.approx(np.rint(x2 * 255))
            effect = Replay(network, method, x1, x2).effect(pair)
            assert effect.needed
            assert effect.sufficient
    assert found >= 2


def test_a_pooled_condition_that_is_switched_off_is_needed() -> None:
    """The winner of a window is put back where another has taken its place."""
    network, found = piecewise("max pooling", bounds=(-3.0, 3.0)), 0
    method = dataclasses.replace(CRITERIA["ss"], effect="needed")
    search, rng = search_of("lp", network, method), np.random.default_rng(1)
    pairs = FeaturePairs(network.layers, network.edges)
    for _ in range(60):
        pair, x1 = pairs[int(rng.integers(pairs.counts[0]))], rng.uniform(-3, 3, network.input_shape)
        on = capture(network, torch.from_numpy(x1)[None])[2].u[0, pair.condition.neurons[0]] >= 0
        found += bool(on) and search.attempt(pair, Seed(0, x1))[1] is not None
    assert found >= 3


def test_ways_to_fail_are_those_in_which_no_alternative_holds() -> None:
    rng = np.random.default_rng(0)
    halves = [HalfSpace({place: 1.0}, 0.0) for place in range(5)]
    for _ in range(50):
        alternatives = [
            tuple(halves[one] for one in rng.choice(5, int(rng.integers(1, 4)), replace=False))
            for _ in range(int(rng.integers(1, 5)))
        ]
        groups = ways_to_fail(alternatives)
        for truth in itertools.product((False, True), repeat=5):
            holds = dict(zip(range(5), truth, strict=True))
            some = any(all(holds[i] for half in alternative for i in half.coefficients) for alternative in alternatives)
            failed = any(not any(holds[i] for half in group for i in half.coefficients) for group in groups)
            assert failed != some
    assert ways_to_fail([()]) == []
    assert ways_to_fail([]) == [()]
    with pytest.raises(SpecificationError, match="at most 256 ways"):
        ways_to_fail([tuple(HalfSpace({10 * n + i: 1.0}, 0.0) for i in range(10)) for n in range(3)])


def test_a_ratio_is_undone_and_made_by_the_condition() -> None:
    network = Network(mlp_of(WEIGHTS, BIASES), (3,), (-2.0, 2.0))
    method = dataclasses.replace(CRITERIA["sv"].with_functions(RatioChange(1.2), AnyChange()), effect="both")
    search, rng, found = search_of("lp", network, method), np.random.default_rng(5), 0
    pairs = FeaturePairs(network.layers, network.edges)
    for _ in range(60):
        pair, x1 = pairs[int(rng.integers(len(pairs)))], rng.uniform(-2, 2, 3)
        _, x2 = search.attempt(pair, Seed(0, x1))
        if x2 is None:
            continue
        k, (j,) = pair.condition.layer - 2, pair.decision.neurons
        u1, u2 = (reference.forward(x, WEIGHTS, BIASES) for x in (x1, x2))
        weights = WEIGHTS[k + 1], BIASES[k + 1]
        back = reference.put(u2[k], u1[k], pair.condition.neurons, *weights)[j]
        alone = reference.put(u1[k], u2[k], pair.condition.neurons, *weights)[j]
        assert back / u1[k + 1][j] < 1.2 <= min(alone / u1[k + 1][j], u2[k + 1][j] / u1[k + 1][j])
        found += 1
    assert found >= 5
