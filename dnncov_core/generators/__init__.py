"""Generators of test pairs: each proposes, the criterion disposes. Choices are built from this registry.

Linear programming: lp_search asks for one seed and one pair (programme, pattern) and row_generation (condition_rows),
or the paper's own papers_programme, finds the nearest x2; grid_programme finds the nearest x2 on a grid. effect_rows
ask for an effect, label_rows for another label. Searches are in lockstep, so that what they ask for is solved together.

Gradients: batched_search deals targets and seeds to a batch of slots, and shortfall says how far each slot is from its
test condition, with batch_effect from the effect that it has to show. papers_search is the paper's Algorithm 1.
targeted_search follows the condition itself, straight on (directions, line_search) and else step by step (descent,
within its ball).

The room seed_order says which seeds come first.

baseline_searches look for another label only, so that a coverage-guided search can be compared with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dnncov_core.criteria import CoveringMethod
from dnncov_core.generators.base import LEAST_PASSES, OBJECTIVES, Generator, Parameters, Search, Seed
from dnncov_core.generators.grid import GRIDS
from dnncov_core.generators.seed_order.orders import SEED_ORDERS
from dnncov_core.records import LayerInfo

if TYPE_CHECKING:
    from dnncov_core.generators.programme import Programme
    from dnncov_core.networks.network import Network


def _linear_program(network: Network, criterion: CoveringMethod, parameters: Parameters) -> Search:
    from dnncov_core.generators.row_generation import RowGeneration

    return _by_programme(RowGeneration(network), network, criterion, parameters)


def _papers_linear_program(network: Network, criterion: CoveringMethod, parameters: Parameters) -> Search:
    from dnncov_core.generators.papers_programme import PapersProgramme

    return _by_programme(PapersProgramme(network), network, criterion, parameters)


def _by_programme(programme: Programme, network: Network, criterion: CoveringMethod, parameters: Parameters) -> Search:
    from dnncov_core.generators.grid_programme import OnGrid
    from dnncov_core.generators.lp_search import LinearProgramSearch
    from dnncov_core.oracle import Oracle

    levels = parameters.grid.levels
    programme = programme if levels is None else OnGrid(programme, network, levels)
    return LinearProgramSearch(
        network,
        criterion,
        margin=parameters.margin,
        programme=programme,
        objective=parameters.objective,
        oracle=Oracle(parameters.norm, parameters.bound),
    )


def _targeted(network: Network, criterion: CoveringMethod, parameters: Parameters) -> Search:
    from dnncov_core.generators.targeted_search import TargetedSearch

    return TargetedSearch(network, criterion, parameters)


def _papers_gradient(network: Network, criterion: CoveringMethod, parameters: Parameters) -> Search:
    from dnncov_core.generators.papers_search import PapersSearch

    return PapersSearch(network, criterion, parameters)


GENERATORS: dict[str, Generator] = {
    "lp": Generator(
        "Linear programming",
        "Holds the seed's activation pattern fixed, so that the network is linear, and finds the nearest x2"
        " (smallest L-infinity distance) that meets the test condition, or that is adversarial, too. For"
        " piecewise-linear networks.",
        start=_linear_program,
        objectives=tuple(OBJECTIVES),
        solves_together=True,
    ),
    "lp-reference": Generator(
        "Linear programming (the paper's formulation)",
        "Finds the same x2 from the paper's own programme, with a variable for each neuron and all constraints at once."
        " Slower by an order of magnitude; kept as the reference.",
        start=_papers_linear_program,
        objectives=tuple(OBJECTIVES),
    ),
    "targeted": Generator(
        "Gradient search by the test condition",
        "Follows the gradient of what the test condition itself lacks, and takes back each step as far as the condition"
        " still holds. For networks of any size.",
        start=_targeted,
        margin="It aims at a u at least {margin:g} from 0 wherever a sign changes, and takes one that is nearer where"
        " the condition holds.",
        by_gradients=True,
        objectives=tuple(OBJECTIVES),
    ),
    "gradient": Generator(
        "Gradient search (the paper's Algorithm 1)",
        "Starts at an FGSM step from a seed and moves x2 nearer to or farther from it along the gradient of the"
        " network's loss, as the paper's Algorithm 1 does. Finds larger steps, of which more are adversarial.",
        start=_papers_gradient,
        margin="It asks for no margin: any u of the other sign will do.",
        by_gradients=True,
        draws=True,
    ),
}

AUTO = "auto"
"""Stands for the generator that suits a network."""
SMOOTH = ("sigmoid", "tanh", "elu", "gelu", "silu")
"""Kinds of layers whose networks had no obstacle written down in earlier versions."""
MOST_NEURONS = 5_000
"""Hidden neurons up to which a test condition's linear programme is solved in well under a second."""


def suited(layers: Sequence[LayerInfo], obstacle: str, *, feature_mode: str, objective: str) -> str:
    """The generator that "auto" stands for: linear programming for small piecewise-linear networks, else gradients.

    Only gradients can find free condition features.

    Args:
        layers: the network's layers 1..K.
        obstacle: the operator that keeps linear programming from it; empty if none does.
        feature_mode: what a condition feature is.
        objective: one of `OBJECTIVES`.
    """
    small = sum(layer.neurons for layer in layers[1:-1]) <= MOST_NEURONS
    possible = feature_mode != "free" and objective in GENERATORS["lp"].objectives
    linear = not obstacle and not any(layer.kind in SMOOTH for layer in layers)
    return "lp" if small and linear and possible else "targeted"


def follows_gradients(name: str) -> bool | None:
    """Whether a generator follows gradients; None for "auto", which is not decided yet."""
    return None if name == AUTO else GENERATORS[name].by_gradients


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
    "follows_gradients",
    "suited",
]
