"""HiGHS with programmes passed as arrays: the last variable is maximised, subject to rows added as they are needed."""

from __future__ import annotations

import highspy
import numpy as np

from dnncov_core.generators.pattern import Matrix
from dnncov_core.types import IntArray


def programme(low: Matrix, high: Matrix) -> highspy.Highs:
    """A programme without rows that maximises the last variable; all variables lie within these bounds."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.addVars(len(low), low, high)
    highs.changeColCost(len(low) - 1, -1.0)
    return highs


def use_simplex(highs: highspy.Highs) -> None:
    """Solves by the simplex method, from the last basis where rows were added."""
    for option, value in (("presolve", "off"), ("solver", "simplex"), ("primal_feasibility_tolerance", 1e-9)):
        highs.setOptionValue(option, value)


def add_rows(highs: highspy.Highs, values: Matrix, least: Matrix, columns: IntArray | None = None) -> None:
    """Adds the rows values . variables[columns] >= least, each with as many entries; columns are all if left out."""
    m, n = values.shape
    columns = np.broadcast_to(np.arange(n, dtype=np.int32), values.shape) if columns is None else columns
    starts = np.arange(m, dtype=np.int32) * n
    highs.addRows(
        m, least, np.full(m, highspy.kHighsInf), m * n, starts, columns.astype(np.int32).ravel(), values.ravel()
    )
