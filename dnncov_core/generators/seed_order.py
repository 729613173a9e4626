"""In which order seeds are tried for a target. Choices are built from `SEED_ORDERS`."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.criteria import CoveringMethod
from dnncov_core.records import Target
from dnncov_core.types import FloatArray, IntArray

if TYPE_CHECKING:
    from dnncov_core.networks import Network


@dataclass(frozen=True)
class Pool:
    """The seeds to choose from: their number, and their pixels ``(len, *input_shape)`` by their places in the pool."""

    size: int
    pixels: Callable[[IntArray], FloatArray]


Ranking = Callable[[Target], IntArray]
"""Places in the pool for a target, the first to be tried first; it depends on the target alone."""


class SeedOrder(ABC):
    """A way to order seeds."""

    title: ClassVar[str]
    words: ClassVar[str]

    @abstractmethod
    def prepare(self, network: Network, method: CoveringMethod, pool: Pool, *, most: int, random_seed: int) -> Ranking:
        """Binds the order to a campaign; a ranking has at most ``most`` places."""


@dataclass(frozen=True)
class Nearest(SeedOrder):
    """Seeds from which the test condition looks nearest."""

    title: ClassVar[str] = "Nearest first"
    words: ClassVar[str] = (
        "Seeds first from which the test condition looks nearest, by a lower bound on the distance of x2. Covers more"
        " with fewer attempts and much smaller steps, which seldom change the label."
    )

    def prepare(self, network: Network, method: CoveringMethod, pool: Pool, *, most: int, random_seed: int) -> Ranking:
        from dnncov_core.generators.nearest_seeds import NearestSeeds  # PyTorch only where seeds are ranked

        return NearestSeeds(network, method, pool, most)


@dataclass(frozen=True)
class Random(SeedOrder):
    """Seeds at random, as in the paper's experiments."""

    title: ClassVar[str] = "Random"
    words: ClassVar[str] = (
        "Seeds in random order, as in the paper's experiments. Steps are larger and often change the label."
    )

    def prepare(self, network: Network, method: CoveringMethod, pool: Pool, *, most: int, random_seed: int) -> Ranking:
        def ranking(target: Target) -> IntArray:
            digest = hashlib.sha256(f"seeds {random_seed} {target.ordinal}".encode()).digest()
            return np.random.default_rng(list(digest)).permutation(pool.size)[:most]

        return ranking


SEED_ORDERS: dict[str, SeedOrder] = {
    "nearest": Nearest(),
    "random": Random(),
}
