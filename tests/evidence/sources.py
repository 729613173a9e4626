"""A source of the checker without files: values of layers are given, and nothing else is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dnncov_core.evidence import verify as checker

Values = Mapping[tuple[int, int], Any]
"""u by layer and input."""


def source_of(u: Values, tolerance: float = 1e-5) -> checker.Source:
    """A source whose layers are ReLU, and whose last layer is the greatest one that is named."""
    made = checker.Source.__new__(checker.Source)
    made.values = lambda k, rows: (values := np.array([u[k, row] for row in rows]), np.maximum(values, 0))
    made.tolerance, made.last = tolerance, max(k for k, _ in u)
    return made
