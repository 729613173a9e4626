"""Plain searches with a budget: within their radius and passes, each seed for itself, as strong as they should be."""

from __future__ import annotations

import functools
from typing import ClassVar

import pytest
import torch
from torch import Tensor, nn

from dnncov_core.distances import NORMS, distance
from dnncov_core.generators import GRIDS
from dnncov_core.generators.baseline_searches import BASELINE_SEARCHES, Starts
from dnncov_core.networks.network import Network
from dnncov_core.types import Norm

AWAY = 0.25
"""Of the seeds from the other label."""


class Watched(Network):
    """Label 1 where the first input is above 0.5; remembers what it was asked."""

    asked: ClassVar[list[Tensor]] = []

    def __call__(self, x: Tensor) -> Tensor:
        self.asked.append(x.detach().clone())
        return super().__call__(x)


def network() -> Watched:
    """The same network each time, which remembers nothing."""
    made = exported()
    made.asked.clear()
    return made


@functools.cache
def exported() -> Watched:
    first, last = nn.Linear(2, 2).double(), nn.Linear(2, 2).double()
    with torch.no_grad():
        first.weight.copy_(torch.eye(2))
        last.weight.copy_(torch.tensor([[0.0, 0.0], [1.0, 0.0]]))
        first.bias.zero_()
        last.bias.copy_(torch.tensor([0.5, 0.0]))
    return Watched(nn.Sequential(first, nn.ReLU(), last), (2,))


def starts(radius: float, passes: int, n: int = 8) -> Starts:
    x1 = torch.full((n, 2), 0.5 - AWAY, dtype=torch.float64)
    outputs = torch.tensor([[0.5, 0.5 - AWAY]], dtype=torch.float64).expand(n, 2)
    rngs = [torch.Generator().manual_seed(row) for row in range(n)]
    return Starts(x1, outputs, torch.full((n,), radius, dtype=torch.float64), torch.full((n,), passes), rngs)


@pytest.mark.parametrize("norm", list(NORMS))
@pytest.mark.parametrize("grid", list(GRIDS))
@pytest.mark.parametrize("name", list(BASELINE_SEARCHES))
def test_they_change_what_lies_within_the_radius_and_nothing_else(name: str, grid: str, norm: Norm) -> None:
    near = BASELINE_SEARCHES[name](network(), starts(0.9 * AWAY, 40), norm, GRIDS[grid])
    assert not near.any()
    far = BASELINE_SEARCHES[name](network(), starts(2.0 * AWAY, 40), norm, GRIDS[grid])
    assert far.all() if name == "ascent" else far.any()


@pytest.mark.parametrize("norm", list(NORMS))
@pytest.mark.parametrize("grid", list(GRIDS))
@pytest.mark.parametrize("name", list(BASELINE_SEARCHES))
def test_they_ask_within_the_radius_the_bounds_and_the_grid(name: str, grid: str, norm: Norm) -> None:
    made, asked = network(), starts(0.8 * AWAY, 20)
    BASELINE_SEARCHES[name](made, asked, norm, GRIDS[grid])
    for x2 in torch.cat(made.asked).numpy():
        if grid == "none" or norm == "inf":  # another grid point may lie a little farther, and does not count then
            assert distance(asked.x1[0].numpy(), x2, norm) <= 0.8 * AWAY * (1 + 1e-9)
        assert ((x2 >= 0) & (x2 <= 1)).all()
        if GRIDS[grid].levels:
            assert abs(x2 * 255 - (x2 * 255).round()).max() < 1e-9


@pytest.mark.parametrize("passes", [3, 4, 21, 40])
def test_they_keep_to_their_passes(passes: int) -> None:
    made, asked = network(), starts(0.5 * AWAY, passes)
    BASELINE_SEARCHES["random"](made, asked, "inf", GRIDS["none"])
    assert len(made.asked) == passes
    made.asked.clear()
    BASELINE_SEARCHES["ascent"](made, asked, "inf", GRIDS["none"])
    forwards, backwards = len(made.asked), len(made.asked) - 1
    assert passes - 2 < forwards + backwards <= passes


def test_a_seed_that_has_changed_asks_no_more() -> None:
    made = network()
    BASELINE_SEARCHES["ascent"](made, starts(3 * AWAY, 101), "inf", GRIDS["none"])
    assert len(made.asked) < 40


@pytest.mark.parametrize("name", list(BASELINE_SEARCHES))
def test_each_seed_is_searched_for_itself(name: str) -> None:
    """Budgets of one's own, and no result depends on the others of the batch."""
    whole, alone = starts(1.2 * AWAY, 3, n=40), starts(1.2 * AWAY, 3, n=40)
    whole.passes[::2] = 60
    found = BASELINE_SEARCHES[name](network(), whole, "inf", GRIDS["none"])
    for row in range(40):
        one = Starts(
            *(value[row : row + 1] for value in (alone.x1, alone.outputs, alone.radius, whole.passes)),  # type: ignore[arg-type]
            rngs=[alone.rngs[row]],
        )
        assert bool(BASELINE_SEARCHES[name](network(), one, "inf", GRIDS["none"])) == bool(found[row])
    if name == "random":
        assert found[::2].sum() > found[1::2].sum()
