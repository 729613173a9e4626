"""Two inputs side by side: a replay in PyTorch says the same, and nothing is left out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, CoveringMethod
from dnncov_core.criteria.value_functions import ANY, NormChange, RatioChange, Top
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.playground.effect import decision_change, effect
from dnncov_core.playground.setting import NETWORK, Point
from dnncov_core.playground.two_inputs import two_inputs
from dnncov_core.replay import Replay

X1, X2 = (0.1, 0.0), (0.0, -1.0)
POINTS: list[Point] = [X1, X2, (0.0, 0.0)]
"""Many u are 0 there, so that ratios are x/0 and 0/0."""
FUNCTIONS = [
    *(VALUE_FUNCTIONS[name]() for name in VALUE_FUNCTIONS if name != "ssim"),
    RatioChange(0.5),
    NormChange(0.7, p="1"),
    NormChange(3.0, p="2", at_most=True),
    Top("x2"),
]
METHODS = [
    CRITERIA["ss"],
    *(CRITERIA[key].with_functions(g, ANY) for key in ("vs", "sv") for g in FUNCTIONS),
    *(CRITERIA["vv"].with_functions(RatioChange(2.0), g) for g in FUNCTIONS[-3:]),
]


@pytest.fixture(scope="module")
def network() -> Network:
    return load_embedded(NETWORK)


def some_inputs() -> list[tuple[Point, Point]]:
    """On boundaries, near each other, and far apart."""
    random, found = np.random.default_rng(10), [*itertools.permutations(POINTS, 2)]
    for reach in (0.3, 2.0, 10.0):
        for x1 in random.uniform(-1, 1, (3, 2)):
            x2 = np.clip(x1 + random.uniform(-reach, reach, 2), -10, 10)
            found.append(((float(x1[0]), float(x1[1])), (float(x2[0]), float(x2[1]))))
    return found


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("method", METHODS, ids=lambda method: f"{method.key} {method.functions}")
def test_a_replay_says_the_same_of_coverage_and_effect(network: Network, method: CoveringMethod) -> None:
    n_covered = 0
    for x1, x2 in some_inputs():
        inputs, replayed = two_inputs(x1, x2), Replay(network, method, np.array(x1), np.array(x2))
        for pair in inputs.pairs(3):
            covered = inputs.covers(method, pair)
            assert covered is replayed.holds(pair), (x1, x2, pair)
            assert covered is all(part.holds for part in inputs.parts(method, pair))
            ours, theirs = effect(inputs, method, pair), replayed.effect(pair)
            assert (ours.needed, ours.sufficient) == (theirs.needed, theirs.sufficient), (x1, x2, pair)
            assert ours.share == (None if theirs.share is None else pytest.approx(theirs.share, abs=1e-9))
            n_covered += covered
    assert n_covered > 0


def test_a_replay_says_the_same_of_what_carries_the_change(network: Network) -> None:
    named = 0
    for x1, x2 in some_inputs():
        inputs, replayed = two_inputs(x1, x2), Replay(network, CRITERIA["ss"], np.array(x1), np.array(x2))
        for pair in inputs.pairs(3):
            ours, theirs = decision_change(inputs, pair), replayed.decision_change(pair)
            for one, other in zip(
                (ours.u1, ours.alone, ours.put_back, ours.u2),
                (theirs.u1, theirs.alone, theirs.put_back, theirs.u2),
                strict=True,
            ):
                assert one == pytest.approx(other, abs=1e-12)
            carried, others = (dict(zip(each.neurons, each.others, strict=True)) for each in (ours, theirs))
            assert carried.keys() == others.keys(), (x1, x2, pair)
            assert all(carried[i] == pytest.approx(others[i], abs=1e-12) for i in carried)
            sizes = [abs(each @ np.sign(ours.u2 - ours.u1)) for each in ours.others]
            assert sizes == pytest.approx(sorted(sizes, reverse=True), abs=1e-12)
            named += len(carried)
    assert named > 30


def test_structural_similarity_has_no_maps_here() -> None:
    method = CRITERIA["sv"].with_functions(VALUE_FUNCTIONS["ssim"](), ANY)
    inputs = two_inputs(X1, X2)
    with pytest.raises(SpecificationError, match="whole feature maps"):
        inputs.covers(method, next(inputs.pairs()))


def test_pairs_are_those_of_the_network_and_larger_ones(network: Network) -> None:
    inputs = two_inputs(X1, X2)
    assert set(inputs.pairs()) == set(FeaturePairs(network.layers, network.edges))
    every = list(inputs.pairs(3))
    assert len(every) == len(set(every)) == 7 * 7 + 7 * 3


def test_an_input_compared_with_itself_changes_nothing() -> None:
    inputs = two_inputs(X1, X1)
    assert not any(each.changed for layer in (2, 3, 4) for each in inputs.neurons(layer))
    assert not any(inputs.covers(CRITERIA["ss"], pair) for pair in inputs.pairs(3))
