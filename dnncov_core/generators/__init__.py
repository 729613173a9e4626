"""Generators of test pairs: each proposes, the criterion disposes. Choices are built from this registry.

Linear programming: lp_search asks for one seed and one pair (condition, pattern, pooling); row_generation, or the
paper's linear_program (affine), finds the nearest x2, and on_grid the nearest on a grid (highs solves). seed_order says
which seeds come first, nearest_seeds by a lower bound.
"""

from __future__ import annotations

from dnncov_core.generators.base import Generator, Search, Seed
from dnncov_core.generators.grid import GRIDS
from dnncov_core.generators.lp import LinearProgram, ReferenceLinearProgram
from dnncov_core.generators.seed_order import SEED_ORDERS

GENERATORS: dict[str, type[Generator]] = {
    "lp": LinearProgram,
    "lp-reference": ReferenceLinearProgram,
}

__all__ = ["GENERATORS", "GRIDS", "SEED_ORDERS", "Generator", "Search", "Seed"]
