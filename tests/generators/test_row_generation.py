"""Row generation: the optimum of the paper's programme on every kind of network, or the same answer of none."""

from __future__ import annotations

import dataclasses
from collections import Counter

import highspy
import numpy as np
import pytest

from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.value_functions import (
    AbsoluteChange,
    AnyChange,
    NormChange,
    SymmetricRatioChange,
    Top,
    UpperBoundary,
)
from dnncov_core.features import FeaturePairs
from dnncov_core.generators.base import Seed
from dnncov_core.generators.lp_search import LinearProgramSearch
from dnncov_core.generators.papers_programme import PapersProgramme
from dnncov_core.generators.programme import LinearCondition
from dnncov_core.generators.row_generation import RowGeneration
from tests.networks_for_tests import PIECEWISE, piecewise

METHODS = [
    CRITERIA["ss"],
    CRITERIA["vs"].with_functions(AbsoluteChange(0.2), AnyChange()),
    CRITERIA["vs"].with_functions(Top("x2"), AnyChange()),
    CRITERIA["sv"],
    CRITERIA["sv"].with_functions(SymmetricRatioChange(1.5), AnyChange()),
    CRITERIA["vv"].with_functions(UpperBoundary(0.3), AnyChange()),
    CRITERIA["vv"].with_functions(NormChange(0.3, "inf", at_most=True), AbsoluteChange(0.1)),
]


@pytest.mark.parametrize("name", PIECEWISE)
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-3.0, 3.0)])
def test_optimum_is_that_of_the_papers_programme(name: str, bounds: tuple[float, float]) -> None:
    network = piecewise(name, bounds=bounds)
    paper, rows = PapersProgramme(network), RowGeneration(network)
    pairs = FeaturePairs(network.layers, network.edges)
    rng = np.random.default_rng(1)
    statuses: Counter[str] = Counter()
    for method in METHODS:
        search = LinearProgramSearch(network, method, margin=1e-4, programme=rows)
        for _ in range(4):
            pair = pairs[int(rng.integers(len(pairs)))]
            x1 = rng.uniform(*bounds, network.input_shape)
            for condition in search.conditions(pair, Seed(0, x1), 1e-4):
                mine, theirs = rows.solve(condition), paper.solve(condition)
                assert mine.status == theirs.status
                statuses[mine.status] += 1
                if mine.objective is None or mine.x2 is None:
                    continue
                assert mine.objective == pytest.approx(theirs.objective, rel=1e-6, abs=1e-9)
                assert np.abs(mine.x2 - x1.ravel()).max() == pytest.approx(mine.objective, abs=1e-9)
                assert bounds[0] - 1e-9 <= mine.x2.min() <= mine.x2.max() <= bounds[1] + 1e-9
    assert statuses["Optimal"] >= 8


@pytest.mark.parametrize("name", PIECEWISE)
@pytest.mark.parametrize("effect", ["none", "needed"])
def test_conditions_that_are_solved_together_have_the_solutions_that_they_have_alone(name: str, effect: str) -> None:
    network = piecewise(name, bounds=(-3.0, 3.0))
    rows, pairs = RowGeneration(network), FeaturePairs(network.layers, network.edges)
    rng, together = np.random.default_rng(3), dict[object, list[LinearCondition]]()
    for method in METHODS[:4]:
        shown = dataclasses.replace(method, effect=effect)
        search = LinearProgramSearch(network, shown, margin=1e-4, programme=rows)
        for _ in range(6):
            pair, x1 = pairs[int(rng.integers(len(pairs)))], rng.uniform(-3, 3, network.input_shape)
            for condition in search.conditions(pair, Seed(0, x1), 1e-4):
                together.setdefault(tuple(condition.required.low), []).append(condition)
    assert max(map(len, together.values())) > 3
    for conditions in together.values():
        for condition, found in zip(conditions, rows.solve_all(conditions), strict=True):
            alone = rows.solve(condition)
            assert (found.status, found.constraints) == (alone.status, alone.constraints)
            if alone.x2 is not None:
                assert found.objective == pytest.approx(alone.objective, rel=1e-9)
                np.testing.assert_allclose(found.x2, alone.x2, rtol=0, atol=1e-9)


def test_inputs_at_the_edge_of_their_box_do_not_leave_it() -> None:
    network = piecewise("mlp", bounds=(-3.0, 3.0))
    rng = np.random.default_rng(2)
    pairs = FeaturePairs(network.layers, network.edges)
    search = LinearProgramSearch(network, CRITERIA["ss"], margin=1e-4, programme=RowGeneration(network))
    found = 0
    for place in range(30):
        x1 = rng.choice([-3.0, 3.0], network.input_shape)
        _, x2 = search.attempt(pairs[place % len(pairs)], Seed(0, x1))
        if x2 is not None:
            found += 1
            assert -3 <= x2.min() <= x2.max() <= 3
    assert found >= 3


def test_few_rows_are_needed() -> None:
    """The programme is smaller than the paper's: a variable an input and one for s, and no row without need."""
    network = piecewise("mlp", bounds=(-3.0, 3.0))
    search = LinearProgramSearch(network, CRITERIA["ss"], margin=1e-4, programme=RowGeneration(network))
    pairs = FeaturePairs(network.layers, network.edges)
    x1 = np.random.default_rng(0).uniform(-3, 3, network.input_shape)
    (condition,) = search.conditions(pairs[0], Seed(0, x1), 1e-4)
    mine, theirs = RowGeneration(network).solve(condition), PapersProgramme(network).solve(condition)
    assert mine.variables == 6
    assert mine.constraints < theirs.constraints


def test_iterations_of_every_round_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    run = highspy.Highs.run

    def counted(highs: highspy.Highs) -> object:
        status = run(highs)
        counts.append(highs.getInfo().simplex_iteration_count)
        return status

    monkeypatch.setattr(highspy.Highs, "run", counted)
    network = piecewise("max pooling")
    search = LinearProgramSearch(network, CRITERIA["ss"], margin=1e-4, programme=RowGeneration(network))
    pairs = FeaturePairs(network.layers, network.edges)
    rounds = []
    for place in range(10):
        counts.clear()
        x1 = np.random.default_rng(place).random(network.input_shape)
        (condition,) = search.conditions(pairs[place], Seed(0, x1), 1e-4)
        assert RowGeneration(network).solve(condition).iterations == sum(counts)
        rounds.append(len(counts))
    assert max(rounds) > 1
