"""What baseline searches find with the same budget: random perturbations, and projected gradient ascent.

Neither asks for a test condition, only for another label: so they tell what a coverage-guided search adds to them.
Projected gradient ascent: Madry et al. (2018), "Towards Deep Learning Models Resistant to Adversarial Attacks", begun
at the seed, with steps of 2.5 radii divided by their number; on a grid it keeps x2 between the points at which it asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from dnncov_core.generators.ball import Ball, in_shape
from dnncov_core.generators.grid import Grid
from dnncov_core.networks.network import Network
from dnncov_core.types import Norm


@dataclass(frozen=True)
class Starts:
    """Seeds, and what may be spent on each.

    Attributes:
        x1: seeds, ``(batch, *input_shape)``, on the network's device.
        outputs: what the network gives for the seeds, ``(batch, n)``.
        radius: the greatest distance of x2, ``(batch,)``.
        passes: forward and backward passes of one input, each counted as one, ``(batch,)``.
        rngs: each seed's own random numbers, so that no result depends on the others of its batch.
    """

    x1: Tensor
    outputs: Tensor
    radius: Tensor
    passes: Tensor
    rngs: Sequence[torch.Generator]


def random_perturbations(network: Network, starts: Starts, norm: Norm, grid: Grid) -> Tensor:
    """A pass for each perturbation: uniform within the radius for the norm inf, else of exactly the radius."""
    changed = torch.zeros_like(starts.passes, dtype=torch.bool)
    for rows in _while_budgets_last(starts.passes, changed):
        part = _some(starts, rows)
        step = _direction(part, norm)
        x2 = _placed(network, part, norm, grid, part.x1 + in_shape(part.radius, step) * step)
        with torch.no_grad():
            changed[rows] = _is_other(network, part, norm, x2, network(x2))
    return changed


def gradient_ascent(network: Network, starts: Starts, norm: Norm, grid: Grid) -> Tensor:
    """Two passes for each step, forwards, which shows the label too, and backwards; and a last one for the label."""
    return ascended(network, starts, norm, grid)[1]


def ascended(network: Network, starts: Starts, norm: Norm, grid: Grid) -> tuple[Tensor, Tensor]:
    """The last x2 of gradient ascent, which goes no further once the label is another one, and whether it was."""
    changed, steps = torch.zeros_like(starts.passes, dtype=torch.bool), ((starts.passes - 1) // 2).clamp(min=1)
    x2 = starts.x1.clone()
    for rows in _while_budgets_last(steps, changed):
        part = _some(starts, rows)
        here = _placed(network, part, norm, grid, x2[rows]).requires_grad_()
        with torch.enable_grad():
            outputs = network(here)
            (gradient,) = torch.autograd.grad(network.decision.loss(outputs, part.outputs), here)
        changed[rows] = _is_other(network, part, norm, here, outputs)
        moved = x2[rows] + in_shape(2.5 * part.radius / steps[rows], here) * steepest(gradient, norm)
        x2[rows] = Ball(norm, part.radius).nearest(part.x1, moved).clamp(*network.bounds)
    last = _placed(network, starts, norm, grid, x2)
    with torch.no_grad():
        return last, changed | _is_other(network, starts, norm, last, network(last))


BASELINE_SEARCHES: dict[str, Callable[[Network, Starts, Norm, Grid], Tensor]] = {
    "random": random_perturbations,
    "ascent": gradient_ascent,
}
"""Each says which seeds have an x2 of another label within their radius and passes, ``(batch,)`` of bool."""


def _while_budgets_last(budgets: Tensor, changed: Tensor) -> Iterator[Tensor]:
    """Numbers of the seeds that have something left to spend and no other label yet, turn by turn."""
    for turn in range(int(budgets.max()) if len(budgets) else 0):
        rows = ((budgets > turn) & ~changed).nonzero()[:, 0]
        if not len(rows):
            return
        yield rows


def _some(starts: Starts, rows: Tensor) -> Starts:
    rngs = [starts.rngs[row] for row in rows.tolist()]
    return Starts(starts.x1[rows], starts.outputs[rows], starts.radius[rows], starts.passes[rows], rngs)


def _is_other(network: Network, starts: Starts, norm: Norm, x2: Tensor, outputs: Tensor) -> Tensor:
    """Whether x2 has another label; a grid may have put it beyond the radius, where it does not count."""
    other = network.decision.differs(outputs, starts.outputs)
    return other & ~Ball(norm, starts.radius).excludes(starts.x1, x2)


def _placed(network: Network, starts: Starts, norm: Norm, grid: Grid, x2: Tensor) -> Tensor:
    """x2 within the radius, the bounds, and on the grid if there is one."""
    return Ball(norm, starts.radius).nearest(starts.x1, x2.clamp(*network.bounds), grid.levels).clamp(*network.bounds)


def _direction(starts: Starts, norm: Norm) -> Tensor:
    """Random steps of length 1, for the norm inf of up to 1."""
    shape, dtype = starts.x1.shape[1:], starts.x1.dtype
    drawn = torch.stack([drawn_steps(shape, dtype, norm, rng) for rng in starts.rngs])
    return _of_length_one(drawn.to(starts.x1.device), norm)


def drawn_steps(shape: torch.Size, dtype: torch.dtype, norm: Norm, rng: torch.Generator) -> Tensor:
    """A step whose direction is uniform: a normal one for the norm 2, a Laplacian one for the norm 1."""
    if norm == "2":
        return torch.randn(shape, generator=rng, dtype=dtype)
    uniform = torch.rand(shape, generator=rng, dtype=dtype) * 2 - 1
    if norm == "inf":
        return uniform
    return uniform.sign() * torch.empty(shape, dtype=dtype).exponential_(generator=rng)


def steepest(gradient: Tensor, norm: Norm) -> Tensor:
    """A step of length 1 along the gradient: its sign for the norm inf, else its direction."""
    return _of_length_one(gradient.sign() if norm == "inf" else gradient, norm)


def _of_length_one(step: Tensor, norm: Norm) -> Tensor:
    """For the norm inf steps are of up to 1 already."""
    if norm == "inf":
        return step
    return step / in_shape(step.flatten(1).norm(p=float(norm), dim=1).clamp(min=1e-30), step)
