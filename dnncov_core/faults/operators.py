"""The mutation operators by name, and how mutants are spread over operators and layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dnncov_core.errors import NetworkError, unknown_name
from dnncov_core.faults.end_operators import ClassesSwapped, InputDeviation, InputMean
from dnncov_core.faults.neuron_operators import BiasShift, Blocked, Duplicated, Swapped
from dnncov_core.faults.operator_base import MutationOperator
from dnncov_core.faults.weight_operators import BitFlips, GaussianFuzz, Pruning, Quantisation, SignFlips

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

MUTATION_OPERATORS: dict[str, type[MutationOperator]] = {
    "gaussian_fuzz": GaussianFuzz,
    "sign_flips": SignFlips,
    "bit_flips": BitFlips,
    "pruning": Pruning,
    "quantisation": Quantisation,
    "neurons_blocked": Blocked,
    "neurons_swapped": Swapped,
    "neurons_duplicated": Duplicated,
    "bias_shift": BiasShift,
    "input_mean": InputMean,
    "input_deviation": InputDeviation,
    "classes_swapped": ClassesSwapped,
}

Place = tuple[str, int]
"""The name of an operator, and a layer."""


def check_operators(names: Sequence[str]) -> None:
    """Refuses names that no operator has.

    Raises:
        SpecificationError: with those that exist.
    """
    for name in names:
        if name not in MUTATION_OPERATORS:
            raise unknown_name("mutation operator", name, MUTATION_OPERATORS)


def layers_by_operator(network: Network, names: Sequence[str]) -> dict[str, list[int]]:
    """The layers at which each operator can change something, in their order; operators without any are left out.

    Raises:
        NetworkError: none can change anything.
    """
    found = {name: MUTATION_OPERATORS[name].layers(network) for name in dict.fromkeys(names)}
    if not any(found.values()):
        fix = f"choose others of {', '.join(MUTATION_OPERATORS)}"
        raise NetworkError("operators that can change something in this network", ", ".join(names), fix)
    return {name: layers for name, layers in found.items() if layers}


def place_of(layers: dict[str, list[int]], turn: int) -> Place:
    """Where the mutant of a turn is: all operators take turns, and each goes through its layers.

    >>> [place_of({"sign_flips": [2, 3, 4], "input_mean": [1]}, turn) for turn in range(5)]
    [('sign_flips', 2), ('input_mean', 1), ('sign_flips', 3), ('input_mean', 1), ('sign_flips', 4)]
    """
    names = list(layers)
    name, round_ = names[turn % len(names)], turn // len(names)
    return name, layers[name][round_ % len(layers[name])]
