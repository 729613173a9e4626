"""Test pairs by gradient search: the paper's Algorithm 1, and a search that follows the test condition itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from dnncov_core.criteria import CoveringMethod
from dnncov_core.errors import SpecificationError
from dnncov_core.generators.base import Generator, Parameters, Search

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

# PyTorch is loaded only when a search begins, so that menus that name these generators open at once


@dataclass(frozen=True)
class _ByGradients(Generator):
    """What both generators share."""

    by_gradients: ClassVar[bool] = True
    seconds_per_attempt: ClassVar[float] = 0.5
    parameters: Parameters

    @classmethod
    def configured(cls, parameters: Parameters) -> Self:
        return cls(parameters)

    def _check(self, network: Network, criterion: CoveringMethod) -> None:
        """Checks what a search needs, before it begins.

        Raises:
            SpecificationError: a grid that does not fit the inputs, or a value function without gradients.
        """
        from dnncov_core.generators.shortfall import check_functions

        self.parameters.grid.check(network.bounds)
        check_functions(criterion)


@dataclass(frozen=True)
class Targeted(_ByGradients):
    """Steps along the gradient of what the test condition lacks, as short as the condition allows."""

    title: ClassVar[str] = "Gradient search by the test condition"
    words: ClassVar[str] = (
        "Follows the gradient of what the test condition itself lacks, and takes back each step as far as the condition"
        " still holds. For networks of any size."
    )

    def prepare(self, network: Network, criterion: CoveringMethod) -> Search:
        from dnncov_core.generators.targeted_search import TargetedSearch

        self._check(network, criterion)
        return TargetedSearch(network, criterion, self.parameters)


@dataclass(frozen=True)
class PapersGradient(_ByGradients):
    """The paper's Algorithm 1, get_input_pair."""

    title: ClassVar[str] = "Gradient search (the paper's Algorithm 1)"
    words: ClassVar[str] = (
        "Starts at an FGSM step from a seed and moves x2 nearer to or farther from it along the gradient of the"
        " network's loss, as the paper's Algorithm 1 does. Finds larger steps, of which more change the label."
    )

    @classmethod
    def configured(cls, parameters: Parameters) -> Self:
        if parameters.objective != "distance":
            fix = "choose generator targeted, or objective distance"
            raise SpecificationError("objective distance for the paper's Algorithm 1", parameters.objective, fix)
        return cls(parameters)

    def prepare(self, network: Network, criterion: CoveringMethod) -> Search:
        from dnncov_core.generators.papers_search import PapersSearch

        self._check(network, criterion)
        return PapersSearch(network, criterion, self.parameters)
