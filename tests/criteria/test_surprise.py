"""LSA, DSA and MDSA against their definitions, one input at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.mlab import GaussianKDE

from dnncov_core.criteria import surprise
from dnncov_core.criteria.surprise import SURPRISES, DistanceSurprise, LikelihoodSurprise, MahalanobisSurprise
from dnncov_core.errors import DataError

Points = list[list[float]]


def covariance(points: Points, divisor: int) -> np.ndarray:
    mean = [sum(column) / len(points) for column in zip(*points, strict=True)]
    found = np.zeros((len(mean), len(mean)))
    for point in points:
        for i, a in enumerate(mean):
            for j, b in enumerate(mean):
                found[i, j] += (point[i] - a) * (point[j] - b) / divisor
    return found


def lsa(points: Points, x: list[float]) -> float:
    n, d = len(points), len(x)
    kernel = covariance(points, n - 1) * n ** (-2 / (d + 4))
    inverse, scale = np.linalg.inv(kernel), math.sqrt((2 * math.pi) ** d * np.linalg.det(kernel))
    density = 0.0
    for point in points:
        apart = np.subtract(x, point)
        density += math.exp(-(apart @ inverse @ apart) / 2) / scale / n
    return -math.log(density)


def dsa(points: Points, others: Points, x: list[float]) -> float:
    nearest = min(points, key=lambda point: math.dist(point, x))
    return math.dist(nearest, x) / min(math.dist(nearest, other) for other in others)


def mdsa(points: Points, x: list[float]) -> float:
    apart = np.subtract(x, np.mean(points, axis=0))
    return math.sqrt(apart @ np.linalg.inv(covariance(points, len(points))) @ apart)


def drawn(seed: int, inputs: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values and labels of reference data of three classes, and of inputs near them."""
    rng = np.random.default_rng(seed)
    labels, own = np.arange(36) % 3, rng.integers(0, 3, inputs)
    return rng.normal(labels[:, None], 1, (36, 3)), labels, rng.normal(own[:, None], 1.5, (inputs, 3)), own


@given(seed=st.integers(0, 500), at_once=st.sampled_from([2, 5, 1024]))
def test_surprise_is_as_defined(seed: int, at_once: int) -> None:
    values, labels, x, own = drawn(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surprise, "INPUTS_AT_ONCE", at_once)
        patch.setattr(surprise, "DISTANCES_AT_ONCE", 7 * at_once)
        found = {key: kind(values, labels).of(x, own) for key, kind in SURPRISES.items()}
    same = [values[labels == label].tolist() for label in range(3)]
    others = [values[labels != label].tolist() for label in range(3)]
    pairs = list(zip(x.tolist(), own.tolist(), strict=True))
    assert found["lsa"] == pytest.approx([lsa(same[c], each) for each, c in pairs])
    assert found["dsa"] == pytest.approx([dsa(same[c], others[c], each) for each, c in pairs])
    assert found["mdsa"] == pytest.approx([mdsa(same[c], each) for each, c in pairs])


def test_an_example_by_hand() -> None:
    """One neuron. Class 0 has the values 0, 2 and 4, class 1 has 10 and 12; the inputs are 2 and 3.5, both of class 0.

    LSA: the variance of class 0 is (4 + 0 + 4) / 2 = 4, Scott's factor 3^(-1/5), so that the kernels' variance is
    4 * 3^(-2/5) = 2.57758. At 2 the density is (1 + 2 exp(-4 / 5.15515)) / (3 * sqrt(2 pi * 2.57758)) = 1.92056 /
    (3 * 4.02435) = 0.159078, and -log of it 1.83836.
    DSA: 2 is a reference input: 0. To 3.5 the nearest is 4, at 0.5, and 10 is at 6 from 4: 0.5 / 6.
    MDSA: the mean is 2, the variance (4 + 0 + 4) / 3: 0 for 2, and 1.5 / sqrt(8 / 3) = 0.918559 for 3.5.
    """
    known = np.array([[0.0], [2.0], [4.0], [10.0], [12.0]]), np.array([0, 0, 0, 1, 1])
    x = np.array([[2.0], [3.5]]), np.array([0, 0])
    assert LikelihoodSurprise(*known).of(*x)[0] == pytest.approx(1.83836, abs=1e-5)
    assert DistanceSurprise(*known).of(*x) == pytest.approx([0, 1 / 12])
    assert MahalanobisSurprise(*known).of(*x) == pytest.approx([0, 0.918559], abs=1e-6)


def test_the_density_is_that_of_another_library() -> None:
    values, labels, x, own = drawn(1)
    kde = GaussianKDE(values[labels == 1].T)
    found = LikelihoodSurprise(values, labels).of(x, own)[own == 1]
    assert found == pytest.approx(-np.log(kde.evaluate(x[own == 1].T)))


def test_far_away_the_density_is_no_zero() -> None:
    values, labels, _, _ = drawn(1)
    far, farther = LikelihoodSurprise(values, labels).of(np.array([[1e3] * 3, [2e3] * 3]), np.array([1, 1]))
    assert 1e4 < far < farther < math.inf


def test_neurons_that_hardly_vary_in_a_class_are_left_out_of_lsa() -> None:
    values, labels, x, own = drawn(2)
    still = values[:, :1] * np.where(labels == 1, 1e-3, 1)[:, None]
    twice = values[:, 1:2] * 2 + 1  # no covariance with this one has an inverse
    known = LikelihoodSurprise(np.hstack([still, values, twice]), labels)
    anything = np.full((len(x), 1), 7.0)
    assert known.left_out == 2
    assert known.of(np.hstack([anything, x, anything]), own) == pytest.approx(
        LikelihoodSurprise(values, labels).of(x, own)
    )


def test_directions_without_variance_do_not_count_in_mdsa() -> None:
    values, labels, x, own = drawn(3)
    known = MahalanobisSurprise(np.hstack([values, np.ones((36, 1))]), labels)
    assert known.of(np.hstack([x, x[:, :1]]), own) == pytest.approx(MahalanobisSurprise(values, labels).of(x, own))


@pytest.mark.parametrize("key", SURPRISES)
def test_a_class_without_reference_data_surprises_infinitely(key: str) -> None:
    values, labels, x, own = drawn(4)
    found = SURPRISES[key](values, labels).of(x, np.where(own == 0, 5, own))
    assert np.array_equal(np.isinf(found), own == 0)


def test_reference_data_that_meet_another_class_surprise_infinitely_by_distance() -> None:
    known = DistanceSurprise(np.array([[0.0], [1.0], [1.0]]), np.array([0, 0, 1]))
    assert known.of(np.array([[0.2], [0.8]]), np.array([0, 0])).tolist() == [pytest.approx(0.2), math.inf]


def test_single_precision_is_enough_for_values() -> None:
    values, labels, x, own = drawn(5)
    for kind in SURPRISES.values():
        assert kind(values.astype(np.float32), labels).of(x, own) == pytest.approx(
            kind(values, labels).of(x, own), rel=1e-4
        )


def test_too_few_reference_data_are_refused() -> None:
    values, labels, _, _ = drawn(6)
    with pytest.raises(DataError, match=r"neurons vary in each of the 3 classes.*got 3 neurons of which none does"):
        LikelihoodSurprise(values[:3], labels[:3])
    with pytest.raises(DataError, match="reference data of two classes or more for DSA; got 1"):
        DistanceSurprise(values[labels == 0], labels[labels == 0])
    with pytest.raises(DataError, match="differ from each other, for MDSA; got 1 of class 0, all alike"):
        MahalanobisSurprise(values[:3], np.arange(3))
