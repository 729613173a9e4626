"""Test pairs by linear programming: the paper's concolic generation, one seed and one activation pattern at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dnncov_core.criteria import CoveringMethod
from dnncov_core.generators.base import Generator, Search

if TYPE_CHECKING:
    from dnncov_core.networks import Network


@dataclass(frozen=True)
class LinearProgram(Generator):
    """The reference formulation: variables and constraints as the paper counts them.

    Args:
        margin: how far from 0 each u whose sign is asked for has to stay; enlarged up to a hundredfold where the
            network's own precision loses the solution.
        solver: a key of `linear_program.SOLVERS`.
    """

    title: ClassVar[str] = "Linear programming"
    words: ClassVar[str] = (
        "Holds the seed's activation pattern fixed, so that the network is linear, and finds the nearest x2"
        " (smallest L-infinity distance) that meets the test condition. For piecewise-linear networks."
    )
    margin: float = 1e-4
    solver: str = "highs"

    @classmethod
    def configured(cls, *, margin: float) -> LinearProgram:
        return cls(margin=margin)

    def prepare(self, network: Network, criterion: CoveringMethod) -> Search:
        # PyTorch and PuLP are loaded only when a search begins, so that menus that name this generator open at once
        from dnncov_core.generators.lp_search import LinearProgramSearch

        return LinearProgramSearch(network, criterion, margin=self.margin, solver=self.solver)
