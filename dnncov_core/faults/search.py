"""How strong a fault has to be, so that a mutant is neither equivalent nor trivial on a suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dnncov_core.faults.answers import SAMPLE, Answers
from dnncov_core.faults.fault import Fault
from dnncov_core.faults.operator_base import MutationOperator
from dnncov_core.faults.sites import Site
from dnncov_core.faults.spec import LeftOut
from dnncov_core.types import BoolArray

STEPS = 10
"""Strengths that are tried for one mutant."""
SPLIT = (0.3, 0.7)
"""Between which parts of a range it is split."""
Band = tuple[int, int]
"""By how many inputs fewer a mutant may be right, at least and at most."""


@dataclass(frozen=True)
class Found:
    """A strength whose drop lies in the band, and which inputs are right with it, ``(inputs,)``."""

    strength: float
    right: BoolArray


def search(
    operator: type[MutationOperator], site: Site, key: Sequence[int], answers: Answers, band: Band
) -> Found | LeftOut:
    """Splits the range of strengths, on a log scale, until the drop lies in the band, `STEPS` times at most.

    It is split at random near its middle, so that mutants of one place have strengths and drops of all sizes.

    Args:
        operator: what makes faults.
        site: where.
        key: what the random numbers come from, the same ones for each strength.
        answers: the network and the suite.
        band: of the drop.
    """
    low, high = operator.range(site)
    sides, splits = set(), np.random.default_rng([*key, STEPS]).uniform(*SPLIT, STEPS)
    for split in splits.tolist():
        strength = low ** (1 - split) * high**split
        side, right = _judged(operator(strength).fault(site, np.random.default_rng(key)), answers, band)
        if right is not None:
            return Found(strength, right)
        sides.add(side)
        low, high = (strength, high) if side < 0 else (low, strength)
    if len(sides) > 1:
        return LeftOut.BETWEEN
    return LeftOut.EQUIVALENT if sides == {-1} else LeftOut.TRIVIAL


def _judged(fault: Fault, answers: Answers, band: Band) -> tuple[int, BoolArray | None]:
    """On which side of the band the drop lies, -1 below and 1 above; with what is right if it lies within.

    The first inputs, `SAMPLE` at least if there are so many, decide if their share lies outside. After that it ends as
    soon as no further answers can bring the drop into the band.
    """
    before, right = answers.right, np.zeros(len(answers), bool)
    least, most = band
    seen = drop = 0
    gains, losses = int((~before).sum()), int(before.sum())  # by how much the inputs that are left can move the drop
    sampled = False
    for rows, now in answers.of(fault):
        right[rows] = now
        seen += len(rows)
        was = before[rows]
        drop += int(was.sum()) - int(now.sum())
        gains, losses = gains - int((~was).sum()), losses - int(was.sum())
        if not sampled and seen >= SAMPLE:
            sampled, scaled = True, drop * len(answers) / seen
            if not least <= scaled <= most:
                return (-1 if scaled < least else 1), None
        if drop - gains > most or drop + losses < least:
            return (1 if drop - gains > most else -1), None
    return 0, right
