"""Suites drawn from a pool that has gone through the network once are measured as any others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dnncov_core.criteria.neuron_criteria import Ranges
from dnncov_core.networks.network import Network
from dnncov_core.suites import streams
from dnncov_core.suites.criterion_names import parse
from dnncov_core.suites.measurement import Measurement, measure
from dnncov_core.suites.remembered import RememberedSuite, Values, some_of
from dnncov_core.suites.streams import Suite
from tests.suites.test_measurement import EVERYTHING, inputs, network


def counts(found: Measurement) -> list[tuple[str, int | None, int, int]]:
    return [
        (each.asked.text, each.total, each.covered, sum(edge.effects.shown for edge in each.edges))
        for each in found.results
    ]


def ranges() -> Ranges:
    return streams.ranges(Suite(network(), inputs(20, 99)), range(2, network().depth + 1), lambda n: None)


@pytest.fixture
def values(tmp_path: Path) -> Values:
    told: list[int] = []
    Values.written(Suite(network(), inputs(60, 1)), tmp_path, told.append)
    assert sum(told) == 60
    assert Values.size(network(), 60) == sum(len(np.load(path).tobytes()) for path in tmp_path.iterdir())
    return Values.read(network(), tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_measured_as_any_other_suite(values: Values, seed: int) -> None:
    rows = np.sort(np.random.default_rng(seed).choice(60, 25, replace=False))
    some, asked = some_of(inputs(60, 1), rows), parse(EVERYTHING, "made")
    remembered = RememberedSuite(network(), some, values, rows)
    found = measure(network(), remembered, asked, ranges=ranges(), effect="needed")
    assert counts(found) == counts(measure(network(), some, asked, reference=inputs(20, 99), effect="needed"))
    assert found.misclassified is not None


def test_the_network_is_not_asked_again(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Network, *_: object, **__: object) -> None:
        raise AssertionError("all is known")

    known, rows = ranges(), np.arange(10)
    monkeypatch.setattr(Network, "run", refuse)
    remembered = RememberedSuite(network(), some_of(inputs(60, 1), rows), values, rows)
    measure(network(), remembered, parse(EVERYTHING, "made"), ranges=known)
