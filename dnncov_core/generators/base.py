"""What a generator is: a frozen configuration that, prepared for a network and a criterion, searches for test pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dnncov_core.criteria import CoveringMethod
from dnncov_core.errors import NumericsError
from dnncov_core.features import FeaturePair
from dnncov_core.generators.grid import Grid
from dnncov_core.records import Attempt, Outcome, Target
from dnncov_core.types import FloatArray

if TYPE_CHECKING:
    from dnncov_core.networks import Network


@dataclass(frozen=True)
class Seed:
    """A given input x1: its row in the data, and its pixels, ``input_shape``, in the network's precision."""

    row: int
    x: FloatArray


@dataclass(frozen=True)
class Found:
    """What a search leaves for one target: its attempts in order, and where the last one succeeded, (seed, x2)."""

    target: Target
    attempts: tuple[Attempt, ...]
    seed: Seed | None = None
    x2: FloatArray | None = None


class Search(ABC):
    """A generator at work on one network and one criterion."""

    def run(self, targets: Iterable[Target], seeds: Callable[[Target], Iterable[Seed]]) -> Iterator[Found]:
        """Searches for each target, seed after seed until one succeeds; yields each target when it is done.

        A generator that moves many targets at once overrides this method, and may yield in any order.
        """
        for target in targets:
            yield self._one_target(target, seeds(target))

    def _one_target(self, target: Target, seeds: Iterable[Seed]) -> Found:
        attempts: list[Attempt] = []
        for seed in seeds:
            try:
                attempt, x2 = self.attempt(FeaturePair.of(target), seed)
            except NumericsError as error:
                attempt, x2 = Attempt(seed.row, Outcome.ERROR, 0.0, message=str(error)), None
            attempts.append(attempt)
            if attempt.outcome is Outcome.FOUND:
                return Found(target, tuple(attempts), seed, x2)
        return Found(target, tuple(attempts))

    @abstractmethod
    def attempt(self, pair: FeaturePair, seed: Seed) -> tuple[Attempt, FloatArray | None]:
        """Tries one seed for one pair; x2, ``input_shape``, comes with the outcome found."""


class Generator(ABC):
    """A configured generator."""

    title: ClassVar[str]
    words: ClassVar[str]
    seconds_per_attempt: ClassVar[float]
    """Rough time of one attempt on a network of the paper's size, for estimates without an earlier campaign."""

    @classmethod
    @abstractmethod
    def configured(cls, *, margin: float, grid: Grid) -> Generator:
        """The generator with a campaign's parameters."""

    @abstractmethod
    def prepare(self, network: Network, criterion: CoveringMethod) -> Search:
        """Binds the generator to a network and a criterion.

        Raises:
            NetworkError: a network that this generator cannot handle.
            SpecificationError: a grid that does not fit the network's inputs.
        """
