"""Steps against a gradient, on a grid and off it."""

from __future__ import annotations

import pytest
import torch

from dnncov_core.generators.descent import SAMPLE, moved

LEVELS = 255


def gradient_and_x(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    gradient = torch.randn(3, 1, n, generator=generator, dtype=torch.float64)
    return gradient, torch.randint(9, 240, (3, 1, n), generator=generator).double() / LEVELS


def test_without_a_grid_every_input_moves_by_t() -> None:
    gradient, x = gradient_and_x(50)
    t = torch.tensor([0.25, 0.0, 0.5], dtype=torch.float64)
    assert torch.allclose(moved(x, gradient, t, None) - x, -t[:, None, None] * gradient.sign())


@pytest.mark.parametrize("n", [100, SAMPLE])
@pytest.mark.parametrize("t", [0.1, 1.0, 2.6])
def test_on_a_grid_the_largest_gradients_move_a_step_more(n: int, t: float) -> None:
    gradient, x = gradient_and_x(n)
    steps = ((moved(x, gradient, torch.full((3,), t, dtype=x.dtype), LEVELS) - x) * LEVELS).round()
    assert torch.allclose((x * LEVELS + steps) / LEVELS, moved(x, gradient, torch.full((3,), t, dtype=x.dtype), LEVELS))
    assert torch.equal(steps.sign(), -gradient.sign() * (steps != 0))
    for row in range(3):
        ranked = steps[row, 0].abs()[gradient[row, 0].abs().argsort(descending=True)]
        more = int((ranked > int(t)).sum())
        assert ranked.tolist() == [int(t) + 1.0] * more + [float(int(t))] * (n - more)
        assert more == pytest.approx((t - int(t)) * n, abs=1)


def test_of_many_inputs_some_stand_for_all() -> None:
    gradient, x = gradient_and_x(20 * SAMPLE)
    change = moved(x, gradient, torch.full((3,), 0.3, dtype=x.dtype), LEVELS) != x
    assert torch.allclose(change.double().mean(dim=2), torch.full((3, 1), 0.3, dtype=x.dtype), atol=0.02)
