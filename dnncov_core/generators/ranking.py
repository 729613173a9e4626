"""What a ranking of seeds is given, and what it says: the seeds of each target, the first to be tried first."""

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
"""The seeds of each of some targets; they depend on the target alone, which may be ranked with others at no cost."""


@dataclass(frozen=True)
class RankingParameters:
    """What a campaign asks of its order: at most ``most`` places, draws by ``random_seed``.

    ``by_gradients`` is for gradient search, of which ``labels`` says that it looks for other labels too; it ranks for
    all ``targets`` of the campaign together, and spends at most half the ``passes`` of each.
    """

    most: int
    random_seed: int
    by_gradients: bool = False
    labels: bool = False
    passes: int = 400
    targets: Sequence[Target] = ()
