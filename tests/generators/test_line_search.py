"""The line search on conditions that are known: they hold between two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from dnncov_core.generators.line_search import EXACT, Reached, nearest
from dnncov_core.generators.shortfall import Shortfall


@dataclass(frozen=True)
class Between:
    """Conditions of inputs of one number that hold from ``low`` to ``high``; beyond, something is wrong."""

    x1: Tensor
    low: Tensor
    high: Tensor
    passes: float = 1.0

    def some(self, rows: Tensor) -> Between:
        return Between(self.x1[rows], self.low[rows], self.high[rows])

    def shortfall(self, x2: Tensor) -> Shortfall:
        t = x2[:, 0]
        wrong = (t > self.high).long()
        none = torch.full_like(t, -torch.inf)
        return Shortfall(self.low - t, none, wrong >= 0, t, wrong >= 0, wrong, wrong, None, None, None)


@dataclass(frozen=True)
class Line:
    n: int
    finest: float = 0.0

    def at(self, t: Tensor) -> Tensor:
        return t[:, None]

    def some(self, rows: Tensor) -> Line:
        return Line(len(rows))


def search(
    low: list[float], high: list[float], first: list[float], most: Sequence[int] = (99,) * 9, rounds: int = 30
) -> Reached:
    x1 = torch.zeros(len(low), 1, dtype=torch.float64)
    as_tensor = [torch.tensor(values, dtype=torch.float64) for values in (low, high, first)]
    reached = Reached.nothing(x1, most[: len(low)])
    conditions = Between(x1, *as_tensor[:2])
    end = torch.full((len(low),), 10.0, dtype=torch.float64)
    nearest(conditions, Line(len(low)), reached, first=as_tensor[2], high=end, rounds=rounds)  # type: ignore[arg-type]
    return reached


def test_finds_the_nearest_point_that_holds_from_either_side() -> None:
    low = [0.5, 0.5, 3.0, 1.0]
    reached = search(low, [9.0, 9.0, 3.5, 1.2], first=[0.1, 5.0, 0.2, 8.0])
    assert reached.holds.all()
    for start, x2 in zip(low, reached.x2[:, 0].tolist(), strict=True):
        assert start <= x2 <= start * (1 + 2 * EXACT)


def test_what_never_holds_is_not_found_and_ends() -> None:
    reached = search([11.0, 2.0], [12.0, 1.0], first=[1.0, 1.0])
    assert not reached.holds.any()
    assert (reached.passes < 30).all()


@pytest.mark.parametrize("most", [[0, 0], [1, 4], [4, 1]])
def test_each_slot_spends_as_many_passes_as_it_may(most: list[int]) -> None:
    reached = search([0.5, 7.0], [9.0, 9.0], first=[0.1, 0.1], most=most)
    assert reached.passes.tolist() == most


def test_a_slot_without_a_first_step_is_left_out() -> None:
    reached = search([0.0, 0.5], [9.0, 9.0], first=[0.0, 1.0])
    assert reached.holds.tolist() == [False, True]
    assert reached.passes[0] == 0
