"""Searches in step: each asks for one solution after another, and what all of them ask for is solved together."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from typing import NamedTuple, TypeVar

from dnncov_core.generators.programme import LinearCondition, Programme, Solution

T = TypeVar("T")


class Asked(NamedTuple):
    """A condition to be solved, and how."""

    programme: Programme
    condition: LinearCondition


class Answer(NamedTuple):
    """The solution, and its share of the seconds that all solved with it took."""

    solution: Solution
    seconds: float


Asking = Generator[Asked, Answer, T]
"""What asks for solutions until it has its result."""


def in_step(searches: Sequence[Asking[T]]) -> list[T]:
    """The results of searches that are at work side by side.

    Conditions that are asked for at the same time are solved together where they have the same programme and layers.
    """
    results: dict[int, T] = {}
    answers: dict[int, Answer | None] = dict.fromkeys(range(len(searches)))
    while answers:
        together: dict[object, list[tuple[int, Asked]]] = {}
        for number, answer in answers.items():
            try:
                asked = searches[number].send(answer) if answer else next(searches[number])
            except StopIteration as end:
                results[number] = end.value
            else:
                kind = id(asked.programme), tuple(asked.condition.required.low)
                together.setdefault(kind, []).append((number, asked))
        answers = {}
        for group in together.values():
            answers |= dict(zip([number for number, _ in group], _solved([asked for _, asked in group]), strict=True))
    return [results[number] for number in range(len(searches))]


def _solved(asked: Sequence[Asked]) -> list[Answer]:
    start = time.perf_counter()
    solutions = asked[0].programme.solve_all([each.condition for each in asked])
    seconds = (time.perf_counter() - start) / len(asked)
    return [Answer(solution, seconds) for solution in solutions]
