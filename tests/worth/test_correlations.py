"""Correlations of coverage with mutants killed, their intervals and what may be concluded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dnncov_core.worth.answer import sentence
from dnncov_core.worth.correlations import Conclusion, Correlation, Suites, correlations

N = 60
SIZES = np.repeat([10, 100], N // 2)


def made(**coverage: np.ndarray) -> Suites:
    """Suites whose kills grow with a hidden quality; mutant j is killed by suites of a quality above its threshold."""
    rng = np.random.default_rng(0)
    quality = rng.random(N)
    killed = quality[:, None] + 0.1 * rng.normal(size=(N, 40)) > rng.random(40)
    others = {"good": quality, "bad": -quality, "none": rng.random(N), "same": np.ones(N)}
    return Suites(SIZES, np.tile([0, 1], N // 2), rng.random(N), killed, {**others, **coverage})


def by_key(found: list[Correlation]) -> dict[tuple[str, int | None], Correlation]:
    return {(each.criterion, each.size): each for each in found}


@pytest.mark.parametrize("size", [10, 100, None])
def test_conclusions_have_the_sign_of_what_is_there(size: int | None) -> None:
    found = by_key(correlations(made(), 0, 200))
    expected = {
        "good": Conclusion.MORE,
        "bad": Conclusion.FEWER,
        "none": Conclusion.OPEN,
        "same": Conclusion.SAME_COVERAGE,
    }
    assert {name: found[name, size].conclusion for name in expected} == {
        name: conclusion.value for name, conclusion in expected.items()
    }
    good, bad = found["good", size], found["bad", size]
    assert good.rho == pytest.approx(-bad.rho)
    assert 0 < float(good.low or 0) <= float(good.rho or 0) <= float(good.high or 0) <= 1
    assert found["same", size].rho is None


def test_equal_kills_are_told_apart_from_equal_coverage() -> None:
    suites = made()
    found = by_key(correlations(replace(suites, killed=np.ones_like(suites.killed)), 0, 50))
    assert found["good", 10].conclusion == Conclusion.SAME_KILLS.value
    assert found["same", 10].conclusion == Conclusion.SAME_COVERAGE.value


def test_hardly_anything_that_varies_has_no_interval() -> None:
    """One suite of thirty differs: a third of all samples go without it."""
    one = np.zeros(N)
    one[[0, N // 2]] = 1
    found = by_key(correlations(made(one=one), 0, 200))["one", 10]
    assert found.rho is not None
    assert found.low is None
    assert found.conclusion == Conclusion.SAME_COVERAGE.value


def test_the_same_seed_gives_the_same_intervals() -> None:
    assert correlations(made(), 0, 50) == correlations(made(), 0, 50)
    assert correlations(made(), 0, 50) != correlations(made(), 1, 50)


def test_intervals_hold_the_correlation_of_all_suites_and_mutants() -> None:
    """Twenty samples of suites and mutants from many: most intervals hold what all of them have."""
    rng = np.random.default_rng(7)
    quality, thresholds = rng.random(4000), rng.random(2000)
    coverage = quality + 0.5 * rng.normal(size=4000)
    truth = float(np.corrcoef(coverage.argsort().argsort(), quality.argsort().argsort())[0, 1])
    held = 0
    for seed in range(20):
        some = rng.choice(4000, 50, replace=False)
        killed = quality[some, None] > thresholds[rng.choice(2000, 60, replace=False)]
        suites = Suites(np.full(50, 10), np.zeros(50, int), rng.random(50), killed, {"c": coverage[some]})
        each = correlations(suites, seed, 200)[0]
        held += float(each.low or -1) <= truth <= float(each.high or 1)
    assert held >= 16


def test_hardly_anything_that_varies_is_not_said_to_be_equal() -> None:
    """Its rho stands beside the words."""
    one = np.zeros(N)
    one[[0, N // 2]] = 1
    said = sentence([each for each in correlations(made(one=one), 0, 200) if each.criterion == "one"], "One")
    assert "all or nearly all cover equally much at 10 and 100 inputs" in said
