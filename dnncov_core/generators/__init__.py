"""Generators of test pairs: each proposes, the criterion disposes. Choices are built from this registry."""

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
