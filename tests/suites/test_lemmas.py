"""The paper's relations between criteria, on measurements made by hand and on a real one."""

from __future__ import annotations

import pytest

from dnncov_core.suites.criterion_names import ALL
from dnncov_core.suites.lemmas import RELATIONS, Answer, check
from dnncov_core.suites.measurement_file import MeasuredCriterion
from tests.suites.made import baseline, covering, measurement, patterns

FULL, SOME = (1474, 1386, 630), (10, 1386, 630)
ALL_NEURONS, MOST_NEURONS = (67, 22, 63), (60, 22, 63)


def answered(weaker: MeasuredCriterion, stronger: MeasuredCriterion) -> tuple[Answer, str]:
    found = [
        each
        for each in check(measurement(weaker, stronger))
        if (each.relation.weaker, each.relation.stronger) == (weaker.key, stronger.key)
    ]
    return found[0].answer, found[0].why


@pytest.mark.parametrize(
    ("weaker", "stronger", "expected"),
    [
        (baseline("n", MOST_NEURONS), covering("ss", SOME), Answer.HOLDS),
        (baseline("n", ALL_NEURONS), covering("ss", SOME), Answer.HOLDS),
        (baseline("n", ALL_NEURONS), covering("ss", FULL), Answer.HOLDS),
        (baseline("n", MOST_NEURONS), covering("ss", FULL), Answer.FAILS),
        (baseline("n", MOST_NEURONS), covering("ss", SOME, "left out"), Answer.OPEN),
        (baseline("tn:2", MOST_NEURONS), covering("vv:ratio=3", SOME), Answer.HOLDS),
        (baseline("tn:2", MOST_NEURONS), covering("vv:ratio=3", FULL), Answer.OPEN),
        (baseline("tn:2", MOST_NEURONS), covering("vv:tn=2", FULL), Answer.FAILS),
        (baseline("tn:2", MOST_NEURONS), covering("vv:tn=3", FULL), Answer.OPEN),
        (baseline("tn", MOST_NEURONS), covering("vs:tn", FULL), Answer.FAILS),
        (baseline("nb", MOST_NEURONS), covering("sv:nb", SOME), Answer.HOLDS),
        (baseline("nb", ALL_NEURONS), covering("vv:nb", FULL), Answer.HOLDS),
        (baseline("nb", MOST_NEURONS), covering("sv:mn=1/2", FULL), Answer.OPEN),
        (baseline("mn:2", MOST_NEURONS), covering("sv:mn=1/2", SOME), Answer.HOLDS),
        (baseline("mn:2", MOST_NEURONS), covering("sv:mn=1/2", FULL), Answer.OPEN),
        (baseline("mn", MOST_NEURONS), covering("sv:mn=1/2", FULL), Answer.OPEN),
        (baseline("mn:1", MOST_NEURONS), covering("vv:mn=1/1", FULL), Answer.FAILS),
        (baseline("nb", MOST_NEURONS), covering("sv:nb", SOME, "left out"), Answer.OPEN),
        (covering("ss", SOME), patterns(5000), Answer.OPEN),
        (covering("ss", FULL), patterns(5000), Answer.HOLDS),
    ],
)
def test_answer(weaker: MeasuredCriterion, stronger: MeasuredCriterion, expected: Answer) -> None:
    assert answered(weaker, stronger)[0] is expected


def test_why() -> None:
    assert answered(baseline("n", MOST_NEURONS), covering("ss", SOME, "left out")) == (
        Answer.OPEN,
        "N: 95.4 %, SS: ≥ 58.0 %; a lower bound does not tell whether all is covered",
    )
    assert answered(baseline("n", ALL_NEURONS), covering("ss", SOME))[1].endswith("so it asks for nothing")
    assert "nobody knows how many" in answered(covering("ss", SOME), patterns(5))[1]


def test_why_names_the_value_function() -> None:
    nb, mn = baseline("nb", MOST_NEURONS), baseline("mn:2", (67, 22, 60))
    assert answered(baseline("nb", (67, 22, 60)), covering("sv", FULL)) == (
        Answer.OPEN,
        "NB: 98.0 %, SV: 100 %; the value function of sv is not the lemma's: measure sv:nb",
    )
    assert answered(nb, covering("sv:nb", FULL))[1] == (
        "NB: 95.4 %, SV: 100 %; what NB lacks is in layer 2, in which no feature pair ends;"
        " measured with the lemma's value function: sv:nb"
    )
    assert answered(mn, covering("vv:mn=2/2", FULL))[1] == (
        "MN: 98.0 %, VV: 100 %; measured with the lemma's value function: vv:mn=2/2; another section is not met:"
        " measure vv:mn=J/2 for each section J"
    )
    assert answered(baseline("tn:2", MOST_NEURONS), covering("vs:tn=3", FULL))[1].endswith("measure vs:tn=2")


def of(key: str, stronger: str, *criteria: MeasuredCriterion) -> tuple[Answer, str]:
    found = check(measurement(*criteria))
    return next((x.answer, x.why) for x in found if (x.relation.weaker, x.relation.stronger) == (key, stronger))


def test_the_lemmas_value_function_is_preferred() -> None:
    nb = baseline("nb", MOST_NEURONS)
    assert of("nb", "sv", covering("sv", SOME), covering("sv:nb", FULL), nb)[0] is Answer.FAILS
    assert of("nb", "sv", covering("sv", FULL), nb, covering("sv:nb", SOME))[0] is Answer.HOLDS
    tops = [baseline("tn:2", ALL_NEURONS), baseline("tn:3", MOST_NEURONS)]
    assert of("tn", "vs", *tops, covering("vs:tn=3", FULL)) == (
        Answer.FAILS,
        "TN: 95.4 %, VS: 100 %; measured with the lemma's value function: vs:tn=3",
    )


def test_sections_of_one_m_are_taken_together() -> None:
    mn = [baseline("mn:3", MOST_NEURONS), baseline("mn:2", (67, 22, 60))]
    full = [covering(f"sv:mn={j}/2", FULL) for j in (1, 2)]
    assert of("mn", "sv", *mn, *full)[0] is Answer.FAILS
    assert of("mn", "sv", *mn, full[0], covering("sv:mn=2/2", SOME)) == (
        Answer.HOLDS,
        "MN: 98.0 %, SV: 100 % and 58.1 %; measured with the lemma's value function: sv:mn=1/2 and sv:mn=2/2",
    )


def test_what_was_not_measured() -> None:
    found = check(measurement(baseline("n", MOST_NEURONS)))
    assert len(found) == len(RELATIONS) >= 10
    assert {each.answer for each in found} == {Answer.MISSING}
    assert found[0].why == "measure SS to see it"
    assert [each.why for each in found if each.relation.stronger == "sv"] == [
        "measure MN and sv:mn=J/10 for each section J to see it",
        "measure NB and sv:nb to see it",
    ]


def test_relations_are_between_criteria() -> None:
    assert {key for each in RELATIONS for key in (each.weaker, each.stronger)} <= set(ALL)
