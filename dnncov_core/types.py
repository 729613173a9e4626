"""Type aliases that the whole package shares, some with the range of their values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Limits:
    """The numbers from ``least`` to ``most``, both included; NaN is in no range."""

    least: float
    most: float


LARGEST = 2**63 - 1
"""The largest integer that a column of SQLite holds."""
Count = Annotated[int, Limits(0, LARGEST)]
"""How many there are, or a place counted from 0."""
Amount = Annotated[int | float, Limits(0, LARGEST)]
"""A count, or a number where nothing is counted."""
LayerNumber = Annotated[int, Limits(1, 1_000_000)]
"""A layer by the paper's numbering."""
Size = Annotated[int, Limits(1, 2**31 - 1)]
"""Of an array along one axis."""
ProcessId = Annotated[int, Limits(1, 2**31 - 1)]
Sign = Literal[-1, 1]
Seconds = Annotated[float, Limits(0, 1e12)]
UnixTime = Annotated[float, Limits(0, 253_402_000_000)]
"""Seconds since 1970, until the year 9999."""
Distance = Annotated[float, Limits(0, 1e100)]
"""Between two inputs; its square is a number too."""
Share = Annotated[float, Limits(0, 1)]
Unbounded = Annotated[float, Limits(-math.inf, math.inf)]
"""A number that may be infinite."""
Neurons = tuple[Count, ...]
Shape = tuple[Size, ...]
Bounds = tuple[float, float]
Ranges = tuple[Bounds, ...]
"""The smallest and the largest value of each feature of an input, or of each of its numbers."""
Edge = tuple[LayerNumber, LayerNumber]
"""(condition layer k, decision layer), two neighbouring activation layers."""
DecisionRule = Literal["max", "min", "threshold"]
"""Whose class a network's label is: see `dnncov_core.networks.decision`."""
Norm = Literal["inf", "2", "1"]
OnProgress = Callable[[str, int, int], None]
"""Told what is done, how much of it, and of how much."""
FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
