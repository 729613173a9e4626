"""Test pairs by linear programming: the paper's concolic generation, one seed and one activation pattern at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dnncov_core.criteria import CoveringMethod
from dnncov_core.generators.base import Generator, Search

if TYPE_CHECKING:
    from dnncov_core.networks import Network

# PyTorch and the solvers are loaded only when a search begins, so that menus that name these generators open at once


@dataclass(frozen=True)
class LinearProgram(Generator):
    """The nearest x2 within the seed's pattern, by a programme in the inputs alone whose rows are added when needed.

    Args:
        margin: how far from 0 each u whose sign is asked for has to stay; enlarged up to a hundredfold where the
            network's own precision loses the solution.
    """

    title: ClassVar[str] = "Linear programming"
    words: ClassVar[str] = (
        "Holds the seed's activation pattern fixed, so that the network is linear, and finds the nearest x2"
        " (smallest L-infinity distance) that meets the test condition. For piecewise-linear networks."
    )
    seconds_per_attempt: ClassVar[float] = 0.05
    margin: float = 1e-4

    @classmethod
    def configured(cls, *, margin: float) -> LinearProgram:
        return cls(margin=margin)

    def prepare(self, network: Network, criterion: CoveringMethod) -> Search:
        from dnncov_core.generators.lp_search import LinearProgramSearch
        from dnncov_core.generators.row_generation import RowGeneration

        return LinearProgramSearch(network, criterion, margin=self.margin, programme=RowGeneration(network))


@dataclass(frozen=True)
class ReferenceLinearProgram(Generator):
    """The same x2 by the paper's formulation, with its variables and constraints.

    Args:
        margin: as of `LinearProgram`.
        solver: a key of `linear_program.SOLVERS`.
    """

    title: ClassVar[str] = "Linear programming (the paper's formulation)"
    words: ClassVar[str] = (
        "Finds the same x2 from the paper's own programme, with a variable for each neuron and all constraints at once."
        " Slower by an order of magnitude; kept as the reference."
    )
    seconds_per_attempt: ClassVar[float] = 0.5
    margin: float = 1e-4
    solver: str = "highs"

    @classmethod
    def configured(cls, *, margin: float) -> ReferenceLinearProgram:
        return cls(margin=margin)

    def prepare(self, network: Network, criterion: CoveringMethod) -> Search:
        from dnncov_core.generators.linear_program import PapersProgramme
        from dnncov_core.generators.lp_search import LinearProgramSearch

        programme = PapersProgramme(network, self.solver)
        return LinearProgramSearch(network, criterion, margin=self.margin, programme=programme)
