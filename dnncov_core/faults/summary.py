"""How many mutants of which operators a file holds, and how many were drawn and left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.ratios import Ratio


@dataclass(frozen=True)
class OperatorCounts:
    """What became of one operator.

    Attributes:
        operator: its name.
        mutants: how many there are.
        layers: at how many layers.
        least: the least drop of accuracy among them, in inputs; None without a mutant.
        most: the greatest drop.
        left_out: mutants that were drawn and left out, by the values of `LeftOut`.
    """

    operator: str
    mutants: int
    layers: int
    least: Ratio | None
    most: Ratio | None
    left_out: dict[str, int]


@dataclass(frozen=True)
class FaultSummary:
    """A file of seeded faults in numbers.

    Attributes:
        right: inputs that the network has right, of all.
        mutants: how many there are, of those asked for.
        killing: inputs that kill at least one mutant, of those that the network has right.
        operators: what became of each, as they were asked for.
    """

    right: Ratio
    mutants: Ratio
    killing: Ratio
    operators: Sequence[OperatorCounts]


def summary_of(faults: FaultFile) -> FaultSummary:
    """The numbers of a file as it stands."""
    mutants, left, right = faults.mutants(), faults.left_out(), faults.right()
    n_right, spec = int(right.sum()), faults.spec
    rows = []
    for name in spec.operators:
        own = [each for each in mutants if each.operator == name]
        drops = sorted((each.drop for each in own), key=lambda drop: drop.n)
        reasons = Counter(each.reason for each in left if each.operator == name)
        least, most = (drops[0], drops[-1]) if drops else (None, None)
        rows.append(OperatorCounts(name, len(own), len({each.layer for each in own}), least, most, dict(reasons)))
    return FaultSummary(
        right=Ratio(n_right, faults.inputs),
        mutants=Ratio(len(mutants), spec.mutants),
        killing=Ratio(int(faults.kills().any(axis=0).sum()), n_right),
        operators=rows,
    )
