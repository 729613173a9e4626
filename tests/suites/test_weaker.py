"""The paper's relations between criteria, on measurements made by hand and on a real one."""

from __future__ import annotations

import pytest

from dnncov_core.suites.asked import ALL
from dnncov_core.suites.stored import Measured
from dnncov_core.suites.weaker import RELATIONS, Standing, check
from tests.suites.made import baseline, covering, measurement, patterns

FULL, SOME = (1474, 1386, 630), (10, 1386, 630)
ALL_NEURONS, MOST_NEURONS = (67, 22, 63), (60, 22, 63)


def standing(weaker: Measured, stronger: Measured) -> tuple[Standing, str]:
    found = [
        each
        for each in check(measurement(weaker, stronger))
        if (each.relation.weaker, each.relation.stronger) == (weaker.key, stronger.key)
    ]
    return found[0].standing, found[0].why


@pytest.mark.parametrize(
    ("weaker", "stronger", "expected"),
    [
        (baseline("n", MOST_NEURONS), covering("ss", SOME), Standing.HOLDS),
        (baseline("n", ALL_NEURONS), covering("ss", SOME), Standing.HOLDS),
        (baseline("n", ALL_NEURONS), covering("ss", FULL), Standing.HOLDS),
        (baseline("n", MOST_NEURONS), covering("ss", FULL), Standing.FAILS),
        (baseline("n", MOST_NEURONS), covering("ss", SOME, "left out"), Standing.OPEN),
        (baseline("tn:2", MOST_NEURONS), covering("vv:ratio=3", SOME), Standing.HOLDS),
        (covering("ss", SOME), patterns(5000), Standing.OPEN),
        (covering("ss", FULL), patterns(5000), Standing.HOLDS),
    ],
)
def test_standing(weaker: Measured, stronger: Measured, expected: Standing) -> None:
    assert standing(weaker, stronger)[0] is expected


def test_why() -> None:
    assert standing(baseline("n", MOST_NEURONS), covering("ss", SOME, "left out")) == (
        Standing.OPEN,
        "N: 95.4 %, SS: ≥ 58.1 %; a lower bound does not tell whether all is covered",
    )
    assert standing(baseline("n", ALL_NEURONS), covering("ss", SOME))[1].endswith("so it asks for nothing")
    assert "nobody knows how many" in standing(covering("ss", SOME), patterns(5))[1]


def test_what_was_not_measured() -> None:
    found = check(measurement(baseline("n", MOST_NEURONS)))
    assert len(found) == len(RELATIONS) == 10
    assert {each.standing for each in found} == {Standing.MISSING}
    assert found[0].why == "measure SS to see it"


def test_relations_are_between_criteria() -> None:
    assert {key for each in RELATIONS for key in (each.weaker, each.stronger)} == set(ALL)
