"""What a generator is: begun for a network, a criterion and a campaign's parameters, it searches for test pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dnncov_core.box import Box
from dnncov_core.criteria import CoveringMethod
from dnncov_core.errors import SpecificationError
from dnncov_core.generators.grid import Grid
from dnncov_core.records import Attempt, LayerInfo, Named, Target
from dnncov_core.types import FloatArray, Norm

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network


LEAST_PASSES = 12
"""The fewest passes of a test condition: with less, ranking its seeds would leave none for an attempt."""
MOST_TOGETHER, VALUES_TOGETHER = 32, 2**16
"""Targets that linear programming searches for side by side, and the values of their networks' layers, which fit in a
cache."""


@dataclass(frozen=True)
class Seed:
    """A given input x1: its row in the data, and its pixels, ``input_shape``, in the network's precision."""

    row: int
    x: FloatArray
    passes: int = 0
    """Forward and backward passes of one input that the ranking spent, counted at a target's first seed."""


@dataclass(frozen=True)
class Found:
    """What a search leaves for one target: its attempts in order, and where the last one succeeded, (seed, x2)."""

    target: Target
    attempts: tuple[Attempt, ...]
    seed: Seed | None = None
    x2: FloatArray | None = None


SeedsOf = Callable[[Sequence[Target]], Sequence[Iterable[Seed]]]
"""The seeds of each of some targets, in the order to try them; to be asked for only when the next one is needed."""


class Search(ABC):
    """A generator at work on one network and one criterion."""

    batch = 1
    """How many targets it takes at the same time."""

    def passes_left(self, target: Target) -> int | None:
        """Passes that a target at work may still spend; None where passes are no budget."""
        return None

    @abstractmethod
    def run(self, targets: Sequence[Target], seeds: SeedsOf) -> Iterator[Found]:
        """Searches for each target until a seed succeeds; yields each when it is done, in the order given."""


@dataclass(frozen=True)
class _ShareSeed(Seed):
    """A seed as shares of the ranges of its features, and the seed that it stands for."""

    of: Seed = field(kw_only=True)


class InShares(Search):
    """Another search at work on shares of the ranges of features; seeds and what is found are inputs themselves.

    ``unit`` is a distance of inputs whose distance in shares is 1.
    """

    def __init__(self, search: Search, box: Box, grid: Grid, unit: float) -> None:
        self._search, self._box, self.batch = search, box, search.batch
        self._grid, self._unit = grid, unit

    def passes_left(self, target: Target) -> int | None:
        return self._search.passes_left(target)

    def run(self, targets: Sequence[Target], seeds: SeedsOf) -> Iterator[Found]:
        for found in self._search.run(targets, lambda batch: [map(self._share, each) for each in seeds(batch)]):
            yield self._found(found)

    def _share(self, seed: Seed) -> Seed:
        return _ShareSeed(seed.row, self._box.shares(seed.x), seed.passes, of=seed)

    def _found(self, found: Found) -> Found:
        found = replace(found, attempts=tuple(map(self._measured, found.attempts)))
        if not isinstance(found.seed, _ShareSeed) or found.x2 is None:
            return found
        seed = found.seed.of
        x2 = self._grid.nearest(self._box.inputs(found.x2, seed.x), self._box)
        return replace(found, seed=seed, x2=x2)

    def _measured(self, attempt: Attempt) -> Attempt:
        if attempt.objective is None or self._unit == 1:
            return attempt
        return replace(attempt, objective=self._unit * attempt.objective)


@dataclass(frozen=True)
class Parameters:
    """The parameters of a campaign that generators need; each generator takes those that concern it."""

    margin: float
    grid: Grid
    objective: str
    norm: Norm
    bound: float | None
    passes: int
    batch: int | None
    random_seed: int


OBJECTIVES: dict[str, Named] = {
    "distance": Named("Small distance", "An x2 near to x1: the smallest step that shows the test condition."),
    "adversarial": Named(
        "Adversarial",
        "Only an adversarial x2 counts, with the test condition holding: within the bound b, it has another label, or"
        " an output beyond its tolerance.",
    ),
    "prefer": Named(
        "Adversarial if possible",
        "An adversarial pair where one is found within the bound b, else the test pair of the condition alone.",
    ),
}
"""What a search makes of the freedom that a test condition leaves; menus and options are built from it."""


@dataclass(frozen=True)
class Generator:
    """A way to search for test pairs.

    Attributes:
        title: its name in menus.
        words: what it does.
        start: begins a search; loads PyTorch and the solvers only then, so that menus open at once.
        by_gradients: whether it works on the campaign's device, on many targets at once; programmes are solved on the
            CPU.
        draws: whether its search draws by the random seed.
        objectives: which of `OBJECTIVES` it has.
        solves_together: whether its programmes take less time together than one by one; on a grid none do.
        margin: what the margin of a campaign, ``{margin}``, says of the pairs that it finds, in a sentence.
    """

    title: str
    words: str
    start: Callable[[Network, CoveringMethod, Parameters], Search] = field(repr=False)
    by_gradients: bool = False
    draws: bool = False
    objectives: tuple[str, ...] = ("distance",)
    solves_together: bool = False
    margin: str = (
        "It asked each u whose sign changes to be at least {margin:g} from 0; rounding may take a little of that."
    )

    def check(self, objective: str) -> None:
        """Refuses an objective that it does not have.

        Raises:
            SpecificationError: with the objectives that it has.
        """
        if objective not in self.objectives:
            expected = f"objective {' or '.join(self.objectives)} for the generator {self.title}"
            raise SpecificationError(expected, objective, "choose generator lp or targeted, or objective distance")

    def programmes_together(self, layers: Sequence[LayerInfo], grid: Grid) -> int:
        """How many targets its programmes are solved for side by side, at the most."""
        if not self.solves_together or grid.levels is not None:
            return 1
        return max(1, min(MOST_TOGETHER, VALUES_TOGETHER // sum(layer.neurons for layer in layers)))

    def search(self, network: Network, criterion: CoveringMethod, parameters: Parameters) -> Search:
        """Binds it to a network, a criterion and a campaign's parameters.

        Raises:
            NetworkError: a network that this generator cannot handle.
            SpecificationError: an objective, or a value function, that it does not have, or a grid that does not fit
                the network's inputs.
        """
        self.check(parameters.objective)
        parameters.grid.check(network.box)
        box, grid = parameters.grid.working_box(network.box), parameters.grid
        unit = unit_of(box, network.box)
        bound = None if parameters.bound is None else parameters.bound / unit
        search = self.start(network.in_shares(box), criterion, replace(parameters, bound=bound))
        if not self.by_gradients:
            search.batch = self.programmes_together(network.layers, grid)
        return search if box.ranges is None else InShares(search, box, grid, unit)


def unit_of(working: Box, box: Box) -> float:
    """The distance of inputs of a box whose distance in the shares of the ``working`` one is 1."""
    low, high = box.bounds
    return 1.0 if working.ranges == box.ranges else high - low
