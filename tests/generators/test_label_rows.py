"""Another label by linear programmes: beside slow references and brute force, within the bound, with every demand."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.value_functions import AbsoluteChange, AnyChange
from dnncov_core.features import FeaturePair, FeaturePairs
from dnncov_core.generators import GRIDS
from dnncov_core.generators.base import Found, Seed
from dnncov_core.generators.label_rows import LabelRows
from dnncov_core.generators.lockstep import Asked as ToSolve
from dnncov_core.generators.lockstep import Asking, in_step
from dnncov_core.generators.lp_search import PREFERRED, WITHOUT_LABEL, LinearProgramSearch
from dnncov_core.generators.papers_programme import PapersProgramme
from dnncov_core.generators.programme import LinearCondition, Solution
from dnncov_core.generators.row_generation import RowGeneration
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Outcome
from dnncov_core.replay import Replay, replay
from tests import reference
from tests.builders import search as search_of
from tests.networks_for_tests import mlp_of, piecewise

MARGIN = 1e-4
SIZES = (3, 6, 5, 5, 4)
WEIGHTS = [np.random.default_rng(n).normal(size=shape) for n, shape in enumerate(itertools.pairwise(SIZES))]
BIASES = [0.1 * np.random.default_rng(9 + n).normal(size=size) for n, size in enumerate(SIZES[1:])]
METHODS = [
    CRITERIA["ss"],
    CRITERIA["vs"].with_functions(AbsoluteChange(0.2), AnyChange()),
    CRITERIA["sv"].with_functions(AbsoluteChange(0.2), AnyChange()),
    CRITERIA["vv"].with_functions(AbsoluteChange(0.2), AbsoluteChange(0.1)),
]


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(mlp_of(WEIGHTS, BIASES), (3,), (-2.0, 2.0))


def normal(sizes: Sequence[int], bounds: tuple[float, float], seed: int = 0) -> Network:
    """A network with weights of a normal distribution, so that labels change within its box."""
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=shape) for shape in itertools.pairwise(sizes)]
    return Network(mlp_of(weights, [0.3 * rng.normal(size=size) for size in sizes[1:]]), sizes[:1], bounds)


def drawn(network: Network, n: int, seed: int = 0) -> Iterator[tuple[FeaturePair, np.ndarray]]:
    rng, pairs = np.random.default_rng(seed), FeaturePairs(network.layers, network.edges)
    for _ in range(n):
        yield pairs[int(rng.integers(len(pairs)))], rng.uniform(*network.bounds, network.input_shape)


Asked = tuple[LinearCondition, Solution, np.ndarray, int]


def settled(network: Network, n: int) -> Iterator[Asked]:
    """What was asked last, its solution, the seed and the label, where the row is of the solution's own pattern."""
    search, programme = search_of("lp", network, CRITERIA["ss"]), RowGeneration(network)

    def ask(condition: LinearCondition) -> Asking[Solution]:
        return (yield ToSolve(programme, condition)).solution

    for pair, x1 in drawn(network, n):
        for condition in search.conditions(pair, Seed(0, x1), MARGIN):
            start = programme.solve(condition).x2
            if start is not None:
                rows = LabelRows(network, condition)
                for label in rows.labels():
                    ((asked, solution, at_rest),) = in_step([rows.nearest(label, start, condition, ask)])
                    if at_rest:
                        yield asked, solution, x1, label


def test_a_row_is_the_lead_of_the_label_by_a_forward_pass_in_plain_loops(network: Network) -> None:
    compared = 0
    for asked, solution, x1, label in settled(network, 50):
        assert solution.x2 is not None
        u = reference.forward(solution.x2, WEIGHTS, BIASES)
        z1 = reference.forward(x1, WEIGHTS, BIASES)[-1]
        row = asked.rows[-1]
        lead = u[-1][label] - u[-1][z1.index(max(z1))]
        assert sum(c * u[k - 2][i] for (k, i), c in row.coefficients.items()) - row.at_least == pytest.approx(
            lead - MARGIN
        )
        assert lead >= MARGIN - 1e-8
        compared += 1
    assert compared >= 8


def test_the_paper_programme_has_the_same_optimum_with_and_without_a_bound(network: Network) -> None:
    paper, rows, answers = PapersProgramme(network), RowGeneration(network), set()
    for asked, solution, _, _ in settled(network, 15):
        assert solution.objective is not None
        for factor in (None, 1.01, 0.99):
            bounded = dataclasses.replace(asked, bound=factor and factor * solution.objective)
            mine, theirs = rows.solve(bounded), paper.solve(bounded)
            answers.add((factor, mine.status))
            assert mine.status == theirs.status
            if mine.objective is not None:
                assert mine.objective == pytest.approx(theirs.objective, abs=1e-7)
                assert mine.objective == pytest.approx(solution.objective, abs=1e-7)
    assert answers == {(None, "Optimal"), (1.01, "Optimal"), (0.99, "Infeasible")}


def signs(network: Network, x: torch.Tensor) -> torch.Tensor:
    values = capture(network, x, range(2, network.depth))
    return torch.cat([values[k].u >= 0 for k in sorted(values)], dim=1)


def test_no_input_of_the_pattern_in_which_it_ended_is_nearer() -> None:
    axis = torch.linspace(-2, 2, 201, dtype=torch.float64)
    grid, compared = torch.cartesian_prod(axis, axis), 0
    for place in range(3):
        network = normal((2, 6, 5, 4, 3), (-2.0, 2.0), place)
        pattern = signs(network, grid)
        with torch.no_grad():
            logits = network(grid)
        for _, solution, x1, label in settled(network, 70):
            assert solution.x2 is not None
            assert solution.objective is not None
            there = torch.from_numpy(solution.x2)[None]
            same = (pattern == signs(network, there)).all(dim=1)
            y = int(network(torch.from_numpy(x1)[None])[0].argmax())
            found = grid[same & (logits[:, label] - logits[:, y] >= MARGIN)]
            distances = (found - torch.from_numpy(x1)).abs().amax(dim=1)
            compared += len(found) > 0
            assert not len(found) or solution.objective <= float(distances.min()) + 20 * MARGIN
    assert compared >= 3


@pytest.mark.parametrize("name", ["leaky", "relu6", "residual and cat", "branches with pooling"])
def test_found_pairs_have_another_label_within_the_bound_on_every_network(name: str) -> None:
    network, found = piecewise(name, bounds=(-3.0, 3.0)), 0
    for place, method in enumerate(METHODS):
        search = search_of("lp", network, method, objective="adversarial", bound=1.5)
        for pair, x1 in drawn(network, 6, seed=place):
            attempt, x2 = search.attempt(pair, Seed(0, x1))
            assert (x2 is not None) == (attempt.outcome is Outcome.FOUND)
            if x2 is not None:
                found += 1
                assert replay(network, method, pair, x1, x2)
                assert Oracle("inf", 1.5).judge(network, x1, x2).adversarial
                assert attempt.objective == pytest.approx(np.abs(x2 - x1).max(), abs=1e-7)
    assert found


@pytest.mark.parametrize("generator", ["lp", "lp-reference"])
def test_all_demands_hold_together(generator: str) -> None:
    network, found = normal((6, 8, 7, 4), (0.0, 1.0), 4), 0
    method = dataclasses.replace(CRITERIA["ss"], effect="needed")
    asked = {"objective": "adversarial", "bound": 0.9, "grid": GRIDS["8bit"]}
    search = search_of(generator, network, method, **asked)
    for pair, x1 in drawn(network, 12):
        _, x2 = search.attempt(pair, Seed(0, x1))
        if x2 is not None:
            found += 1
            assert x2 * 255 == pytest.approx(np.rint(x2 * 255))
            assert Replay(network, method, x1, x2).effect(pair).needed
            assert Oracle("inf", 0.9).judge(network, x1, x2).adversarial
    assert found


def searched(network: Network, objective: str, pairs: Sequence[FeaturePair], bound: float) -> list[Found]:
    search = search_of("lp", network, CRITERIA["ss"], objective=objective, bound=bound)
    assert isinstance(search, LinearProgramSearch)
    seeds = [Seed(row, x) for row, (_, x) in enumerate(drawn(network, 2 * PREFERRED, seed=4))]
    targets = [pair.target(place) for place, pair in enumerate(pairs)]
    return list(search.run(targets, lambda some: [seeds for _ in some]))


def test_preferring_another_label_loses_no_pair_and_finds_those_that_demanding_it_finds(network: Network) -> None:
    every = FeaturePairs(network.layers, network.edges)
    pairs = [every[place] for place in range(0, len(every), 10)]
    plain, demanded, preferred = (searched(network, each, pairs, 0.3) for each in ("distance", "adversarial", "prefer"))
    oracle, kinds = Oracle("inf", 0.3), set()
    for alone, label, either in zip(plain, demanded, preferred, strict=True):
        assert (either.x2 is None) == (alone.x2 is None)
        if either.x2 is None or either.seed is None:
            continue
        *others, last = either.attempts
        assert last.outcome is Outcome.FOUND
        assert last.seed == either.seed.row
        assert all(attempt.outcome is not Outcome.FOUND for attempt in others)
        adversarial = oracle.judge(network, either.seed.x, either.x2).adversarial
        kinds.add(adversarial)
        if label.x2 is not None and len(label.attempts) <= PREFERRED:
            assert adversarial
        if not adversarial:
            lesser = [attempt for attempt in others if attempt.message == WITHOUT_LABEL]
            assert all((attempt.objective or 0) >= (last.objective or 0) for attempt in lesser)
            assert len(either.attempts) in {PREFERRED, len(alone.attempts)}
    assert kinds == {True, False}


def test_labels_come_in_the_order_of_their_first_order_distance(network: Network) -> None:
    search = search_of("lp", network, CRITERIA["ss"])
    for pair, x1 in drawn(network, 10):
        for condition in search.conditions(pair, Seed(0, x1), MARGIN):
            z = np.array(reference.forward(x1, WEIGHTS, BIASES)[-1])
            step = 1e-7 * np.eye(3)
            moved = [np.array(reference.forward(x1 + each, WEIGHTS, BIASES)[-1]) for each in step]
            slopes = np.abs([(up - up[z.argmax()] - (z - z.max())) / 1e-7 for up in moved]).sum(axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                distances = np.nan_to_num((z.max() - z) / slopes, nan=-1)
            expected = [int(label) for label in np.argsort(distances) if label != z.argmax()]
            assert LabelRows(network, condition).labels() == expected[:3]
