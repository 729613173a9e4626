"""The paper's relations between criteria (Section 5, proofs in its appendix), checked on a measurement.

M1 is weaker than M2 iff for every suite M1 < 1 implies M2 < 1. One suite cannot prove that; it can only agree or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from dnncov_core.suites.stored import Measured, StoredMeasurement


class Standing(Enum):
    """What a suite says of a relation."""

    HOLDS = "holds here"
    FAILS = "does not hold here"
    OPEN = "cannot be told"
    MISSING = "not measured"


@dataclass(frozen=True)
class Relation:
    """``weaker`` is weaker than ``stronger``; ``condition`` says when, empty where the lemma asks for nothing."""

    weaker: str
    stronger: str
    condition: str = ""


_SECTION = "for a suitable {}: one that says in which section v[x2] lies"
_ABOVE = "for a suitable {}: one that says that v[x2] is above its greatest over the reference data, as upper_boundary"
_TOP = "for a suitable {}: one that says that v[x2] is among the m greatest of its layer"
RELATIONS = (
    Relation("n", "ss"),
    Relation("n", "vs"),
    Relation("n", "mn", "where no neuron's range over the reference data is the single value 0"),
    Relation("mn", "sv", _SECTION.format("g")),
    Relation("mn", "vv", _SECTION.format("g2")),
    Relation("nb", "sv", _ABOVE.format("g")),
    Relation("nb", "vv", _ABOVE.format("g2")),
    Relation("tn", "vv", _TOP.format("g1")),
    Relation("tn", "vs", _TOP.format("g")),
    Relation("ss", "s"),
)
"""Theorem and lemmas of the paper's appendix."""


@dataclass(frozen=True)
class Checked:
    """A relation, what the suite says of it, and why."""

    relation: Relation
    standing: Standing
    why: str


def check(measurement: StoredMeasurement) -> list[Checked]:
    """All relations, on one measurement."""
    return [_checked(relation, measurement) for relation in RELATIONS]


def _checked(relation: Relation, measurement: StoredMeasurement) -> Checked:
    weaker, stronger = (measurement.criterion(key) for key in (relation.weaker, relation.stronger))
    if weaker is None or stronger is None:
        lacking = [
            key.upper()
            for key, each in zip((relation.weaker, relation.stronger), (weaker, stronger), strict=True)
            if each is None
        ]
        return Checked(relation, Standing.MISSING, f"measure {' and '.join(lacking)} to see it")
    first, second = _full(weaker), _full(stronger)
    numbers = f"{relation.weaker.upper()}: {weaker.percent}, {relation.stronger.upper()}: {stronger.percent}"
    if first:
        return Checked(
            relation, Standing.HOLDS, f"{numbers}; all of {relation.weaker.upper()} is covered, so it asks for nothing"
        )
    if second is False:
        return Checked(relation, Standing.HOLDS, numbers)
    if first is None or second is None:
        return Checked(relation, Standing.OPEN, f"{numbers}; {_unknown([weaker, stronger])}")
    return Checked(relation, Standing.FAILS, numbers)


def _full(measured: Measured) -> bool | None:
    """Whether coverage is 1; None where that is not known."""
    if not measured.total:
        return None
    if measured.covered == measured.total:
        return True
    return None if measured.bounds else False


def _unknown(both: Sequence[Measured]) -> str:
    if any(each.total is None for each in both):
        return "nobody knows how many sign patterns there are"
    if any(each.total == 0 for each in both):
        return "there is nothing to cover"
    return "a lower bound does not tell whether all is covered"
