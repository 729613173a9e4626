"""Orders of inputs and APFD in plain loops over sets; nothing of the product is used here.

An input's test conditions are sets: ``alone[x]`` of those that x meets by itself, ``together(x, y)`` of those that two
inputs meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Together = Callable[[int, int], set]


def greedy(n: int, alone: Sequence[set], together: Together, ties: Sequence[int]) -> list[tuple[int, int, int]]:
    """(row, what it adds, round) of all inputs; of equal ones the first in ``ties``."""
    found: list[tuple[int, int, int]] = []
    rest, this_round = [*ties], 1
    while rest:
        pool, chosen, met = [*rest], [], set()
        while rest:
            adds = {x: len(alone[x].union(*(together(x, y) for y in chosen)) - met) for x in rest}
            others = {x: [y for y in pool if y != x] for x in rest}
            could = {x: len(alone[x].union(*(together(x, y) for y in others[x])) - met) for x in rest}
            scores = adds if max(adds.values()) > 0 else could
            best = max(scores.values())
            if best == 0:
                break
            x = next(each for each in rest if scores[each] == best)
            met |= alone[x].union(*(together(x, y) for y in chosen))
            found.append((x, adds[x], this_round))
            chosen.append(x)
            rest.remove(x)
        if not chosen:
            return found + [(x, 0, 0) for x in rest]
        this_round += 1
    return found


def covered(rows: Sequence[int], alone: Sequence[set], together: Together) -> list[int]:
    """How many test conditions the first 1, 2, ... inputs meet."""
    met: set = set()
    counts = []
    for place, x in enumerate(rows):
        met |= alone[x].union(*(together(x, y) for y in rows[:place]))
        counts.append(len(met))
    return counts


def deepgini(p: Sequence[float]) -> float:
    return 1 - sum(each * each for each in p)


def margin(p: Sequence[float]) -> float:
    first, second = sorted(p)[-1], sorted(p)[-2]
    return -(first - second)


def entropy(p: Sequence[float]) -> float:
    return -sum(each * math.log(each) for each in p if each > 0)


def softmax(logits: Sequence[float]) -> list[float]:
    powers = [math.exp(each - max(logits)) for each in logits]
    return [each / sum(powers) for each in powers]


def apfd(kills: Sequence[Sequence[bool]], rows: Sequence[int]) -> float | None:
    """1 - sum TF_i / (n m) + 1 / (2 n) of the mutants that some input kills."""
    first = [next((place for place, x in enumerate(rows, 1) if row[x]), None) for row in kills]
    places = [each for each in first if each is not None]
    n, m = len(rows), len(places)
    return 1 - sum(places) / (n * m) + 1 / (2 * n) if m else None
