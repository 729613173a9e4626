"""How many test conditions of a campaign are searched for together, and what keeps it from being more."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.generators import GENERATORS, GRIDS
from dnncov_core.generators.base import MOST_TOGETHER
from dnncov_core.records import LayerInfo

BATCHES = 32
"""Batches of a campaign by linear programming, at the least."""


class Limit(Enum):
    """What keeps linear programming from searching for more test conditions together."""

    REUSE = "reuse"
    """A test pair may cover the conditions that follow."""
    GRID = "grid"
    """Programmes on a grid are solved one by one."""
    FORMULATION = "formulation"
    """So are those of the generator."""
    FEW = "few"
    """Each process and shard of a campaign with few conditions is to have some."""
    VALUES = "values"
    """The values of a large network do not fit in a cache for more."""


def batch_of(spec: CampaignSpec, most: int, targets: int) -> int:
    """How many of so many targets are searched for together, where the search takes ``most``.

    Linear programming finds the same in batches of any size.
    """
    if spec.by_gradients:
        return most
    return 1 if spec.reuse else max(1, min(most, targets // BATCHES))


def limit_of(spec: CampaignSpec, layers: Sequence[LayerInfo], targets: int) -> Limit | None:
    """What keeps so many targets from larger batches; None in the largest, and where memory alone decides."""
    if spec.by_gradients:
        return None
    if spec.reuse:
        return Limit.REUSE
    if GRIDS[spec.grid].levels is not None:
        return Limit.GRID
    generator = GENERATORS[spec.generator]
    if not generator.solves_together:
        return Limit.FORMULATION
    most = generator.programmes_together(layers, GRIDS[spec.grid])
    if batch_of(spec, most, targets) < most:
        return Limit.FEW
    return Limit.VALUES if most < MOST_TOGETHER else None
