"""The verdict on a proposed pair."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dnncov_core.box import Box
from dnncov_core.campaign.work.judge import Judge, on_8bit_grid
from dnncov_core.criteria import CRITERIA
from dnncov_core.generators import Seed
from dnncov_core.generators.base import Found
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Attempt, Outcome, Target
from tests.networks_for_tests import mlp_of

SS = Target(0, 2, 3, (0,), (0,))
X1, X2 = np.array([0.1, 0.0]), np.array([0.0, -1.0])
"""The paper's Example for SS: ({n2,1}, {n3,1}) by its inputs."""


@pytest.fixture(scope="module")
def toy() -> Network:
    return load_network("toy")[0]


def found(target: Target = SS, x2: np.ndarray | None = X2) -> Found:
    return Found(target, (Attempt(7, Outcome.FOUND, 0.1, margin=0.01),), Seed(7, X1), x2)


def judge(network: Network, oracle: Oracle = Oracle(), method: str = "ss") -> Judge:  # noqa: B008 - frozen
    return Judge(network, CRITERIA[method], oracle)


def test_the_papers_pair_is_confirmed_with_its_verdict(toy: Network) -> None:
    pair = judge(toy).test_pair(found())
    assert pair is not None
    assert (pair.target, pair.seed, pair.margin) == (SS, 7, 0.01)
    assert (pair.label1, pair.label2, pair.adversarial) == (1, 1, False)
    assert 0.5 <= pair.confidence1 <= 1
    assert (pair.distance_inf, pair.distance_1) == (1.0, 1.1)
    assert pair.distance_2 == pytest.approx(1.01**0.5)
    assert pair.holds_float64
    assert pair.holds_8bit is None


@pytest.mark.parametrize(
    "target", [Target(0, 2, 3, (1,), (0,)), Target(0, 2, 3, (0,), (1,)), Target(0, 2, 3, (0, 2), (0,))]
)
def test_what_does_not_hold_is_refused(toy: Network, target: Target) -> None:
    assert judge(toy).test_pair(found(target)) is None


@pytest.mark.parametrize("most", [1, 3])
def test_a_free_feature_is_what_flipped(toy: Network, most: int) -> None:
    """Of layer 2 only n_{2,1} changes its sign in the paper's Example."""
    pair = judge(toy).test_pair(found(Target(0, 2, 3, (), (0,), most)))
    assert pair is not None
    assert pair.flipped == pair.condition_neurons == (0,)


def test_a_free_feature_has_no_more_neurons_than_it_may_and_at_least_one(toy: Network) -> None:
    of_three = np.array([-1.0, 1.0])
    assert judge(toy).test_pair(found(Target(0, 2, 3, (), (1,), 2), of_three)) is None
    pair = judge(toy).test_pair(found(Target(0, 2, 3, (), (1,), 3), of_three))
    assert pair is not None
    assert pair.flipped == (0, 1, 2)
    assert judge(toy).test_pair(found(Target(0, 2, 3, (), (0,), 3), X1)) is None


def test_a_named_feature_is_what_the_target_names(toy: Network) -> None:
    pair = judge(toy).test_pair(found())
    assert pair is not None
    assert pair.flipped is None
    assert pair.condition_neurons == (0,)


def test_nothing_found_is_no_pair(toy: Network) -> None:
    assert judge(toy).test_pair(Found(SS, ())) is None
    assert judge(toy).test_pair(found(x2=None)) is None


@pytest.mark.parametrize(("norm", "apart"), [("inf", 1.0), ("1", 1.1), ("2", 1.01**0.5)])
def test_the_distance_is_in_the_oracles_norm(toy: Network, norm: str, apart: float) -> None:
    pair = judge(toy, Oracle(norm)).test_pair(found())  # type: ignore[arg-type]
    assert pair is not None
    assert pair.distance == pytest.approx(apart)


@pytest.mark.parametrize(("bound", "adversarial"), [(None, True), (2.0, True), (0.999, False)])
def test_the_bound_is_the_oracles(toy: Network, bound: float | None, adversarial: bool) -> None:
    target, x2 = Target(0, 2, 3, (1,), (2,)), np.array([0.0, 1.0])
    verdict = Oracle("inf", bound).judge(toy, X1, x2)
    assert (verdict.label1, verdict.label2) == (1, 0)
    assert verdict.adversarial is adversarial
    assert target.decision_neurons == (2,)


class TestGrid:
    def test_nearest_grey_level(self) -> None:
        rounded = on_8bit_grid(np.array([0.0, 0.0019, 0.002, 0.5, 1.0]), Box((5,), (0.0, 1.0)))
        assert rounded is not None
        assert (rounded * 255).round(9).tolist() == [0, 0, 1, 128, 255]

    def test_it_keeps_the_precision_and_is_stable(self) -> None:
        x = np.random.default_rng(0).random(200).astype(np.float32)
        once = on_8bit_grid(x, Box((5,), (0.0, 1.0)))
        assert once is not None
        assert once.dtype == np.float32
        np.testing.assert_array_equal(once, on_8bit_grid(once, Box((5,), (0.0, 1.0))))
        assert np.abs(once - x).max() <= 0.5 / 255 + 1e-7

    @pytest.mark.parametrize("bounds", [(-10.0, 10.0), (0.0, 255.0), (-1.0, 1.0)])
    def test_inputs_that_are_no_pixels_have_none(self, bounds: tuple[float, float]) -> None:
        assert on_8bit_grid(np.zeros(2), Box((2,), bounds)) is None

    @pytest.mark.parametrize(("low", "high"), [(0.0, 255.0), (-1.0, 1.0)])
    def test_levels_of_an_image_lie_between_its_bounds(self, low: float, high: float) -> None:
        x = np.random.default_rng(0).uniform(low, high, (1, 3, 3)).astype(np.float32)
        level = np.array([min(range(256), key=lambda n: abs(low + (high - low) * n / 255 - each)) for each in x.flat])
        once = on_8bit_grid(x, Box((1, 3, 3), (low, high)))
        assert once is not None
        assert once.dtype == np.float32
        np.testing.assert_array_equal(once.ravel(), (low + (high - low) * level / 255).astype(np.float32))
        np.testing.assert_array_equal(once, on_8bit_grid(once, Box((1, 3, 3), (low, high))))
        assert on_8bit_grid(x[:, :1], Box((1, 1, 3), (low, high))) is None

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_levels_of_an_image_lie_between_the_bounds_of_each_channel(self, dtype: str) -> None:
        ranges = ((-2.1, 2.2), (0.0, 255.0))
        box, rng = Box((2, 3, 3), (-2.1, 255.0), ranges), np.random.default_rng(0)
        x = np.stack([rng.uniform(low, high, (3, 3)) for low, high in ranges]).astype(dtype)
        once = on_8bit_grid(x, box)
        assert once is not None
        for channel, (low, high) in enumerate(ranges):
            level = np.rint((x[channel].astype(np.float64) - low) / (high - low) * 255)
            np.testing.assert_allclose(once[channel], low + level / 255 * (high - low), rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(once, on_8bit_grid(once, box))
        assert on_8bit_grid(x[:, 0], Box((2, 3), (-2.1, 255.0), ranges)) is None

    @pytest.mark.parametrize(("x2", "survives"), [(0.498, False), (0.494, True)])
    def test_a_least_distance_witness_may_be_lost(self, x2: float, survives: bool) -> None:
        """The sign changes at x = 0.49802, just below the grey level 127 / 255 that x2 = 0.498 is rounded to."""
        weights = [np.array([[1.0]]), np.array([[1.0]]), np.array([[1.0, 1.0]])]
        judged = judge(Network(mlp_of(weights, [np.array([-0.49802]), np.array([-1e-6]), np.zeros(2)]), (1,)))
        seed = Seed(0, np.array([0.6]))
        pair = judged.test_pair(dataclasses.replace(found(), seed=seed, x2=np.array([x2])))
        assert pair is not None
        assert pair.holds_8bit is survives


@pytest.mark.parametrize("asked", ["none", "needed"])
def test_an_effect_that_rounding_takes_leaves_the_definition_as_it_is(asked: str) -> None:
    """x2 at 8 bits is (130, 90) / 255: u = v0 + v1 - .352 is then above 0 without v0, too."""
    weights, biases = [np.eye(2), np.array([[1.0, 0.0], [1.0, 1.0]])], [np.array([-0.5, 0.0]), np.array([-0.352, 0.0])]
    network = Network(mlp_of(weights, biases), (2,))
    seed = Seed(7, np.array([0.4, 0.3]))
    pair = Judge(network, dataclasses.replace(CRITERIA["ss"], effect=asked), Oracle()).test_pair(
        Found(SS, (Attempt(7, Outcome.FOUND, 0.1),), seed, np.array([0.51, 0.3516]))
    )
    assert pair is not None
    assert (pair.needed, pair.sufficient, pair.holds_8bit) == (True, False, True)
    assert (pair.needed_8bit, pair.needed_float64, pair.holds_float64) == (False, True, True)
