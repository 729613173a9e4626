"""Searches in step: each gets its own answers, and what is asked for at the same time is solved together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from dnncov_core.generators.lockstep import Asked, Asking, in_step
from dnncov_core.generators.programme import LinearCondition, Programme, Requirements, Solution


class _Condition:
    """What the steps see of a condition: its layers."""

    def __init__(self, number: int, layer: int) -> None:
        self.number, self.required = number, Requirements({layer: ()}, {}, ())  # type: ignore[dict-item]


class _Doubling(Programme):
    """Answers with twice the number of a condition, and keeps what was asked together."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def solve(self, condition: LinearCondition) -> Solution:
        raise AssertionError("conditions are solved together")

    def solve_all(self, conditions: Sequence[LinearCondition]) -> list[Solution]:
        numbers = [cast(Any, condition).number for condition in conditions]
        self.asked.append(numbers)
        return [Solution("Optimal", None, 2.0 * number, 0, 0, 0) for number in numbers]


def summing(programme: Programme, numbers: Sequence[int], layer: int) -> Asking[float]:
    total = 0.0
    for number in numbers:
        answer = yield Asked(programme, cast(LinearCondition, _Condition(number, layer)))
        assert answer.seconds >= 0
        total += answer.solution.objective or 0.0
    return total


def test_each_search_gets_its_own_answers() -> None:
    one, other = _Doubling(), _Doubling()
    searches = [summing(one, [1, 2, 3], 2), summing(one, [], 2), summing(one, [4], 2), summing(one, [5], 3)]
    assert in_step([*searches, summing(other, [6, 7], 2)]) == [12, 0, 8, 10, 26]
    assert one.asked == [[1, 4], [5], [2], [3]]
    assert other.asked == [[6], [7]]


def test_an_error_ends_all() -> None:
    def failing(programme: Programme) -> Asking[None]:
        yield Asked(programme, cast(LinearCondition, _Condition(1, 2)))
        raise ValueError("no more")

    programme = _Doubling()
    with pytest.raises(ValueError, match="no more"):
        in_step([failing(programme), failing(programme)])
    assert programme.asked == [[1, 1]]
