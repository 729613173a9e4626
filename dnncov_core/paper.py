"""The paper: where it is found, and its own numbers for its ten networks, as printed there.

Nothing here is measured by this program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TITLE = "Testing Deep Neural Networks"
AUTHORS = "Youcheng Sun, Xiaowei Huang, Daniel Kroening, James Sharp, Matthew Hill, Rob Ashmore"
ARXIV = "1803.04792"
"""Its number at https://arxiv.org."""

COVERAGE = """
 99.7 18.9 100.0 15.8 100.0 6.7 100.0 21.1
 98.5  9.5 100.0  6.8  99.9 3.7 100.0 11.2
 99.4  7.1 100.0  5.0  99.9 3.7  98.6 11.0
 98.4  7.1 100.0  7.2  99.8 3.7  98.4 11.2
 89.1 11.4  99.1  9.6  99.4 4.9  98.7  9.1
100.0  9.4 100.0  5.6 100.0 3.7 100.0  8.0
 86.9  8.8 100.0  7.2  99.2 3.8  96.0 12.0
 99.8  8.4 100.0  9.4 100.0 4.0 100.0  7.3
100.0 12.0 100.0 10.5 100.0 5.0 100.0  6.7
 86.7  5.8 100.0  6.1  98.3 2.4  93.9  4.5
"""
"""M and AE in per cent for SS, VS, SV and VV, one line for each of the networks N1 to N10 (Table "Coverage results on
ten DNNs")."""

COLUMNS = ("ss", "vs", "sv", "vv")
"""The criteria of this table, two columns each."""

PROGRAMMES = {
    8: ((864, 3294, 0.58), (926, 3418, 0.84), (999, 3564, 0.87), (1046, 3658, 0.91)),
    9: ((873, 3312, 0.57), (906, 3378, 0.61), (968, 3502, 0.86)),
    10: ((862, 3290, 0.49), (917, 3400, 0.71), (991, 3548, 0.75), (1089, 3744, 0.82), (1164, 3894, 0.94)),
}
"""Variables, constraints and seconds of one LP call for the networks N8 to N10, from layers 2-3 on (Table "Number of
variables and constraints, and time cost of each LP call in test generation")."""


@dataclass(frozen=True)
class PapersCoverage:
    """M and AE of one network and criterion, in per cent.

    >>> papers_coverage("mnist-n8", "sv")
    PapersCoverage(coverage=100.0, adversarial=4.0)
    >>> papers_coverage("cifar10-cnn", "sv")
    """

    coverage: float
    adversarial: float


def number_of(network: str) -> int | None:
    """The number of the paper's network whose structure this name stands for: embedded names, and factories n1 to n10.

    >>> number_of("mnist-n10"), number_of("tests.networks:n3"), number_of("mnist-n11"), number_of("my-cnn3")
    (10, 3, None, None)
    """
    found = re.fullmatch(r"(?:mnist-|.*:)n(\d+)", network)
    number = int(found[1]) if found else 0
    return number if 1 <= number <= len(_lines()) else None


def papers_coverage(network: str, criterion: str) -> PapersCoverage | None:
    """What the paper reports of a network and a criterion; None for others than its ten and its four."""
    number = number_of(network)
    if number is None or criterion not in COLUMNS:
        return None
    figures, at = _lines()[number - 1].split(), 2 * COLUMNS.index(criterion)
    return PapersCoverage(float(figures[at]), float(figures[at + 1]))


def papers_seconds(network: str, condition_layer: int) -> float | None:
    """What the paper reports of the seconds of one LP call between a condition layer and the next layer."""
    rows = PROGRAMMES.get(number_of(network) or 0, ())
    return rows[condition_layer - 2][2] if 0 <= condition_layer - 2 < len(rows) else None


def _lines() -> list[str]:
    return COVERAGE.split("\n")[1:-1]
