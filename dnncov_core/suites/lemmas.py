"""The paper's relations between criteria (Section 5, proofs in its appendix), checked on a measurement.

M1 is weaker than M2 iff for every suite M1 < 1 implies M2 < 1. One suite cannot prove that; it can only agree or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from dnncov_core.criteria import NEURON_CRITERIA
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement


class Answer(Enum):
    """What a suite answers to a relation."""

    HOLDS = "holds here"
    FAILS = "does not hold here"
    OPEN = "cannot be told"
    MISSING = "not measured"


@dataclass(frozen=True)
class Relation:
    """``weaker`` is weaker than ``stronger``.

    Attributes:
        weaker: a criterion.
        stronger: another one.
        condition: when the lemma says so, in words; empty where it asks for nothing.
        by_function: whether it asks for a value function of ``stronger`` that says that x2 meets ``weaker``.
    """

    weaker: str
    stronger: str
    condition: str = ""
    by_function: bool = False


_SECTION = "for a suitable {}: one that says in which section v[x2] lies"
_ABOVE = "for a suitable {}: one that says that v[x2] is above its greatest over the reference data"
_TOP = "for a suitable {}: one that says that v[x2] is among the m greatest of its layer"
RELATIONS = (
    Relation("n", "ss"),
    Relation("n", "vs"),
    Relation("n", "mn", "where no neuron's range over the reference data is a single value"),
    Relation("mn", "sv", _SECTION.format("g"), by_function=True),
    Relation("mn", "vv", _SECTION.format("g2"), by_function=True),
    Relation("nb", "sv", _ABOVE.format("g"), by_function=True),
    Relation("nb", "vv", _ABOVE.format("g2"), by_function=True),
    Relation("tn", "vv", _TOP.format("g1"), by_function=True),
    Relation("tn", "vs", _TOP.format("g"), by_function=True),
    Relation("ss", "s"),
)
"""Theorem and lemmas of the paper's appendix."""


@dataclass(frozen=True)
class Checked:
    """A relation, what the suite says of it, and why."""

    relation: Relation
    answer: Answer
    why: str


def check(measurement: StoredMeasurement) -> list[Checked]:
    """All relations, on one measurement."""
    found = [_checked(relation, measurement) for relation in RELATIONS]
    if not (measurement.spec.layers or measurement.spec.condition_layers):
        return found
    return [
        replace(each, answer=Answer.OPEN, why=f"{each.why}; of the chosen layer pairs alone")
        if each.answer is Answer.FAILS
        else each
        for each in found
    ]


def _checked(relation: Relation, measurement: StoredMeasurement) -> Checked:
    weaker, stronger = (measurement.all_of(key) for key in (relation.weaker, relation.stronger))
    if not weaker or not stronger:
        names = {relation.weaker.upper(): weaker, _to_measure(relation, weaker): stronger}
        lacking = [name for name, measured in names.items() if not measured]
        return Checked(relation, Answer.MISSING, f"measure {' and '.join(lacking)} to see it")
    if not relation.by_function:
        return Checked(relation, *_compared(weaker[0], stronger[:1]))
    for one in weaker:
        if fitting := [each for each in stronger if _fits(one, each)]:
            return _by_the_lemmas(relation, one, fitting)
    return _by_another(relation, weaker[0], stronger[0])


def _by_the_lemmas(relation: Relation, weaker: MeasuredCriterion, stronger: Sequence[MeasuredCriterion]) -> Checked:
    """By the lemma's value function: of MN by some sections, the lemma being about one that is not met."""
    answer, why = _compared(weaker, stronger)
    why = f"{why}; measured with the lemma's value function: {' and '.join(each.text for each in stronger)}"
    sections = {each.lemma_function.j for each in stronger if each.lemma_function is not None}
    if answer is Answer.FAILS and weaker.key == "mn" and len(sections) < _m([weaker], "mn"):
        why = f"{why}; another section is not met: measure {_to_measure(relation, [weaker])}"
        answer = Answer.OPEN
    return Checked(relation, answer, why)


def _by_another(relation: Relation, weaker: MeasuredCriterion, stronger: MeasuredCriterion) -> Checked:
    """By another value function, for which the lemma says nothing."""
    answer, why = _compared(weaker, [stronger])
    why = f"{why}; the value function of {stronger.text} is not the lemma's: measure {_to_measure(relation, [weaker])}"
    return Checked(relation, Answer.OPEN if answer is Answer.FAILS else answer, why)


def _fits(weaker: MeasuredCriterion, stronger: MeasuredCriterion) -> bool:
    """Whether x2 of the stronger one meets the weaker one, or one of its sections."""
    function = stronger.lemma_function
    if function is None or function.criterion != weaker.key:
        return False
    return weaker.key == "nb" or function.m == _m([weaker], weaker.key)


def _m(measured: Sequence[MeasuredCriterion], key: str) -> int:
    """The m that a criterion of single neurons was measured with, or the usual one."""
    parameter = measured[0].text.partition(":")[2] if measured else ""
    return int(parameter) if parameter else NEURON_CRITERIA[key].usual_m


def _to_measure(relation: Relation, weaker: Sequence[MeasuredCriterion]) -> str:
    """The stronger criterion as a lemma asks for it."""
    key, weak = relation.stronger, relation.weaker
    if not relation.by_function:
        return key.upper()
    if weak == "nb":
        return f"{key}:nb"
    m = _m(weaker, weak)
    return f"{key}:tn={m}" if weak == "tn" else f"{key}:mn=J/{m} for each section J"


def _compared(weaker: MeasuredCriterion, stronger: Sequence[MeasuredCriterion]) -> tuple[Answer, str]:
    """What the numbers say; one of the stronger criteria that is not full is enough."""
    name = weaker.key.upper()
    numbers = f"{name}: {weaker.percent}, {stronger[0].key.upper()}: {' and '.join(each.percent for each in stronger)}"
    first, others = _full(weaker), [_full(each) for each in stronger]
    if first:
        return Answer.HOLDS, f"{numbers}; all of {name} is covered, so it asks for nothing"
    if False in others:
        return Answer.HOLDS, numbers
    if first is None or None in others:
        return Answer.OPEN, f"{numbers}; {_unknown([weaker, *stronger])}"
    lacking = {row.layer for row in weaker.rows if row.covered < row.total}
    if weaker.key != "tn" and lacking.isdisjoint(row.layer for row in stronger[0].rows):
        layers = " and ".join(map(str, sorted(lacking)))
        return Answer.FAILS, f"{numbers}; what {name} lacks is in layer {layers}, in which no feature pair ends"
    return Answer.FAILS, numbers


def _full(measured: MeasuredCriterion) -> bool | None:
    """Whether coverage is 1; None where that is not known."""
    if not measured.total:
        return None
    if measured.covered == measured.total:
        return True
    return None if measured.bounds else False


def _unknown(both: Sequence[MeasuredCriterion]) -> str:
    if any(each.total is None for each in both):
        return "nobody knows how many sign patterns there are"
    if any(each.total == 0 for each in both):
        return "there is nothing to cover"
    return "a lower bound does not tell whether all is covered"
