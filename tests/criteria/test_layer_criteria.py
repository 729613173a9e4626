"""NLC and surprise as coverage against their definitions, one input at a time."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dnncov_core.criteria import LAYER_CRITERIA, layer_covariance
from dnncov_core.criteria.layer_covariance import CovarianceMeter, LayerCovariance
from dnncov_core.criteria.layer_criteria import neurons_of, number_of_neurons
from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.criteria.surprise import DistanceSurprise, Surprise
from dnncov_core.criteria.surprise_coverage import DistanceCoverage, SurpriseCoverage
from dnncov_core.errors import SpecificationError
from dnncov_core.layer_values import LayerValues
from dnncov_core.networks.network import Network
from dnncov_core.records import LayerInfo
from tests.criteria.made import BATCHES, values
from tests.networks_for_tests import random_mlp


def layer(index: int, neurons: int) -> LayerInfo:
    return LayerInfo(index, "", "relu", neurons, (neurons,))


def norm(u: np.ndarray) -> float:
    """The mean absolute entry of the covariance matrix of some inputs' u."""
    n, s = u.shape
    mean = [sum(u[:, i]) / n for i in range(s)]
    total = 0.0
    for i in range(s):
        for j in range(s):
            total += abs(sum((x[i] - mean[i]) * (x[j] - mean[j]) for x in u) / n)
    return total / s**2


def nlc(*layers: np.ndarray, batch: int = 50) -> float:
    meter = CovarianceMeter([layer(k, u.shape[1]) for k, u in enumerate(layers, 2)])
    for start in range(0, len(layers[0]), batch):
        meter.add(start, {k: values(u[start : start + batch]) for k, u in enumerate(layers, 2)})
    return meter.value


def as_their_program(u: np.ndarray, batch: int) -> float:
    """One layer's norm where a batch counts only if it raises it."""
    kept = u[:0]
    for start in range(0, len(u), batch):
        more = np.concatenate([kept, u[start : start + batch]])
        if norm(more) > (norm(kept) if len(kept) else 0):
            kept = more
    return norm(kept) if len(kept) else 0.0


@settings(max_examples=30)
@given(seed=st.integers(0, 500), batch=BATCHES)
def test_nlc_is_as_defined_in_any_order(seed: int, batch: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = rng.normal(3, 2, (20, 3)), rng.normal(-50, 1, (20, 4))
    found, order = nlc(one, two, batch=batch), rng.permutation(20)
    assert found == pytest.approx(norm(one) + norm(two))
    assert nlc(one[order], two[order], batch=batch) == pytest.approx(found)
    assert LayerCovariance.order_free


def test_nlc_of_an_example_by_hand() -> None:
    """Two neurons, whose u are (0, 0), (2, 0), (4, 6): the means are 2 and 2.

    The variances are (4 + 0 + 4) / 3 = 8/3 and (4 + 4 + 16) / 3 = 8, the covariance (4 + 0 + 8) / 3 = 4, so that NLC is
    (8/3 + 4 + 4 + 8) / 4 = 14/3.
    """
    assert nlc(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 6.0]])) == pytest.approx(14 / 3)


def test_more_inputs_may_lower_nlc() -> None:
    """The variance of 0 and 2 is 1, and with 1 and 1 beside them it is 1/2."""
    ends, middle = np.array([[0.0], [2.0]]), np.array([[1.0], [1.0]])
    assert nlc(ends) == pytest.approx(1)
    assert nlc(np.concatenate([ends, middle])) == pytest.approx(1 / 2)
    assert not LayerCovariance.monotone


def test_their_program_depends_on_the_order() -> None:
    """In batches of two: 1 and 1 after 0 and 2 lower the variance, which is 1, and are not kept.

    The variance of 0 and 1 is 1/4, that of 0, 1, 2 and 1 is 1/2, so that in this order all are kept.
    """
    u = np.array([[0.0], [2.0], [1.0], [1.0]])
    assert as_their_program(u, 2) == pytest.approx(1)
    assert as_their_program(u[[0, 2, 1, 3]], 2) == pytest.approx(1 / 2)
    assert nlc(u, batch=2) == nlc(u[[0, 2, 1, 3]], batch=2) == pytest.approx(1 / 2)


@pytest.mark.parametrize(("last", "shape"), [(False, (2, 3, 2)), (True, (3, 2, 2)), (True, (6, 2)), (False, (2, 6))])
def test_the_mean_of_a_channel_counts_as_a_neuron(last: bool, shape: tuple[int, ...]) -> None:
    info = LayerInfo(2, "", "relu", 12, shape, channels_last=last)
    x = np.random.default_rng(0).normal(size=(4, 12))
    means = [[np.mean(np.moveaxis(each.reshape(shape), -1 if last else 0, 0)[c]) for c in range(2)] for each in x]
    assert neurons_of(torch.from_numpy(x), info).numpy() == pytest.approx(np.array(means))
    assert number_of_neurons(info) == 2


def test_layers_that_are_too_wide_for_a_covariance_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_covariance, "MOST_ENTRIES", 20)
    with pytest.raises(SpecificationError, match=r"at most 20 entries for NLC; got more; layer 3 .+ has 4 neurons"):
        LayerCovariance().meter(network(), lambda key, k: known())


@cache
def network() -> Network:
    return Network(random_mlp([3, 3, 4, 3, 2], 2), (3,))


def known() -> Surprise:
    return DistanceSurprise(np.array([[0.0] * 3, [4.0] * 3]), np.array([0, 1]))


def batches(x: np.ndarray, size: int) -> list[tuple[int, dict[int, LayerValues]]]:
    """Values of the layers 4 and 5 of the network for inputs that it gives the class 0."""
    outputs = np.tile([1.0, 0.0], (len(x), 1))
    return [(k, {4: values(x[k : k + size]), 5: values(outputs[k : k + size])}) for k in range(0, len(x), size)]


@settings(max_examples=30)
@given(seed=st.integers(0, 500), batch=BATCHES, m=st.sampled_from([1, 3, 10]))
def test_buckets_of_surprise_are_as_defined(seed: int, batch: int, m: int) -> None:
    x = np.random.default_rng(seed).integers(0, 10, (15, 1)) * np.ones((1, 3)) / 2
    meter = DistanceCoverage(m=m, upper=1.0).meter(network(), lambda key, k: known())
    for first, part in batches(x, batch):
        meter.add(first, part)
    surprise = [each[0] / 4 for each in x]  # its distance from 0, by that of 0 from 4
    rows = [
        next((row for row, each in enumerate(surprise) if j / m < each <= (j + 1) / m + 1e-12), NONE) for j in range(m)
    ]
    assert meter.rows.tolist() == rows
    assert meter.covered == sum(row != NONE for row in rows)
    assert meter.outside == sum(not 0 < each <= 1 for each in surprise)


def test_the_last_hidden_layer_surprises_unless_another_is_named() -> None:
    assert DistanceCoverage().layer_of(network()) == 4
    assert DistanceCoverage(layer=2).layer_of(network()) == 2
    with pytest.raises(SpecificationError, match="a hidden layer for dsc, 2 to 4; got 5"):
        DistanceCoverage(layer=5).layer_of(network())


@pytest.mark.parametrize("key", ["lsc", "dsc", "mdsc"])
def test_parameters_are_written_by_name(key: str) -> None:
    kind = LAYER_CRITERIA[key]
    assert kind.read("7") == kind(m=7)  # type: ignore[call-arg]
    assert kind.read("upper=2.5/layer=3") == kind(upper=2.5, layer=3)  # type: ignore[call-arg]
    for wrong in ("", "m=0", "upper=0", "m=1.5", "m=2/3", "depth=1", "upper=inf"):
        with pytest.raises(SpecificationError):
            kind.read(wrong)
    assert issubclass(kind, SurpriseCoverage)
    assert 0 < kind().upper < math.inf


def test_nlc_takes_no_parameter() -> None:
    with pytest.raises(SpecificationError, match="nlc without a parameter; got nlc:3"):
        LayerCovariance.read("3")
