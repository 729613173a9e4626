"""Searches where features have ranges of their own: what they find is nearest, and within bounds, in shares of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pulp
import pytest
import torch
from torch import nn

from dnncov_core.criteria import CRITERIA
from dnncov_core.features import FeaturePair, FeaturePairs
from dnncov_core.generators import GENERATORS, GRIDS
from dnncov_core.generators.base import Found, Seed
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Outcome
from dnncov_core.replay import replay
from tests.builders import search as search_of
from tests.networks_for_tests import Fn, random_mlp

LOW, HIGH = np.array([0.0, -3.2, 100.0, -1.0, 2.0]), np.array([6000.0, 3.2, 1200.0, 0.5, 2.0])
WIDTH = HIGH - LOW
MARGIN = 1e-4


def _lively() -> nn.Module:
    """A network whose labels and signs change often."""
    module = random_mlp((5, 6, 5, 3), 3)
    for part in module.modules():
        if isinstance(part, nn.Linear):
            part.weight.data *= 3
    return module


MLP = _lively()
Weights = list[tuple[np.ndarray, np.ndarray]]


def scaled(module: nn.Module, low: np.ndarray, width: np.ndarray) -> nn.Module:
    """The module of (x - low) / width * 4 - 2; fixed numbers are -2 there."""
    first, by = torch.from_numpy(low), torch.from_numpy(np.where(width > 0, width, np.inf))
    return Fn(lambda parts, x: parts[0]((x - first) / by * 4 - 2), module)


@pytest.fixture(scope="module")
def network() -> Network:
    """Inputs in units of their own; the last feature is fixed."""
    return Network(scaled(MLP, LOW, WIDTH), (5,), (LOW, HIGH))


@pytest.fixture(scope="module")
def by_hand() -> Network:
    """The same as a function of shares."""
    return Network(scaled(MLP, np.zeros(5), (WIDTH > 0).astype(float)), (5,))


def weights() -> Weights:
    """W and b of each layer, from x itself."""
    linear = [part for part in MLP.modules() if isinstance(part, nn.Linear)]
    found = [(each.weight.detach().numpy(), each.bias.detach().numpy()) for each in linear]
    by = np.where(WIDTH > 0, WIDTH, np.inf)
    (first, b), *rest = found
    return [(first * 4 / by, b - first @ (LOW / by * 4 + 2)), *rest]


def forward(x: np.ndarray) -> dict[int, np.ndarray]:
    """u by layer, from the second on."""
    u: dict[int, np.ndarray] = {}
    for layer, (w, b) in enumerate(weights(), start=2):
        u[layer] = w @ x + b
        x = u[layer].clip(min=0)
    return u


def least_share(pair: FeaturePair, x1: np.ndarray) -> float | None:
    """The least t with |x2 - x1| <= t width for SS in the pattern of x1: the paper's programme, written out again."""
    (i,), (j,), k = pair.condition.neurons, pair.decision.neurons, pair.condition.layer
    problem, t = pulp.LpProblem("reference", pulp.LpMinimize), pulp.LpVariable("t", 0)
    problem += t
    x = [pulp.LpVariable(f"x{n}", low, high) for n, (low, high) in enumerate(zip(LOW, HIGH, strict=True))]
    for variable, at, width in zip(x, x1, WIDTH, strict=True):
        problem += variable - at <= t * width
        problem += at - variable <= t * width
    before, v = forward(x1), [variable + 0 for variable in x]
    for layer, (w, b) in enumerate(weights()[:k], start=2):
        u = [
            pulp.lpSum(c * value for c, value in zip(row, v, strict=True)) + const
            for row, const in zip(w, b, strict=True)
        ]
        v = []
        for n, value in enumerate(u):
            flips = (layer, n) in ((k, i), (k + 1, j))
            side = (1 if before[layer][n] >= 0 else -1) * (-1 if flips else 1)
            if layer <= k or flips:
                problem += side * value >= (MARGIN if flips else min(MARGIN, abs(before[layer][n])))
            v.append(value if side > 0 else pulp.lpSum([]))
    problem.solve(pulp.HiGHS(msg=False, threads=1))
    return float(t.varValue) if problem.status == pulp.LpStatusOptimal else None


def asked(
    network: Network, n: int, dtype: str = "float64", **options: object
) -> Iterator[tuple[FeaturePair, np.ndarray]]:
    pairs, rng = FeaturePairs(network.layers, network.edges, **options), np.random.default_rng(0)
    for _ in range(n):
        yield pairs[int(rng.integers(len(pairs)))], rng.uniform(LOW, HIGH).astype(dtype)


def found_by(network: Network, generator: str, pair: FeaturePair, *inputs: np.ndarray, **options: object) -> Found:
    search = search_of(generator, network, CRITERIA["ss"], margin=MARGIN, **options)
    seeds = [Seed(row, x) for row, x in enumerate(inputs, start=7)]
    (found,) = search.run([pair.target(0)], lambda targets: [seeds for _ in targets])
    return found


@pytest.mark.parametrize("generator", ["lp", "lp-reference"])
def test_the_optimum_is_the_least_share_of_ranges(network: Network, generator: str) -> None:
    n_found = 0
    for pair, x1 in asked(network, 30):
        found, least = found_by(network, generator, pair, x1), least_share(pair, x1)
        assert (found.x2 is None) == (least is None)
        if found.x2 is None or found.seed is None:
            continue
        n_found += 1
        assert found.attempts[-1].objective == pytest.approx(least, rel=1e-6)
        assert (np.abs(found.x2 - x1)[:4] / WIDTH[:4]).max() == pytest.approx(least, rel=1e-6)
        assert (found.seed.row, found.x2[4]) == (7, 2.0)
        np.testing.assert_array_equal(found.seed.x, x1)
        assert ((found.x2 >= LOW) & (found.x2 <= HIGH)).all()
        assert replay(network, CRITERIA["ss"], pair, x1, found.x2)
    assert n_found >= 8


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_found_holds_within_the_range_of_each_feature(network: Network, generator: str, dtype: str) -> None:
    n_found, own = 0, network.to(dtype=getattr(torch, dtype))
    papers = generator == "gradient"  # goes no further than 8 / 255
    others = [x1 for _, x1 in asked(network, 20, dtype)] if papers else []
    for pair, x1 in asked(network, 6 if papers else 25, dtype, **({"mode": "free", "omega": 0.6} if papers else {})):
        found = found_by(own, generator, pair, x1, *others, passes=2000)
        if found.x2 is not None and found.seed is not None:
            n_found, x1 = n_found + 1, found.seed.x
            assert found.x2.dtype == dtype
            assert ((LOW.astype(dtype) <= found.x2) & (found.x2 <= HIGH.astype(dtype))).all()
            assert replay(own, CRITERIA["ss"], pair, x1, found.x2)
    assert n_found >= (1 if papers else 3)


@pytest.mark.parametrize("generator", ["lp", "targeted"])
def test_another_label_is_within_the_bound_as_a_share(network: Network, generator: str) -> None:
    n_found = 0
    for pair, x1 in asked(network, 60):
        found = found_by(network, generator, pair, x1, objective="adversarial", bound=0.3)
        if found.x2 is not None:
            n_found += 1
            assert (np.abs(found.x2 - x1)[:4] / WIDTH[:4]).max() <= 0.3 + 1e-12
            assert np.argmax(forward(found.x2)[4]) != np.argmax(forward(x1)[4])
            assert Oracle("inf", 0.3).judge(network, x1, found.x2).adversarial
    assert n_found >= 2


@pytest.mark.parametrize("generator", GENERATORS)
def test_searches_do_as_with_shares_written_by_hand(network: Network, by_hand: Network, generator: str) -> None:
    outcomes: list[tuple[Outcome, Outcome]] = []
    for pair, x1 in asked(network, 20):
        mine, theirs = (
            found_by(network, generator, pair, x1),
            found_by(by_hand, generator, pair, network.box.shares(x1)),
        )
        outcomes.append((mine.attempts[-1].outcome, theirs.attempts[-1].outcome))
        if mine.x2 is not None and theirs.x2 is not None:
            np.testing.assert_allclose(network.box.shares(mine.x2)[:4], theirs.x2[:4], atol=1e-6)
    assert all(mine is theirs for mine, theirs in outcomes)


@pytest.mark.parametrize("ends", [(0.0, 255.0), (-1.0, 1.0)])
@pytest.mark.parametrize("generator", ["lp", "targeted"])
def test_on_grey_levels_an_image_with_one_range_for_all_is_searched_as_its_shares_are(
    generator: str, ends: tuple[float, float]
) -> None:
    """The bound and the distances are those of the numbers themselves."""
    low, high = ends
    torch.manual_seed(0)
    conv = nn.Sequential(nn.Conv2d(1, 2, 2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 3))
    own = Network(scaled(conv.double(), np.array(low), np.array(high - low)), (1, 3, 3), ends)
    by_hand = Network(scaled(conv, np.array(0.0), np.array(1.0)), (1, 3, 3))
    pairs, rng, n_found, bound = FeaturePairs(own.layers, own.edges), np.random.default_rng(0), 0, 90 / 255
    for _ in range(6):
        shares, pair = rng.integers(0, 256, (9, 1, 3, 3)) / 255, pairs[int(rng.integers(len(pairs)))]
        asked = {"grid": GRIDS["8bit"], "objective": "prefer"}
        found = found_by(own, generator, pair, *(low + (high - low) * shares), bound=bound * (high - low), **asked)
        twin = found_by(by_hand, generator, pair, *shares, bound=bound, **asked)
        assert [each.outcome for each in found.attempts] == [each.outcome for each in twin.attempts]
        if found.x2 is not None:
            n_found += 1
            np.testing.assert_array_equal(np.rint((found.x2 - low) / (high - low) * 255), np.rint(twin.x2 * 255))
            np.testing.assert_array_equal(found.x2, GRIDS["8bit"].nearest(found.x2, own.box))
            assert high < 255 or (found.x2 == np.rint(found.x2)).all()
            if generator == "lp":
                assert found.attempts[-1].objective == pytest.approx((high - low) * twin.attempts[-1].objective)
    assert n_found >= 2


@pytest.mark.parametrize("generator", ["lp", "targeted"])
def test_grey_levels_of_an_image_lie_between_the_bounds_of_its_channels(generator: str) -> None:
    low, high = np.array([-2.1, -1.0, 0.0]).reshape(3, 1, 1), np.array([2.2, 1.0, 255.0]).reshape(3, 1, 1)
    conv = nn.Sequential(nn.Conv2d(3, 2, 2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 3))
    torch.manual_seed(0)
    network = Network(scaled(conv.double(), low, high - low), (3, 3, 3), (low, high))
    pairs, rng, n_found = FeaturePairs(network.layers, network.edges), np.random.default_rng(0), 0
    for _ in range(25):
        levels = rng.integers(0, 256, (3, 3, 3))
        x1, pair = low + (high - low) * (levels / 255), pairs[int(rng.integers(len(pairs)))]
        found = found_by(network, generator, pair, x1, grid=GRIDS["8bit"])
        if found.x2 is not None:
            n_found += 1
            whole = (found.x2 - low) / (high - low) * 255
            np.testing.assert_allclose(whole, np.rint(whole), atol=1e-9)
    assert n_found >= 5
