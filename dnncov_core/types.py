"""Type aliases that the whole package shares."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]
Bounds = tuple[float, float]
Edge = tuple[int, int]
"""(condition layer k, decision layer), two neighbouring activation layers."""
Norm = Literal["inf", "2", "1"]
FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
