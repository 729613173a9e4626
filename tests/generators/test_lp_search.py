"""The search by linear programmes: what it finds holds, by the network and by the slow references."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.criteria.ssim import SSIM
from dnncov_core.criteria.value_function_base import ValueFunction
from dnncov_core.criteria.value_functions import (
    AbsoluteChange,
    AnyChange,
    NormChange,
    RatioChange,
    SymmetricRatioChange,
    Top,
    UpperBoundary,
)
from dnncov_core.errors import NetworkError, SpecificationError
from dnncov_core.features import Feature, FeaturePair, FeaturePairs
from dnncov_core.generators import GENERATORS, GRIDS
from dnncov_core.generators.base import Search, Seed
from dnncov_core.generators.lp_search import LinearProgramSearch
from dnncov_core.generators.programme import LinearCondition, Programme, Solution
from dnncov_core.generators.row_generation import RowGeneration
from dnncov_core.networks.network import Network
from dnncov_core.records import Outcome, Target
from dnncov_core.replay import replay
from tests import reference
from tests.builders import search as search_of
from tests.networks_for_tests import PIECEWISE, Fn, piecewise, random_mlp, seeded, toy_network

LINEAR: list[tuple[ValueFunction, reference.Changed | None]] = [
    (RatioChange(1.5), reference.ratio(1.5)),
    (SymmetricRatioChange(1.5), reference.ratio_symmetric(1.5)),
    (AbsoluteChange(0.2), reference.absolute(0.2)),
    (UpperBoundary(0.1), reference.upper_boundary(0.1)),
    (NormChange(0.2, "inf"), reference.norm(0.2, "inf")),
    (NormChange(0.2, "1"), reference.norm(0.2, "1")),
    (NormChange(0.2, "inf", at_most=True), reference.norm(0.2, "inf", at_most=True)),
    (NormChange(0.2, "1", at_most=True), reference.norm(0.2, "1", at_most=True)),
    (AnyChange(), reference.always),
    (Top("x2"), None),  # needs the whole layer: checked by the network alone
    (Top("x1"), None),
]
WIDE = (-3.0, 3.0)


def methods() -> Iterable[tuple[CoveringMethod, reference.Changed | None, reference.Changed | None]]:
    yield CRITERIA["ss"], reference.always, reference.always
    for g, slow in LINEAR:
        yield CRITERIA["vs"].with_functions(g, AnyChange()), slow, reference.always
        yield CRITERIA["sv"].with_functions(g, AnyChange()), reference.always, slow
        yield CRITERIA["vv"].with_functions(g, AbsoluteChange(0.1)), reference.absolute(0.1), slow


def u_of(network: Network, x: np.ndarray) -> dict[int, list[float]]:
    return {k: layer.u[0].tolist() for k, layer in capture(network, torch.from_numpy(x)[None]).items()}


def holds_slowly(
    network: Network,
    method: CoveringMethod,
    pair: FeaturePair,
    inputs: tuple[np.ndarray, np.ndarray],
    slow: tuple[reference.Changed, reference.Changed],
) -> bool:
    before, after = (u_of(network, x) for x in inputs)
    k, decision = pair.condition.layer, pair.decision.layer
    layers = (before[k], after[k]), (before[decision], after[decision])
    return reference.holds(method.key, *layers, pair.condition.neurons, pair.decision.neurons, *slow)


def tries(search: Search, network: Network, n: int, seed: int = 0, **options: object) -> list[tuple]:
    """``n`` attempts at random pairs from random inputs: (pair, x1, attempt, x2)."""
    pairs = FeaturePairs(network.layers, network.edges, **options)
    rng = np.random.default_rng(seed)
    done = []
    for row in range(n):
        pair = pairs[int(rng.integers(len(pairs)))]
        x1 = rng.uniform(*network.bounds, network.input_shape).astype(str(network.dtype).removeprefix("torch."))
        done.append((pair, x1, *search.attempt(pair, Seed(row, x1))))
    return done


@pytest.mark.parametrize("name", PIECEWISE)
def test_found_pairs_hold_under_the_slow_reference(name: str) -> None:
    network = piecewise(name, bounds=WIDE)
    outcomes: Counter[Outcome] = Counter()
    for place, (method, g1, g2) in enumerate(methods()):
        search = search_of("lp", network, method)
        for pair, x1, attempt, x2 in tries(search, network, 2 if place else 6, seed=place):
            outcomes[attempt.outcome] += 1
            assert (x2 is not None) == (attempt.outcome is Outcome.FOUND)
            if x2 is None:
                continue
            assert x2.shape == network.input_shape
            assert x2.dtype == x1.dtype
            assert WIDE[0] <= x2.min() <= x2.max() <= WIDE[1]
            assert np.abs(x2 - x1).max() == pytest.approx(attempt.objective, abs=1e-7)
            assert replay(network, method, pair, x1, x2)
            if g1 is not None and g2 is not None:
                assert holds_slowly(network, method, pair, (x1, x2), (g1, g2))
    assert outcomes[Outcome.FOUND] >= 8
    assert outcomes[Outcome.UNKNOWN] + outcomes[Outcome.ERROR] == 0


@pytest.mark.parametrize(("name", "omega"), [("mlp", 0.4), ("max pooling", 0.1)])
def test_features_of_several_neurons(name: str, omega: float) -> None:
    network = piecewise(name, bounds=WIDE)
    found = 0
    for key in ("vs", "sv", "vv"):
        method = CRITERIA[key].with_functions(NormChange(0.2, "1"), AnyChange())
        slow = reference.always, reference.norm(0.2, "1")
        search = search_of("lp", network, method)
        for pair, x1, _, x2 in tries(search, network, 8, mode="fixed", omega=omega):
            if x2 is not None:
                found += len(pair.condition.neurons) > 1
                assert holds_slowly(network, method, pair, (x1, x2), slow if key != "vs" else slow[::-1])
    assert found >= 2


def test_sign_changes_keep_off_zero_by_the_margin() -> None:
    network, margin = piecewise("mlp", bounds=WIDE), 1e-3
    search = search_of("lp", network, CRITERIA["ss"], margin=margin)
    found = [(pair, x2) for pair, _, _, x2 in tries(search, network, 40) if x2 is not None]
    assert len(found) >= 5
    for pair, x2 in found:
        u = u_of(network, x2)
        for feature in (pair.condition, pair.decision):
            assert abs(u[feature.layer][feature.neurons[0]]) >= margin * (1 - 1e-6)


def test_nearest_of_all_alternatives_is_taken() -> None:
    network = piecewise("mlp", bounds=WIDE)
    search = search_of("lp", network, CRITERIA["vs"].with_functions(AbsoluteChange(0.2), AnyChange()))
    several = 0
    for pair, x1, attempt, _ in tries(search, network, 30):
        solved = [
            search._programme.solve(condition).objective for condition in search.conditions(pair, Seed(0, x1), 1e-4)
        ]
        objectives = [objective for objective in solved if objective is not None]
        assert attempt.objective == pytest.approx(min(objectives)) if objectives else attempt.objective is None
        several += len(set(objectives)) > 1
    assert several


class _Recorded(Programme):
    """Row generation that keeps every answer, and takes its time."""

    def __init__(self, network: Network) -> None:
        self._programme = RowGeneration(network)
        self.solutions: list[Solution] = []

    def solve(self, condition: LinearCondition) -> Solution:
        solution = self._programme.solve(condition)
        self.solutions.append(solution)
        time.sleep(0.001)
        return self.solutions[-1]


@pytest.mark.parametrize("key", ["ss", "vs"])
def test_attempt_records_what_all_its_programmes_cost(key: str) -> None:
    """Alternatives of a value function, and margins that float32 loses, take several calls each."""
    module = random_mlp((4, 6, 5, 3), 1, torch.float32)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(300)
    network = Network(module, (4,), WIDE)
    method = CRITERIA["ss"] if key == "ss" else CRITERIA["vs"].with_functions(AbsoluteChange(0.2), AnyChange())
    programme = _Recorded(network)
    search = LinearProgramSearch(network, method, margin=1e-4, programme=programme)
    seen = set()
    for place in range(30):
        programme.solutions.clear()
        ((_, _, attempt, _),) = tries(search, network, 1, seed=place)
        seen.add(attempt.calls)
        assert attempt.calls == len(programme.solutions)
        assert attempt.variables == max(solution.variables for solution in programme.solutions)
        assert attempt.constraints == max(solution.constraints for solution in programme.solutions)
        assert attempt.iterations == sum(solution.iterations for solution in programme.solutions)
        assert 0.001 * attempt.calls < attempt.solver_seconds < attempt.seconds
    assert seen >= ({1, 3} if key == "ss" else {2, 4, 6})


def test_papers_example_is_found() -> None:
    network = toy_network()
    pair = FeaturePair(Feature(2, (0,)), Feature(3, (0,)))
    search = search_of("lp", network, CRITERIA["ss"])
    attempt, x2 = search.attempt(pair, Seed(0, np.array([0.1, 0.0])))
    assert attempt.outcome is Outcome.FOUND
    assert x2 is not None
    assert holds_slowly(network, CRITERIA["ss"], pair, (np.array([0.1, 0.0]), x2), (reference.always,) * 2)


def test_infeasible_here_is_no_proof() -> None:
    """The same pair has no solution from one seed and one from another: the pattern of layer 2 decides."""
    network = toy_network()
    pair = FeaturePair(Feature(2, (0,)), Feature(3, (1,)))
    search = search_of("lp", network, CRITERIA["ss"])
    inputs = [np.array([0.1, 0.0]), *np.random.default_rng(0).uniform(-10, 10, (40, 2))]
    outcomes = [search.attempt(pair, Seed(row, x))[0].outcome for row, x in enumerate(inputs)]
    assert outcomes[0] is Outcome.INFEASIBLE_HERE
    assert set(outcomes) == {Outcome.INFEASIBLE_HERE, Outcome.FOUND}


def test_larger_margin_is_tried_where_float32_loses_the_smallest() -> None:
    module = random_mlp((4, 6, 5, 3), 1, torch.float32)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(300)
    network = Network(module, (4,), WIDE)
    done = tries(search_of("lp", network, CRITERIA["ss"]), network, 40)
    margins = {attempt.margin for _, _, attempt, x2 in done if x2 is not None}
    assert margins == {1e-4, 1e-3, 1e-2}
    for pair, x1, attempt, x2 in done:
        if x2 is not None:
            assert holds_slowly(network, CRITERIA["ss"], pair, (x1, x2), (reference.always,) * 2)
        elif attempt.outcome is Outcome.UNKNOWN:
            assert attempt.margin == 1e-2
            assert "loses the solution" in attempt.message
        else:
            assert attempt.outcome is Outcome.INFEASIBLE_HERE


def test_solution_does_not_count_before_the_network_confirms_it(monkeypatch: pytest.MonkeyPatch) -> None:
    network = piecewise("mlp", bounds=WIDE)
    search = search_of("lp", network, CRITERIA["ss"])
    monkeypatch.setattr("dnncov_core.generators.programme.replay", lambda *arguments: False)
    outcomes = {attempt.outcome for _, _, attempt, _ in tries(search, network, 30)}
    assert outcomes == {Outcome.INFEASIBLE_HERE, Outcome.UNKNOWN}


@pytest.mark.parametrize("activation", [nn.Sigmoid(), nn.Tanh(), nn.GELU()])
def test_network_that_is_not_piecewise_linear_is_refused_before_the_search(activation: nn.Module) -> None:
    network = Network(nn.Sequential(nn.Linear(2, 2), activation, nn.Linear(2, 2)), (2,))
    with pytest.raises(NetworkError, match="piecewise-linear"):
        search_of("lp", network, CRITERIA["ss"])


@pytest.mark.parametrize("g", [SSIM(), NormChange(1.0, "2")])
def test_function_that_is_not_linear_is_refused_by_its_name(g: ValueFunction) -> None:
    network = piecewise("max pooling")
    search = search_of("lp", network, CRITERIA["vs"].with_functions(g, AnyChange()))
    pair = FeaturePair(Feature(2, tuple(range(20))), Feature(3, (0,)))
    with pytest.raises(SpecificationError, match=g.name):
        search.attempt(pair, Seed(0, np.zeros((1, 4, 5))))


def test_run_stops_at_the_first_success_and_keeps_every_attempt() -> None:
    network = toy_network()
    pairs = FeaturePairs(network.layers, network.edges)
    seeds = [Seed(row, x) for row, x in enumerate(np.random.default_rng(0).uniform(-10, 10, (12, 2)))]
    asked: Counter[int] = Counter()

    def pool(target: Target) -> Iterable[Seed]:
        for seed in seeds:
            asked[target.ordinal] += 1
            yield seed

    search = search_of("lp", network, CRITERIA["ss"])
    targets = [pairs[i].target(i) for i in range(len(pairs))]
    results = list(search.run(targets, lambda some: list(map(pool, some))))
    assert [result.target for result in results] == targets
    for result in results:
        assert [attempt.seed for attempt in result.attempts] == list(range(asked[result.target.ordinal]))
        assert all(attempt.outcome is not Outcome.FOUND for attempt in result.attempts[:-1])
        found = result.attempts[-1].outcome is Outcome.FOUND
        assert found == (result.x2 is not None) == (result.seed is not None)
        assert found or len(result.attempts) == len(seeds)


@pytest.mark.parametrize("name", ["mlp", "max pooling", "residual and cat"])
@pytest.mark.parametrize("asked", [{}, {"objective": "prefer"}, {"grid": GRIDS["8bit"]}])
def test_targets_find_side_by_side_what_they_find_alone(name: str, asked: dict[str, object]) -> None:
    network = piecewise(name, bounds=(0.0, 1.0))
    pairs = FeaturePairs(network.layers, network.edges)
    search = search_of("lp", network, dataclasses.replace(CRITERIA["ss"], effect="needed"), **asked)
    seeds = [Seed(row, x) for row, x in enumerate(np.random.default_rng(4).random((5, *network.input_shape)))]
    targets = [pairs[i].target(i) for i in range(0, len(pairs), max(1, len(pairs) // 12))]
    together = list(search.run(targets, lambda some: [iter(seeds) for _ in some]))
    alone = [next(search.run([target], lambda some: [iter(seeds)])) for target in targets]
    for one, other in zip(together, alone, strict=True):
        assert one.target == other.target
        assert [(a.seed, a.outcome, a.calls) for a in one.attempts] == [
            (a.seed, a.outcome, a.calls) for a in other.attempts
        ]
        assert (one.x2 is None) == (other.x2 is None)
        if one.x2 is not None:
            assert one.attempts[-1].objective == pytest.approx(other.attempts[-1].objective, rel=1e-9)
            np.testing.assert_allclose(one.x2, other.x2, rtol=0, atol=1e-7)
        assert all(a.solver_seconds <= a.seconds for a in one.attempts)


def test_registered_generators_say_what_they_do() -> None:
    assert all(kind.title and kind.words for kind in GENERATORS.values())
    search = search_of("lp", piecewise("mlp"), CRITERIA["ss"], margin=0.01, grid=GRIDS["8bit"])
    assert (search._margin, search._programme._levels) == (0.01, 255)


STEP, MARGIN = 0.02, 1e-4
FURTHER: dict[str, tuple[Callable[[Tensor], Tensor], list[float]]] = {
    # an activation function, and where its pieces meet
    "prelu": (lambda u: torch.nn.functional.prelu(u, torch.tensor([0.3, 1.5, 0.1]).double()), [0.0]),
    "hardtanh": (torch.nn.functional.hardtanh, [-1.0, 0.0, 1.0]),
    "clamp": (lambda u: u.clamp(-0.5, 0.7), [-0.5, 0.0, 0.7]),
    "hardsigmoid": (torch.nn.functional.hardsigmoid, [-3.0, 0.0, 3.0]),
    "where": (lambda u: torch.where(u > 0, 2 * u, 0.5 * u), [0.0]),
    "sign": (torch.sign, [0.0]),
}


@pytest.mark.parametrize("kind", FURTHER)
def test_the_nearest_input_of_a_grid_is_as_far_as_the_optimum(kind: str) -> None:
    """Reference: every input of a fine grid with the signs that SS asks for, and all else on the pieces of x1."""
    function, breaks = FURTHER[kind]
    module = seeded(
        lambda: Fn(lambda m, x: m[2](m[1](function(m[0](x))).relu()), *map(nn.Linear, (2, 3, 3), (3, 3, 2)))
    )
    module.double().m[1].bias.data -= module.m[1](function(module.m[0](torch.zeros(1, 2).double())))[0].detach() - 0.01
    network = Network(module, (2,), (-2.0, 2.0))
    search = search_of("lp", network, CRITERIA["ss"], margin=MARGIN)
    assert network.layers[1].kind == kind
    axis = torch.arange(-100, 101, dtype=torch.float64) * STEP
    grid, found, limits = torch.cartesian_prod(axis, axis), 0, torch.tensor(breaks).double()

    def known(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The pieces and signs of layer 2, and the signs of layer 3."""
        with torch.no_grad():
            u = module.m[0](x)
            return torch.bucketize(u, limits, right=True), u >= 0, module.m[1](function(u)) >= 0

    pieces, signs, decisions = known(grid)
    for pair, x1, attempt, _ in tries(search, network, 120):
        if pair.condition.layer != 2:
            continue
        i, j = pair.condition.neurons[0], pair.decision.neurons[0]
        piece, sign, decision = (each[0] for each in known(torch.from_numpy(x1)[None]))
        wanted = piece.clone()
        wanted[i] = breaks.index(0.0) + (not sign[i])
        holds = (pieces == wanted).all(1) & (signs[:, i] != sign[i]) & (decisions[:, j] != decision[j])
        nearest = (grid - torch.from_numpy(x1)).abs().amax(1)[holds]
        assert attempt.objective is not None or len(nearest) == 0
        if len(nearest):
            found += 1
            assert attempt.objective - MARGIN * 10 <= float(nearest.min()) <= attempt.objective + 4 * STEP
    assert found >= 4
