"""The additional greedy order: next comes the input that adds most to those before it.

An input adds the test conditions that it meets alone, or together with an input before it. Where none adds any, the
one comes next that could add most with the others that are left: of two inputs that only cover together, one has to be
the first. Once all is met that the pool can meet, the order begins anew with the inputs that are left, as Rothermel et
al. ("Prioritizing Test Cases for Regression Testing", 2001) do; in the end come those that take part in nothing.

Greedy is no optimum. Where each input counts for itself, the first round has at most 1 + ln(d) times as many inputs as
the smallest subset with the same coverage, d being the most conditions that one input meets (Chvatal 1979). No such
bound is known here for pairs of inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dnncov_core.selection.conditions import PoolConditions
from dnncov_core.types import BoolArray, IntArray


@dataclass(frozen=True)
class Order:
    """Inputs in an order; arrays of one length.

    Attributes:
        rows: of the pool.
        adds: test conditions that each adds to those before it in its round.
        rounds: from 1; 0 for inputs that take part in no condition any more.
    """

    rows: IntArray
    adds: IntArray
    rounds: IntArray

    @property
    def first_round(self) -> int:
        """So many inputs at the beginning meet all that the pool meets, if the order goes as far."""
        return int((self.rounds == 1).sum())


def greedy(
    conditions: PoolConditions, ties: IntArray, budget: int, tell: Callable[[int], None] = lambda n: None
) -> Order:
    """The first ``budget`` inputs of the order.

    Args:
        conditions: of the pool.
        ties: all rows of the pool, ``(inputs,)``; of equal ones the earlier comes first, and so do those at the end.
        budget: at most as many as there are.
        tell: told of each input.
    """
    rest: BoolArray = np.ones(len(ties), bool)
    found: list[tuple[int, int, int]] = []
    conditions.restart(rest)
    current, began = 1, 0
    while len(found) < budget:
        row = _first(conditions.adds, rest, ties)
        if row is None:
            row = _first(conditions.promises, rest, ties)
        if row is None and began == len(found):
            break
        if row is None:
            conditions.restart(rest)
            current, began = current + 1, len(found)
            continue
        found.append((row, int(conditions.adds[row]), current))
        rest[row] = False
        conditions.take(row)
        tell(1)
    left = ties[rest[ties]][: budget - len(found)]
    tell(len(left))
    found += [(row, 0, 0) for row in left.tolist()]
    rows, adds, rounds = np.array(found, np.int64).reshape(-1, 3).T
    return Order(rows, adds, rounds)


def _first(scores: IntArray, rest: BoolArray, ties: IntArray) -> int | None:
    """The row of the greatest score above 0 among the rest; None where there is none."""
    own = np.where(rest, scores, 0)[ties]
    place = int(own.argmax()) if len(own) else 0
    return int(ties[place]) if len(own) and own[place] > 0 else None
