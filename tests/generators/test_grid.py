"""Test pairs on a grid: by brute force over all its points, on every kind of network, and through image files."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.criteria.value_functions import AbsoluteChange, AnyChange, NormChange, RatioChange, Top, UpperBoundary
from dnncov_core.errors import SpecificationError
from dnncov_core.features import Feature, FeaturePair, FeaturePairs
from dnncov_core.generators import GENERATORS, GRIDS
from dnncov_core.generators.base import Seed
from dnncov_core.generators.grid_programme import FARTHER, OnGrid, _GridModel
from dnncov_core.generators.lp_search import LinearProgramSearch
from dnncov_core.generators.programme import LinearCondition
from dnncov_core.generators.row_generation import RowGeneration
from dnncov_core.networks.network import Network
from dnncov_core.records import Outcome
from dnncov_core.replay import replay
from tests.builders import search as search_of
from tests.networks_for_tests import PIECEWISE, mlp_of, piecewise, random_mlp

METHODS = [
    CRITERIA["ss"],
    CRITERIA["vs"].with_functions(AbsoluteChange(0.2), AnyChange()),
    CRITERIA["vs"].with_functions(Top("x2"), AnyChange()),
    CRITERIA["sv"].with_functions(RatioChange(1.5), AnyChange()),
    CRITERIA["vv"].with_functions(UpperBoundary(0.1), AnyChange()),
    CRITERIA["vv"].with_functions(NormChange(0.3, "inf", at_most=True), AbsoluteChange(0.1)),
]
LEVELS = 3
POINTS = np.array(list(itertools.product(range(LEVELS + 1), repeat=4))) / LEVELS


def coarse(network: Network, method: CoveringMethod) -> LinearProgramSearch:
    """The search on a grid that is small enough to try every point."""
    programme = OnGrid(RowGeneration(network), network, LEVELS)
    return LinearProgramSearch(network, method, margin=1e-4, programme=programme)


def steps(distance: float) -> int:
    return math.ceil(distance * LEVELS - 1e-6)


def least(x1: np.ndarray, points: np.ndarray) -> float:
    """The least distance of these points from x1, in whole levels; infinite if there are none."""
    return min((steps(float(np.abs(point - x1).max())) for point in points), default=math.inf)


def within_pattern(network: Network, condition: LinearCondition) -> np.ndarray:
    """The points of the grid that keep to the pattern and meet what one programme asks, by the network's own u."""
    required = condition.required
    values = capture(network, torch.from_numpy(POINTS), list(required.low))
    u = {layer: values[layer].u.numpy() for layer in required.low}
    good = np.ones(len(POINTS), bool)
    for layer, low in required.low.items():
        good &= ((u[layer] >= low - 1e-9) & (u[layer] <= required.high[layer] + 1e-9)).all(axis=1)
    for row in required.rows:
        total = np.sum([c * u[layer][:, i] for (layer, i), c in row.coefficients.items()], axis=0)
        good &= total >= row.at_least - 1e-9
    return POINTS[good]


def covering_points(network: Network, method: CoveringMethod, pair: FeaturePair, x1: np.ndarray) -> np.ndarray:
    """All points of the grid that make a test pair with x1, within the pattern or not."""
    before = capture(network, torch.from_numpy(x1)[None].expand(len(POINTS), -1))
    return POINTS[method.holds(pair, before, capture(network, torch.from_numpy(POINTS))).numpy()]


@pytest.mark.parametrize("x1_on_grid", [True, False])
def test_the_distance_is_the_least_by_brute_force(x1_on_grid: bool) -> None:
    """Between the least of all points that cover and the least of those within the pattern; no answer is a proof."""
    rng = np.random.default_rng(0)
    found = lost = farther = 0
    for network, method in itertools.product([Network(random_mlp((4, 6, 6, 3), i), (4,)) for i in range(2)], METHODS):
        search, plain = coarse(network, method), search_of("lp", network, method)
        pairs = FeaturePairs(network.layers, network.edges)
        for _ in range(12):
            pair = pairs[int(rng.integers(len(pairs)))]
            x1 = POINTS[int(rng.integers(len(POINTS)))] if x1_on_grid else rng.random(4)
            attempt, x2 = search.attempt(pair, Seed(0, x1))
            inside = np.concatenate([within_pattern(network, c) for c in search.conditions(pair, Seed(0, x1), 1e-4)])
            lower = plain.attempt(pair, Seed(0, x1))[0].objective
            if x2 is None:
                assert attempt.outcome is Outcome.INFEASIBLE_HERE
                assert not len(inside)
                lost += lower is not None
                continue
            assert lower is not None
            assert attempt.objective == np.abs(x2 - x1).max()
            covering = covering_points(network, method, pair, x1)
            assert (covering == x2).all(axis=1).any()
            tried = [steps(lower) + more for more in FARTHER]
            upper = min((level for level in tried if level >= least(x1, inside)), default=math.inf)
            assert least(x1, covering) <= steps(attempt.objective) <= upper
            found += 1
            farther += steps(attempt.objective) > tried[0]
    assert found >= 30
    assert lost >= 1
    assert farther >= 2


def test_the_integer_programme_finds_what_rounding_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(random_mlp((20, 10, 10, 4), 1), (20,))

    def distances() -> list[float]:
        rng = np.random.default_rng(0)
        pairs = FeaturePairs(network.layers, network.edges)
        seeds = [
            (pairs[int(rng.integers(len(pairs)))], Seed(0, rng.integers(0, LEVELS + 1, 20) / LEVELS)) for _ in range(80)
        ]
        attempts = [coarse(network, CRITERIA["ss"]).attempt(*seed)[0] for seed in seeds]
        return [math.inf if attempt.objective is None else attempt.objective for attempt in attempts]

    with_it = distances()
    monkeypatch.setattr(_GridModel, "_by_integers", lambda model: None)
    without = distances()
    assert all(a <= b for a, b in zip(with_it, without, strict=True))
    assert sum(a < b for a, b in zip(with_it, without, strict=True)) >= 1


class TestEveryNetwork:
    """On the grid of 8 bits, from seeds on it and between its points."""

    @pytest.mark.parametrize("kind", ["lp", "lp-reference"])
    @pytest.mark.parametrize("name", PIECEWISE)
    def test_pairs_lie_on_the_grid_and_hold(self, name: str, kind: str) -> None:
        network = piecewise(name)
        found = 0
        for place, method in enumerate(METHODS):
            search = search_of(kind, network, method, grid=GRIDS["8bit"])
            for pair, x1, attempt, x2 in attempts_at(search, network, 3, seed=place):
                assert attempt.outcome in {Outcome.FOUND, Outcome.INFEASIBLE_HERE}
                if x2 is not None:
                    found += 1
                    np.testing.assert_array_equal(x2, GRIDS["8bit"].nearest(x2))
                    assert replay(network, method, pair, x1, x2)
        assert found >= 3

    def test_both_generators_find_the_same_distance(self) -> None:
        network = Network(random_mlp((20, 10, 10, 4), 1), (20,))

        def levels(kind: str) -> list[int | None]:
            search = search_of(kind, network, CRITERIA["ss"], grid=GRIDS["8bit"])
            objectives = [attempt.objective for _, _, attempt, _ in attempts_at(search, network, 40)]
            return [None if t is None else math.ceil(255 * t - 1e-6) for t in objectives]

        assert levels("lp") == levels("lp-reference")
        assert len(set(levels("lp"))) >= 5

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_pairs_hold_after_their_way_through_an_image_file(self, dtype: torch.dtype, tmp_path: Path) -> None:
        network = Network(random_mlp((20, 10, 10, 4), 1, dtype), (1, 4, 5))
        search = search_of("lp", network, CRITERIA["ss"], grid=GRIDS["8bit"])
        found = [(pair, x1, x2) for pair, x1, _, x2 in attempts_at(search, network, 40) if x2 is not None]
        assert len(found) >= 10
        for pair, x1, x2 in found:
            Image.fromarray(np.rint(x2[0] * 255).astype(np.uint8)).save(tmp_path / "x2.png")
            with Image.open(tmp_path / "x2.png") as image:
                read = (np.asarray(image)[None] / 255).astype(x1.dtype)
            np.testing.assert_array_equal(read, x2)
            assert replay(network, CRITERIA["ss"], pair, x1, read)

    def test_the_same_again(self) -> None:
        network = Network(random_mlp((20, 10, 10, 4), 1), (20,))
        first, second = (
            [(attempt.outcome, attempt.objective, None if x2 is None else x2.tobytes()) for _, _, attempt, x2 in done]
            for done in (attempts_at(coarse(network, CRITERIA["ss"]), network, 40) for _ in range(2))
        )
        assert first == second


def attempts_at(search: LinearProgramSearch, network: Network, n: int, seed: int = 0) -> list[tuple]:
    """``n`` attempts at random pairs, from seeds on the grid of 8 bits and from others: (pair, x1, attempt, x2)."""
    pairs, rng = FeaturePairs(network.layers, network.edges), np.random.default_rng(seed)
    done = []
    for row in range(n):
        pair, x1 = pairs[int(rng.integers(len(pairs)))], rng.random(network.input_shape)
        x1 = torch.from_numpy(GRIDS["8bit"].nearest(x1) if row % 2 else x1).to(network.dtype).numpy()
        done.append((pair, x1, *search.attempt(pair, Seed(row, x1))))
    return done


def slab(width: float) -> Network:
    """One input; u_2 = (x - 0.5005, x - 0.5005 - width), u_3 = 2 (u_2,1 - 1e-5)."""
    first, bias = np.array([[1.0, 1.0]]), np.array([-0.5005, -0.5005 - width])
    return Network(
        mlp_of([first, np.array([[2.0], [0.0]]), np.ones((1, 2))], [bias, np.array([-2e-5]), np.zeros(2)]), (1,)
    )


@pytest.mark.parametrize(("width", "outcome"), [(1 / 255, Outcome.FOUND), (0.3 / 255, Outcome.UNKNOWN)])
def test_what_lies_between_two_grey_levels_stays_open(width: float, outcome: Outcome) -> None:
    """The only x2 are in (0.5005, 0.5005 + width), where the next grey level is 128 / 255 = 0.50196."""
    search = search_of("lp", slab(width), CRITERIA["ss"], margin=1e-6, grid=GRIDS["8bit"])
    attempt, x2 = search.attempt(FeaturePair(Feature(2, (0,)), Feature(3, (0,))), Seed(0, np.array([120 / 255])))
    assert attempt.outcome is outcome
    assert attempt.message == ("" if x2 is not None else "the solver says no point of the grid within 16 levels")
    assert (x2 is None) is (outcome is Outcome.UNKNOWN)
    assert x2 is None or x2[0] * 255 == pytest.approx(128)


@pytest.mark.parametrize("generator", GENERATORS)
def test_grey_levels_are_for_inputs_from_0_to_1_and_for_images(generator: str) -> None:
    network = piecewise("mlp", bounds=(-3.0, 3.0))
    search_of(generator, network, CRITERIA["ss"])
    said = r"inputs in \[0, 1\].*got a network with inputs of shape \(5,\) in \[-3, 3\]; choose grid none"
    with pytest.raises(SpecificationError, match=said):
        search_of(generator, network, CRITERIA["ss"], grid=GRIDS["8bit"])
    vector = piecewise("mlp", bounds=((0, 0, 0, 0, 0), (1, 1, 1, 1, 2)))
    with pytest.raises(SpecificationError, match=r"in \[0, 2\], each feature with its own range; choose grid none"):
        search_of(generator, vector, CRITERIA["ss"], grid=GRIDS["8bit"])


def test_every_grid_says_what_it_is() -> None:
    assert all(grid.title and grid.words for grid in GRIDS.values())
    x = np.random.default_rng(0).random(5)
    assert GRIDS["none"].nearest(x) is x
