"""Generators of test pairs: each proposes, the criterion disposes. Choices are built from this registry.

Linear programming (lp_generators): lp_search asks for one seed and one pair (programme, pattern, pooling) and
row_generation, or the paper's own papers_programme, finds the nearest x2; grid_programme finds the nearest x2 on a
grid.

Gradients (gradient_generators): batched_search deals targets and seeds to a batch of slots, and shortfall says how far
each slot is from its test condition. papers_search is the paper's Algorithm 1. targeted_search follows the condition
itself, straight on (directions, line_search) and else step by step (descent, within its ball).

seed_order says which seeds come first (ranking: what that takes and gives): nearest_seeds by a lower bound for linear
programming, nearest_decisions by the distance of the decision's hyperplane for gradients.

baseline_searches look for another label only, so that a coverage-guided search can be compared with them.
"""

from __future__ import annotations

from collections.abc import Sequence

from dnncov_core.generators.base import LEAST_PASSES, OBJECTIVES, Generator, Parameters, Search, Seed
from dnncov_core.generators.gradient_generators import PapersGradient, Targeted
from dnncov_core.generators.grid import GRIDS
from dnncov_core.generators.lp_generators import LinearProgram, ReferenceLinearProgram
from dnncov_core.generators.seed_order import SEED_ORDERS
from dnncov_core.records import LayerInfo

GENERATORS: dict[str, type[Generator]] = {
    "lp": LinearProgram,
    "lp-reference": ReferenceLinearProgram,
    "targeted": Targeted,
    "gradient": PapersGradient,
}

AUTO = "auto"
"""Stands for the generator that suits a network."""
PIECEWISE_LINEAR = ("relu", "leaky_relu", "relu6")
MOST_NEURONS = 5_000
"""Hidden neurons up to which a test condition's linear programme is solved in well under a second."""


def suited(layers: Sequence[LayerInfo], *, by_gradients: bool) -> str:
    """The generator that "auto" stands for: linear programming for small piecewise-linear networks, else gradients.

    Args:
        layers: the network's layers 1..K.
        by_gradients: whether only gradients can do what is asked: free condition features, or an objective beside the
            distance.
    """
    hidden = layers[1:-1]
    small = sum(layer.neurons for layer in hidden) <= MOST_NEURONS
    linear = all(layer.kind in PIECEWISE_LINEAR for layer in hidden)
    return "lp" if small and linear and not by_gradients else "targeted"


__all__ = [
    "AUTO",
    "GENERATORS",
    "GRIDS",
    "LEAST_PASSES",
    "OBJECTIVES",
    "SEED_ORDERS",
    "Generator",
    "Parameters",
    "Search",
    "Seed",
    "suited",
]
