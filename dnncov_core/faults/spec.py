"""What is asked of seeded faults, and what one mutant is. Imports no torch."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Annotated

from dnncov_core.errors import SpecificationError
from dnncov_core.outside_text import json_value
from dnncov_core.outside_values import record
from dnncov_core.ratios import Ratio
from dnncov_core.types import Count, LayerNumber, Limits, Share

SUFFIX = ".faults"
Positive = Annotated[float, Limits(0, 1e12)]


@dataclass(frozen=True)
class FaultSpec:
    """All that decides which mutants a file holds.

    Attributes:
        network: its name, or that of its file.
        suite: the name of the inputs that are asked which mutants they kill.
        mutants: how many.
        least: the accuracy that a mutant loses at least, as a share of the suite's inputs.
        most: the accuracy that it loses at most.
        operators: names of `MUTATION_OPERATORS`, in the order in which mutants take them.
        random_seed: mutant i depends on it and on i alone.
        network_fingerprint: of the network without a fault.
        suite_fingerprint: of inputs and labels.
    """

    network: str
    suite: str
    mutants: Count
    least: Share
    most: Share
    operators: tuple[str, ...]
    random_seed: Count = 0
    network_fingerprint: str = ""
    suite_fingerprint: str = ""

    def __post_init__(self) -> None:
        if self.mutants < 1:
            raise SpecificationError("at least 1 mutant", str(self.mutants), "change --mutants")
        if not 0 < self.least <= self.most <= 1:
            got = f"{100 * self.least:g}..{100 * self.most:g}"
            raise SpecificationError("a drop LEAST..MOST in percentage points, above 0 and up to 100", got, "change it")

    def band(self, inputs: int) -> tuple[int, int]:
        """By how many of so many inputs a mutant has fewer right than the network, at least and at most.

        >>> FaultSpec("n", "s", 1, 0.01, 0.2, ("sign_flips",)).band(5000)
        (50, 1000)
        """
        return max(1, math.ceil(self.least * inputs - 1e-9)), math.floor(self.most * inputs + 1e-9)

    def to_json(self) -> str:
        """As `from_json` reads it."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> FaultSpec:
        """A specification from a file.

        Raises:
            ValueError: no JSON, or fields of other types.
            SpecificationError: something that cannot be asked for.
        """
        return record(cls, json_value(text))


@dataclass(frozen=True)
class Mutant:
    """A network with one fault, as it is made again from the network.

    Attributes:
        ordinal: its number, from 0.
        operator: a name of `MUTATION_OPERATORS`.
        layer: where the fault is: 1 for the input, 2..K-1 for activation layers, K for the output.
        layer_name: the layer's name.
        draw: how often a mutant of this ordinal had been drawn before that was left out.
        strength: of the operator.
        random_seed: from which, with ordinal and draw, all its random numbers come.
        network: the fingerprint of the network without the fault.
        inputs: of the suite.
        right_before: of them, those that the network has right.
        right_after: those that the mutant has right.
        killed_by: those that the network has right and the mutant wrong.
    """

    ordinal: Count
    operator: str
    layer: LayerNumber
    layer_name: str
    draw: Count
    strength: Positive
    random_seed: Count
    network: str
    inputs: Count
    right_before: Count
    right_after: Count
    killed_by: Count

    @property
    def wrong(self) -> int:
        """How many inputs the mutant has wrong."""
        return self.inputs - self.right_after

    @property
    def drop(self) -> Ratio:
        """By how many inputs it has fewer right than the network, of all."""
        return Ratio(self.right_before - self.right_after, self.inputs)

    @property
    def key(self) -> Sequence[int]:
        """What its random numbers come from."""
        return self.random_seed, self.ordinal, self.draw


class LeftOut(Enum):
    """Why a mutant that was drawn is left out."""

    EQUIVALENT = "equivalent"
    """Every strength that was tried, up to the greatest, changes too few answers."""
    TRIVIAL = "trivial"
    """Every strength that was tried, down to the least, changes too many answers."""
    BETWEEN = "between"
    """One strength changes too few answers, and the next too many."""

    @property
    def words(self) -> str:
        """Which mutants they are, after their number."""
        return f"{_WHY[self]} ({self.value})"


_WHY = {
    LeftOut.EQUIVALENT: "of which even the greatest strength changes too few answers",
    LeftOut.TRIVIAL: "of which even the least strength changes too many answers",
    LeftOut.BETWEEN: "of which one strength changes too few answers, and the next too many",
}
