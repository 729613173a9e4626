"""In which order seeds are tried for a target. Choices are built from `SEED_ORDERS`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dnncov_core.criteria import CoveringMethod
from dnncov_core.generators.seed_order.ranking import Pool, Ranked, Ranking, RankingParameters
from dnncov_core.records import Target
from dnncov_core.types import IntArray

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network


@dataclass(frozen=True)
class SeedOrder:
    """A way to order seeds; ``prepare`` binds it to a campaign."""

    title: str
    words: str
    prepare: Callable[[Network, CoveringMethod, Pool, RankingParameters], Ranking]


def _nearest(network: Network, method: CoveringMethod, pool: Pool, parameters: RankingParameters) -> Ranking:
    if parameters.by_gradients:  # PyTorch only where seeds are ranked
        from dnncov_core.generators.seed_order.gradient_ranking import GradientRanking

        return GradientRanking(network, method, pool, parameters)
    from dnncov_core.generators.seed_order.programme_ranking import ProgrammeRanking

    return ProgrammeRanking(network, method, pool, parameters.most, labels=parameters.labels)


def _random(network: Network, method: CoveringMethod, pool: Pool, parameters: RankingParameters) -> Ranking:
    def drawn(target: Target) -> IntArray:
        digest = hashlib.sha256(f"seeds {parameters.random_seed} {target.ordinal}".encode()).digest()
        return np.random.default_rng(list(digest)).permutation(pool.size)[: parameters.most]

    return lambda targets: [Ranked(drawn(target)) for target in targets]


SEED_ORDERS: dict[str, SeedOrder] = {
    "nearest": SeedOrder(
        "Nearest first",
        "Seeds first from which the test condition looks nearest, by a lower bound on the distance of x2. Covers more"
        " with fewer attempts and much smaller steps, which are seldom adversarial.",
        _nearest,
    ),
    "random": SeedOrder(
        "Random",
        "Seeds in random order, as in the paper's experiments. Steps are larger and often adversarial.",
        _random,
    ),
}
