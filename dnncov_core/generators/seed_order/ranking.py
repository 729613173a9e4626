"""Rankings of seeds: what they choose from, what a campaign asks of them, and the order that they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dnncov_core.records import Target
from dnncov_core.types import FloatArray, IntArray


@dataclass(frozen=True)
class Pool:
    """The seeds to choose from: their number, and their pixels ``(len, *input_shape)`` by their places in the pool."""

    size: int
    pixels: Callable[[IntArray], FloatArray]


@dataclass(frozen=True)
class Ranked:
    """Places in the pool for one target, the first to be tried first, and the passes of one input that this cost."""

    places: IntArray
    passes: int = 0


Ranking = Callable[[Sequence[Target]], list[Ranked]]
"""Ranks the seeds of each of some targets. A ranking depends on its target alone, whichever are ranked with it."""


@dataclass(frozen=True)
class RankingParameters:
    """What a campaign asks of a ranking.

    Attributes:
        most: how many seeds of a target are ranked, at most.
        random_seed: decides random orders.
        by_gradients: whether seeds are ranked for gradient search, with at most half the passes of each target.
        labels: whether the search looks for another label too.
        passes: forward and backward passes that a target may spend.
        targets: all targets of the campaign, whose seeds gradient search ranks together.
    """

    most: int
    random_seed: int
    by_gradients: bool = False
    labels: bool = False
    passes: int = 400
    targets: Sequence[Target] = ()
