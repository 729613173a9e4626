"""The linear programme: the paper's sizes, and optima that no sampled input beats."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.value_functions import AbsoluteChange, AnyChange, SymmetricRatioChange
from dnncov_core.features import Feature, FeaturePair, FeaturePairs
from dnncov_core.generators.base import Seed
from dnncov_core.generators.lp_search import LinearProgramSearch
from dnncov_core.generators.papers_programme import PapersProgramme
from dnncov_core.generators.pattern import poolings_of
from dnncov_core.generators.programme import LinearCondition, Programme
from dnncov_core.generators.row_generation import RowGeneration
from dnncov_core.networks.network import Network
from tests.cbc import PapersProgrammeByCbc
from tests.networks_for_tests import piecewise, random_mlp

MARGIN = 1e-4
PAPERS_SIZES = {
    # hidden layers: (variables, constraints) for decision layers 3, 4, ...
    (78, 62, 73, 47): [(864, 3294), (926, 3418), (999, 3564), (1046, 3658)],
    (87, 33, 62): [(873, 3312), (906, 3378), (968, 3502)],
    (76, 55, 74, 98, 75): [(862, 3290), (917, 3400), (991, 3548), (1089, 3744), (1164, 3894)],
}


PROGRAMMES: dict[str, Callable[[Network], Programme]] = {
    "highs": PapersProgramme,
    "cbc": PapersProgrammeByCbc,
    "rows": RowGeneration,
}


def search(network: Network, method: CoveringMethod, programme: str = "highs") -> LinearProgramSearch:
    return LinearProgramSearch(network, method, margin=MARGIN, programme=PROGRAMMES[programme](network))


def singleton(k: int, i: int, decision: int, j: int) -> FeaturePair:
    return FeaturePair(Feature(k, (i,)), Feature(decision, (j,)))


@pytest.mark.parametrize(("hidden", "sizes"), PAPERS_SIZES.items(), ids=["N8", "N9", "N10"])
def test_sizes_are_those_of_the_papers_table(hidden: tuple[int, ...], sizes: list[tuple[int, int]]) -> None:
    network = Network(random_mlp((784, *hidden, 10), dtype=torch.float32), (784,))
    x = np.random.default_rng(0).random(784).astype(np.float32)
    found = []
    for k in range(2, network.depth):
        (condition,) = search(network, CRITERIA["ss"]).conditions(singleton(k, 3, k + 1, 5), Seed(0, x), MARGIN)
        problem = PapersProgramme(network).build(condition)
        found.append((len(problem.variables()), len(problem.constraints)))
    assert found == sizes


def conditions(n: int, seed: int = 0) -> Iterator[tuple[LinearProgramSearch, FeaturePair, np.ndarray, LinearCondition]]:
    """``n`` programmes over networks of two inputs, all four methods in turn."""
    rng = np.random.default_rng(seed)
    methods = [
        CRITERIA["ss"],
        CRITERIA["vs"].with_functions(AbsoluteChange(0.2), AnyChange()),
        CRITERIA["sv"].with_functions(SymmetricRatioChange(1.5), AnyChange()),
        CRITERIA["vv"].with_functions(AbsoluteChange(0.3), AbsoluteChange(0.1)),
    ]
    networks = [Network(random_mlp((2, 4, 3, 3), place), (2,), (-2.0, 2.0)) for place in range(3)]
    for place in range(n):
        network = networks[place % 3]
        pairs = FeaturePairs(network.layers, network.edges)
        pair, x1 = pairs[int(rng.integers(len(pairs)))], rng.uniform(-2, 2, 2)
        by = search(network, methods[place % 4])
        for condition in by.conditions(pair, Seed(0, x1), MARGIN):
            yield by, pair, x1, condition


def on_the_programmes_side(network: Network, condition: LinearCondition, x2: torch.Tensor) -> torch.Tensor:
    """Which inputs have the pattern, keep every asked sign by the margin, and meet the method by the margin."""
    values, pattern, pair = capture(network, x2), condition.pattern, condition.pair
    inside = torch.ones(len(x2), dtype=torch.bool)
    for k in pattern.on:
        asked = torch.from_numpy(pattern.on[k] > 0)
        u1 = condition.values[k].u[0]
        enough = u1.abs().clamp(max=MARGIN)
        enough[list(pattern.flipped.get(k, ()))] = MARGIN
        inside &= torch.where(asked, values[k].u >= enough, values[k].u <= -enough).all(dim=1)
    j = pair.decision.neurons[0]
    u = values[pair.decision.layer].u[:, j]
    positive = bool(condition.values[pair.decision.layer].u[0, j] >= 0) != (condition.method.decision is Change.SIGN)
    inside &= (u >= MARGIN) if positive else (u <= -MARGIN)
    for layer, alternative in (
        (pair.condition.layer, condition.condition_alternative),
        (pair.decision.layer, condition.decision_alternative),
    ):
        for half_space in alternative:
            total = sum(c * values[layer].u[:, i] for i, c in half_space.coefficients.items())
            inside &= total >= half_space.at_least + MARGIN
    return inside


@pytest.mark.parametrize("programme", ["highs", "rows"])
def test_no_input_of_the_grid_is_nearer_and_none_exists_where_the_programme_has_none(programme: str) -> None:
    axis = torch.linspace(-2, 2, 161, dtype=torch.float64)
    grid = torch.cartesian_prod(axis, axis)
    solved = {"Optimal": 0, "Infeasible": 0}
    with_grid = 0
    for by, _, x1, condition in conditions(60):
        solution = PROGRAMMES[programme](by._network).solve(condition)
        solved[solution.status] += 1
        near = torch.from_numpy(x1) + torch.from_numpy(np.random.default_rng(0).normal(0, 0.2, (4000, 2)))
        candidates = torch.cat([grid, near.clamp(-2, 2)])
        found = candidates[on_the_programmes_side(by._network, condition, candidates)]
        distances = (found - torch.from_numpy(x1)).abs().amax(dim=1)
        if solution.objective is None:
            assert not len(found)
            continue
        assert solution.x2 is not None
        assert solution.objective == pytest.approx(np.abs(solution.x2 - x1).max(), abs=1e-9)
        assert np.all(np.abs(solution.x2) <= 2 + 1e-9)
        if len(found):
            with_grid += 1
            assert solution.objective <= float(distances.min()) + 1e-7
    assert min(*solved.values(), with_grid) >= 8


@pytest.mark.parametrize(("programme", "size"), [("highs", (4, 8)), ("cbc", (4, 8)), ("rows", (2, 1))])
def test_optimum_is_reached_by_an_input_just_beyond_and_by_none_just_before(
    programme: str, size: tuple[int, int]
) -> None:
    """n_{2,0} = x - 0.3 turns negative where x <= 0.3 - margin, and the logits follow it."""
    module = random_mlp((1, 1, 2))
    with torch.no_grad():
        for layer, weight, bias in ((module[1], 1.0, -0.3), (module[3], 1.0, -0.1)):
            layer.weight.fill_(weight)
            layer.bias.fill_(bias)
    network = Network(module, (1,))
    attempt, x2 = search(network, CRITERIA["ss"], programme).attempt(singleton(2, 0, 3, 0), Seed(5, np.array([0.7])))
    assert x2 is not None
    assert x2[0] == pytest.approx(0.3 - MARGIN, abs=1e-9)
    assert attempt.objective == pytest.approx(0.4 + MARGIN, abs=1e-9)
    assert (attempt.seed, attempt.variables, attempt.constraints, attempt.margin) == (5, *size, MARGIN)


def test_all_programmes_agree() -> None:
    for by, _, _, condition in conditions(12, seed=1):
        first, *others = (make(by._network).solve(condition) for make in PROGRAMMES.values())
        for other in others:
            assert first.status == other.status
            if first.objective is not None:
                assert first.objective == pytest.approx(other.objective, abs=1e-6)


def test_iterations_are_told() -> None:
    told = dict.fromkeys(PROGRAMMES, 0)
    for by, _, _, condition in conditions(12, seed=2):
        for name, make in PROGRAMMES.items():
            told[name] += make(by._network).solve(condition).iterations
    assert told["highs"] > 0
    assert told["rows"] > 0


def test_pooling_adds_a_row_for_each_other_entry_of_a_window_that_can_change() -> None:
    network = piecewise("max pooling")
    x = np.random.default_rng(0).random((1, 4, 5))
    (condition,) = search(network, CRITERIA["ss"]).conditions(singleton(2, 0, 3, 0), Seed(0, x), MARGIN)
    (pooling,) = poolings_of(network, torch.from_numpy(x)[None], condition.pattern, 3).values()
    winners, others = pooling.window_pairs()
    base = 4 * 20 + 2 * (40 + 1)
    active = condition.pattern.on[2] > 0
    moving = sum(bool(active[w] or active[o]) for w, o in zip(winners, others, strict=True))
    problem = PapersProgramme(network).build(condition)
    assert (len(problem.variables()), len(problem.constraints)) == (20 + 40 + 1 + 1, base + moving)
    assert len(winners) == 2 * 2 * 2 * 3


def test_nothing_reaches_standard_output() -> None:
    code = (
        "import numpy as np\n"
        "from tests.generators.test_papers_programme import *\n"
        "network = Network(random_mlp((3, 4, 2)), (3,))\n"
        "for solver in PROGRAMMES:\n"
        "    for j in range(2):\n"
        "        search(network, CRITERIA['ss'], solver).attempt(singleton(2, 1, 3, j), Seed(0, np.full(3, 0.5)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
