"""Test pairs by linear programming: the paper's concolic generation, one seed and one activation pattern at a time."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from dnncov_core.criteria import CoveringMethod
from dnncov_core.errors import SpecificationError
from dnncov_core.generators.base import Generator, Parameters, Search
from dnncov_core.generators.grid import GRIDS, Grid

if TYPE_CHECKING:
    from dnncov_core.generators.programme import Programme
    from dnncov_core.networks.network import Network

# PyTorch and the solvers are loaded only when a search begins, so that menus that name these generators open at once


@dataclass(frozen=True)
class _ByProgramme(Generator):
    """What both generators share.

    Args:
        margin: how far from 0 each u whose sign is asked for has to stay; enlarged up to a hundredfold where the
            network's own precision loses the solution.
        grid: the values that x2 may have.
    """

    margin: float = 1e-4
    grid: Grid = GRIDS["none"]

    @classmethod
    def configured(cls, parameters: Parameters) -> Self:
        if parameters.objective != "distance":
            fix = "choose generator targeted, or objective distance"
            raise SpecificationError("objective distance for linear programming", parameters.objective, fix)
        return cls(margin=parameters.margin, grid=parameters.grid)

    @abstractmethod
    def _programme(self, network: Network) -> Programme:
        """How the optimum is found."""

    def prepare(self, network: Network, criterion: CoveringMethod) -> Search:
        from dnncov_core.generators.grid_programme import on_grid
        from dnncov_core.generators.lp_search import LinearProgramSearch

        programme = on_grid(self._programme(network), network, self.grid)
        return LinearProgramSearch(network, criterion, margin=self.margin, programme=programme)


@dataclass(frozen=True)
class LinearProgram(_ByProgramme):
    """The nearest x2 within the seed's pattern, by a programme in the inputs alone whose rows are added when needed."""

    title: ClassVar[str] = "Linear programming"
    words: ClassVar[str] = (
        "Holds the seed's activation pattern fixed, so that the network is linear, and finds the nearest x2"
        " (smallest L-infinity distance) that meets the test condition. For piecewise-linear networks."
    )
    seconds_per_attempt: ClassVar[float] = 0.05

    def _programme(self, network: Network) -> Programme:
        from dnncov_core.generators.row_generation import RowGeneration

        return RowGeneration(network)


@dataclass(frozen=True)
class ReferenceLinearProgram(_ByProgramme):
    """The nearest x2 within the seed's pattern, by the paper's formulation with all its variables and constraints."""

    title: ClassVar[str] = "Linear programming (the paper's formulation)"
    words: ClassVar[str] = (
        "Finds the same x2 from the paper's own programme, with a variable for each neuron and all constraints at once."
        " Slower by an order of magnitude; kept as the reference."
    )
    seconds_per_attempt: ClassVar[float] = 0.5

    def _programme(self, network: Network) -> Programme:
        from dnncov_core.generators.papers_programme import PapersProgramme

        return PapersProgramme(network)
