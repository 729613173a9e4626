"""Ways to conditions: the first-order bounds, and the points of a way on a grid and off it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.generators.directions import LinearPart, way, weighed
from dnncov_core.generators.row_generation import add_rows, programme

N = 7


def drawn(seed: int, parts: int = 2) -> list[LinearPart]:
    rng = torch.Generator().manual_seed(seed)
    return [
        LinearPart(
            torch.randn(4, N, generator=rng, dtype=torch.float64), torch.rand(4, generator=rng, dtype=torch.float64)
        )
        for _ in range(parts)
    ]


def least_step(parts: list[LinearPart], row: int) -> float:
    """min ||d||_inf with g . d >= h for every part, by linear programming over (d, t)."""
    highs = programme(np.full(N + 1, -50.0), np.full(N + 1, 50.0))
    highs.changeColCost(N, 1.0)
    highs.changeObjectiveSense(type(highs.getObjectiveSense()[1]).kMinimize)
    eye, ones = np.eye(N), np.ones((N, 1))
    add_rows(highs, np.vstack([np.hstack([eye, ones]), np.hstack([-eye, ones])]), np.zeros(2 * N))
    rows = np.array([[*part.g[row].tolist(), 0.0] for part in parts])
    add_rows(highs, rows, np.array([float(part.h[row]) for part in parts]))
    highs.run()
    return float(highs.getSolution().col_value[N])


@given(seed=st.integers(0, 30))
def test_one_part_is_met_exactly_at_its_bound(seed: int) -> None:
    (part,) = drawn(seed, 1)
    d = part.bound[:, None] * part.g.sign()
    assert torch.allclose((part.g * d).sum(dim=1), part.h)


@pytest.mark.parametrize("seed", range(6))
def test_two_parts_are_weighed_nearly_as_the_programme_weighs_them(seed: int) -> None:
    parts = drawn(seed)
    bound = weighed(parts).bound
    for row in range(4):
        best = least_step(parts, row)
        assert float(bound[row]) <= best + 1e-9
        assert float(bound[row]) >= 0.95 * best
        assert float(bound[row]) >= max(float(part.bound[row]) for part in parts) - 1e-12


@given(seed=st.integers(0, 30), t=st.floats(0, 3))
def test_points_off_a_grid(seed: int, t: float) -> None:
    (part,) = drawn(seed, 1)
    x1 = torch.rand(4, N, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    points = way(x1, part, None, (0.0, 1.0)).at(torch.full((4,), t, dtype=torch.float64))
    assert torch.allclose(points, (x1 + t * part.g.sign()).clamp(0, 1))


@given(seed=st.integers(0, 30), changed=st.integers(0, 3 * N))
def test_on_a_grid_inputs_move_one_after_another(seed: int, changed: int) -> None:
    (part,) = drawn(seed, 1)
    x1 = torch.full((4, N), 128 / 255, dtype=torch.float64)
    x2 = way(x1, part, 255, (0.0, 1.0)).at(torch.full((4,), changed / N, dtype=torch.float64))
    steps = ((x2 - x1) * 255).round()
    assert torch.allclose(x2 * 255, (x2 * 255).round())
    assert steps.abs().sum(dim=1).tolist() == [changed] * 4
    for row in range(4):
        order = part.g[row].abs().argsort(descending=True, stable=True)
        sizes = steps[row].abs()[order]
        assert (sizes[:-1] >= sizes[1:]).all()
        assert sizes.max() - sizes.min() <= 1
        assert ((steps[row] * part.g[row]) >= 0).all()


@given(seed=st.integers(0, 60))
def test_on_a_grid_the_start_is_the_first_point_that_holds_to_first_order(seed: int) -> None:
    (part,) = drawn(seed, 1)
    part = LinearPart(part.g, part.h * 0.01)
    x1 = torch.full((4, N), 128 / 255, dtype=torch.float64)
    straight = way(x1, part, 255, (0.0, 1.0))
    gain = ((straight.at(straight.start) - x1) * part.g).sum(dim=1)
    assert (gain >= part.h - 1e-12).all()
    before = ((straight.at(straight.start - 1 / N) - x1) * part.g).sum(dim=1)
    within = straight.start <= 1
    assert (before < part.h)[within].all()
