"""The oracle's bound around a seed."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.distances import NORMS, distance
from dnncov_core.generators.ball import NO_BALL, Ball


@given(norm=st.sampled_from(list(NORMS)), bound=st.floats(0.01, 3), seed=st.integers(0, 20))
def test_nearest_points_lie_within_the_bound_and_inner_points_stay(norm: str, bound: float, seed: int) -> None:
    x1, x2 = torch.rand(2, 5, 1, 3, 4, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    ball = Ball(norm, bound)  # type: ignore[arg-type]
    inner, outside = ball.nearest(x1, x2), ball.excludes(x1, x2)
    for row in range(5):
        apart = distance(x1[row].numpy(), x2[row].numpy(), norm)  # type: ignore[arg-type]
        assert bool(outside[row]) == (apart > bound)
        assert distance(x1[row].numpy(), inner[row].numpy(), norm) <= bound * (1 + 1e-12)  # type: ignore[arg-type]
        if apart <= bound:
            assert torch.allclose(inner[row], x2[row])


@pytest.mark.parametrize("norm", list(NORMS))
@pytest.mark.parametrize("bound", [0.1, 0.03, 4 / 255, 8 / 255, 0.001])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-10.0, 10.0)])
def test_what_single_precision_puts_on_the_border_is_inside_for_search_and_oracle(
    norm: str, bound: float, low: float, high: float
) -> None:
    one, other = torch.rand(2, 20, 1, 4, 4, generator=torch.Generator().manual_seed(0))
    x1, x2 = (low + (high - low) * x for x in (one, other))
    ball = Ball(norm, bound)  # type: ignore[arg-type]
    inner = ball.nearest(x1, x2)
    assert not ball.excludes(x1, inner).any()
    sizes = [distance(x.numpy(), y.numpy(), norm) for x, y in zip(x1, inner, strict=True)]  # type: ignore[arg-type]
    assert max(sizes) <= bound
    assert norm != "inf" or min(sizes) > 0.99 * bound


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("levels_away", "whole"), [(2.75, 2), (3.0, 3), (3.2, 3), (0.5, 0)])
def test_on_a_grid_steps_of_whole_levels_stay_within_the_bound(
    dtype: torch.dtype, levels_away: float, whole: int
) -> None:
    generator = torch.Generator().manual_seed(0)
    x1 = (torch.randint(20, 230, (9, 1, 4, 4), generator=generator).double() / 255).to(dtype)
    x2 = x1 + (torch.rand(x1.shape, generator=generator) - 0.5).sign().to(dtype) / 4
    ball = Ball("inf", levels_away / 255)
    found = ball.nearest(x1, x2, 255)
    assert not ball.excludes(x1, found).any()
    assert torch.equal((255 * (found - x1)).abs().round(), torch.full_like(x1, whole))
    assert torch.equal(NO_BALL.nearest(x1, x2, 255), (x2 * 255).round() / 255)


def test_without_a_bound_nothing_is_outside() -> None:
    x1, x2 = torch.zeros(2, 3), torch.full((2, 3), 9.0)
    assert not NO_BALL.excludes(x1, x2).any()
    assert NO_BALL.nearest(x1, x2) is x2


def test_the_largest_step_counts_for_the_maximum_norm() -> None:
    step = Ball("inf", 0.5).nearest(torch.zeros(1, 2), torch.tensor([[2.0, 0.25]]))
    assert pytest.approx([0.5, 0.25]) == step[0].tolist()
    assert (
        pytest.approx([0.5, 0.5]) == Ball("1", 1.0).nearest(torch.zeros(1, 2), torch.tensor([[2.0, 2.0]]))[0].tolist()
    )
