"""L^p distances between inputs, in pixel space, or of shares of their ranges (see `Box.unit`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from dnncov_core.types import FloatArray, Norm

LEAST = 1e-6
"""Smaller distances come from the network's precision rather than from a step."""

ROUNDINGS = 2
"""Roundings, of x1 and of x2, in units of their precision, by which a distance may exceed a bound."""

NORMS: dict[Norm, Callable[[FloatArray], float]] = {
    "inf": lambda difference: float(np.abs(difference).max()),
    "2": lambda difference: float(np.sqrt((difference**2).sum())),
    "1": lambda difference: float(np.abs(difference).sum()),
}
NORM_NAMES: Mapping[Norm, str] = {"inf": "L∞", "2": "L2", "1": "L1"}


def distance(x1: FloatArray, x2: FloatArray, norm: Norm = "inf", unit: FloatArray | float = 1.0) -> float:
    """||(x1 - x2) / unit||_p of two inputs of the same shape, computed in float64.

    >>> distance(np.array([0.0, 1.0]), np.array([0.5, 0.0]), "1")
    1.5
    """
    return NORMS[norm]((x1.astype(np.float64) - x2.astype(np.float64)) / unit)


def written(value: float) -> str:
    """A distance with three significant digits; one below a millionth is only said to be below it.

    >>> written(0.0000251234), written(0.25), written(12.3456), written(0.0), written(1e-8)
    ('0.0000251', '0.250', '12.3', '0', '< 0.000001')
    """
    if 0 < value < LEAST:
        return f"< {LEAST:f}"
    decimals = 2 - math.floor(math.log10(value)) if value > 0 else 0
    return f"{value:.{max(decimals, 0)}f}"
