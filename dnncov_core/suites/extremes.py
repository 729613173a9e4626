"""The extreme values of decision neurons over classes of inputs, which decide whether a class has a witness.

A value function of one neuron that grows with the distance of u[x2] from u[x1], or with u[x2] alone, holds for some x1
of one class and some x2 of another, both of one sign, iff it holds for the extremes of that sign: from the least to the
greatest or back. One that lets u[x1] be anything, and asks x2 to meet a condition, holds iff it holds from one of the
two extremes to any of the inputs that meet it: where a sign has two inputs, its extremes are two different ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from dnncov_core.criteria import ValueFunction
from dnncov_core.criteria.reference_functions import MeasuredBoundary
from dnncov_core.layer_values import LayerValues
from dnncov_core.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Extreme:
    """One extreme of each class and decision neuron, both ``(classes, n)``.

    Attributes:
        u: the value; NaN where no input of the class has this sign.
        row: the input's row in the suite; -1 where there is none.
    """

    u: FloatArray
    row: IntArray


@dataclass(frozen=True)
class Signed:
    """The least and the greatest u of one sign; of equal values the first row is the least, the last the greatest."""

    least: Extreme
    greatest: Extreme


@dataclass(frozen=True)
class Extremes:
    """The extremes of some classes, numbered from 0, and some decision neurons.

    Attributes:
        negative: of the inputs that give the neuron the sign -1.
        positive: of those that give it +1.
    """

    negative: Signed
    positive: Signed

    @classmethod
    def of(cls, u: FloatArray, rows: IntArray, starts: IntArray, among: BoolArray | None = None) -> Extremes:
        """From the values of all inputs, class by class.

        Args:
            u: ``(inputs, n)``.
            rows: of the inputs in the suite, ``(inputs,)``.
            starts: first input of each class, ``(classes,)``.
            among: which inputs count for which neuron, ``(inputs, n)``; all if left out.
        """
        positive = u >= 0
        counted = np.ones(u.shape, bool) if among is None else among
        return cls(*(signed(u, sign & counted, rows, starts) for sign in (~positive, positive)))

    @property
    def signs(self) -> tuple[Signed, Signed]:
        """Both signs."""
        return self.negative, self.positive


def signed(u: FloatArray, chosen: BoolArray, rows: IntArray, starts: IntArray) -> Signed:
    """The extremes of the chosen ones among values, both ``(inputs, n)``; rows and starts as `Extremes.of` has them."""
    lengths = np.diff(starts, append=len(u))
    places = np.arange(len(u))[:, None]
    found = []
    for sign, pick, nowhere in ((-1.0, np.minimum, len(u)), (1.0, np.maximum, -1)):
        value = np.maximum.reduceat(np.where(chosen, sign * u, -np.inf), starts, axis=0)
        at = chosen & (sign * u == np.repeat(value, lengths, axis=0))
        place = pick.reduceat(np.where(at, places, nowhere), starts, axis=0)
        there = np.isfinite(value)
        row = np.where(there, rows[np.where(there, place, 0)], -1)
        found.append(Extreme(np.where(there, sign * value, np.nan), row))
    return Signed(*found)


def changed(function: ValueFunction, layer: int, neurons: IntArray, u1: FloatArray, u2: FloatArray) -> BoolArray:
    """Whether the value function holds between values of single neurons, elementwise.

    Args:
        function: judged by extremes.
        layer: of the neurons.
        neurons: ``(n,)``.
        u1: u[x1], ``(batch, n)``; entries that are NaN give false.
        u2: u[x2], likewise.
    """
    here = ~(np.isnan(u1) | np.isnan(u2))
    found = np.zeros(u1.shape, bool)
    if not isinstance(function, MeasuredBoundary):
        found[here] = _holds(function, u1[here], u2[here])
        return found
    for column, neuron in enumerate(neurons.tolist()):
        some = here[:, column]
        found[some, column] = _holds(function.at(layer, [(neuron,)]), u1[some, column], u2[some, column])
    return found


def _holds(function: ValueFunction, u1: FloatArray, u2: FloatArray) -> BoolArray:
    """Whether the value function holds, elementwise, of vectors."""
    before, after = (torch.from_numpy(np.ascontiguousarray(u))[:, None] for u in (u1, u2))
    found: BoolArray = function(LayerValues(before, before, (1,)), LayerValues(after, after, (1,)), (0,)).numpy()
    return found
