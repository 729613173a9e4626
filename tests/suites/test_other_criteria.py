"""What is said of every criterion holds of measurements: whether more inputs lower it, or another order changes it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from dnncov_core.data import Data
from dnncov_core.networks.network import Network
from dnncov_core.suites.criterion_names import ENTRIES, key_of, parse
from dnncov_core.suites.measurement import measure
from dnncov_core.suites.reference import KnownReference, known_reference, layer_values
from dnncov_core.suites.streams import Suite
from dnncov_core.suites.summary import measurement_summary
from tests.networks_for_tests import linear

PARAMETERS = {"mn": ":3", "kmnc": ":3", "lsc": ":m=20/upper=20", "dsc": ":20", "mdsc": ":m=20/upper=5"}
EVERY = ",".join(key + PARAMETERS.get(key, "") for key in ENTRIES)


@cache
def network() -> Network:
    """Decides for either class of the inputs below, and has no neuron of its last hidden layer that is still in one."""
    rng = np.random.default_rng(407)
    layers = [linear(rng.normal(0, 1.5, shape)) for shape in ((3, 4), (4, 4), (4, 3), (3, 2))]
    return Network(nn.Sequential(*[part for layer in layers for part in (layer, nn.ReLU())][:-1]), (3,))


def inputs(n: int, seed: int) -> Data:
    images = np.random.default_rng(seed).uniform(0, 1, (n, 3))
    return Data("made", images, np.arange(n) % 2, (), "test")


@cache
def reference() -> KnownReference:
    return known_reference(network(), inputs(200, 99), parse(EVERY, "made"))


def found(images: np.ndarray) -> dict[str, float]:
    data = Data("made", images, np.zeros(len(images), np.int64), (), "test")
    return {
        key_of(each.asked.text): each.covered
        for each in measure(network(), data, parse(EVERY, "made"), reference=reference()).results
    }


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000))
def test_facts_of_criteria_hold(seed: int) -> None:
    images = inputs(24, seed).images
    some, whole = found(images[:12]), found(images)
    shuffled = found(np.random.default_rng(seed).permutation(images))
    for key, entry in ENTRIES.items():
        if entry.monotone:
            assert some[key] <= whole[key], key
        if entry.order_free:
            assert shuffled[key] == pytest.approx(whole[key]), key
    assert whole["lsc"] > 0
    assert whole["dsc"] > 0
    assert whole["mdsc"] > 0


def test_what_is_known_of_reference_data_is_what_they_give() -> None:
    data, asked = inputs(24, 1), parse(EVERY, "made")
    summaries = [
        measurement_summary(measure(network(), data, asked, reference=given))["criteria"]
        for given in (reference(), inputs(200, 99))
    ]
    assert summaries[0] == summaries[1]
    assert summaries[0]["nlc"].keys() == {"total", "covered", "coverage", "layers"}
    assert (summaries[0]["nlc"]["total"], summaries[0]["nlc"]["layers"]) == (None, [])


def test_values_of_a_suite_surprise_as_in_its_measurement() -> None:
    data, ((_, surprise),) = inputs(24, 1), [each for each in reference().surprises.items() if each[0][0] == "dsa"]
    values, labels = layer_values(Suite(network(), data), [4])
    those = surprise.of(values[4], labels)
    (result,) = measure(network(), data, parse("dsc:20", "made"), reference=reference()).results
    inside = those[(those > 0) & (those <= 2)]
    assert result.covered == len({int(np.ceil(each * 10)) for each in inside})
    assert result.layers[0].outside == 24 - len(inside)
