"""Spearman's rank correlation, for many samples at once, and what is left of it once other things are removed.

Spearman's rho it is, and not Kendall's tau, since a partial correlation of ranks is an ordinary one, and since a sample
costs a sort and not a comparison of every two suites, so that a thousand samples can be drawn. Equal values share the
mean of their ranks.
"""

from __future__ import annotations

import numpy as np

from dnncov_core.types import BoolArray, FloatArray, IntArray

CONSTANT = 1e-9
"""Ranks of which no larger part than this varies are constant, and rounding."""


def midranks(values: FloatArray) -> FloatArray:
    """The ranks from 1 of the values in each last dimension; equal values share the mean of theirs.

    >>> midranks(np.array([2.0, 7.0, 2.0, 1.0])).tolist()
    [2.5, 4.0, 2.5, 1.0]
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    n, places = values.shape[-1], np.arange(values.shape[-1])
    differs = ordered[..., 1:] != ordered[..., :-1]
    edge = np.ones((*values.shape[:-1], 1), bool)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, differs], axis=-1), places, 0), axis=-1)
    ends = np.where(np.concatenate([differs, edge], axis=-1), places, n - 1)
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def rho(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rho of the values in the last dimension, ``(...,)``; NaN where one of both is constant."""
    return product_moment(midranks(x), midranks(y))


def partial_rho(x: FloatArray, y: FloatArray, groups: IntArray, also: FloatArray) -> FloatArray:
    """Spearman's rho of what is left of the ranks of x and y, ``(...,)``; NaN where nothing is left of one of both.

    Removed by least squares are the mean of each group, and a line in the ranks of another variable.

    Args:
        x: ``(..., n)``.
        y: ``(..., n)``.
        groups: the group of each place, from 0, ``(n,)``.
        also: the other variable, ``(..., n)``.
    """
    of_also = _centred(midranks(also), groups)
    left = []
    for values in (x, y):
        ranks = _centred(midranks(values), groups)
        square = (of_also**2).sum(axis=-1, keepdims=True)
        slope = (ranks * of_also).sum(axis=-1, keepdims=True) / np.where(_varies(square, of_also), square, np.inf)
        left.append(ranks - slope * of_also)
    return product_moment(*left)


def product_moment(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's correlation in the last dimension, ``(...,)``; NaN where one of both is constant."""
    x, y = (each - each.mean(axis=-1, keepdims=True) for each in (x, y))
    squares = [(each**2).sum(axis=-1) for each in (x, y)]
    there = np.logical_and(_varies(squares[0], x), _varies(squares[1], y))
    found: FloatArray = np.where(
        there, (x * y).sum(axis=-1) / np.sqrt(np.where(there, squares[0] * squares[1], 1)), np.nan
    )
    return found


def _varies(square: FloatArray, ranks: FloatArray) -> BoolArray:
    """Whether sums of squares of ranks are more than rounding."""
    found: BoolArray = square > CONSTANT * ranks.shape[-1] ** 3
    return found


def _centred(ranks: FloatArray, groups: IntArray) -> FloatArray:
    """Ranks without the mean of each group."""
    found = ranks.copy()
    for group in np.unique(groups):
        some = groups == group
        found[..., some] -= ranks[..., some].mean(axis=-1, keepdims=True)
    return found
