"""The box of a network's inputs: between which values each of their numbers lies, and what features are called.

With one pair of bounds for all numbers, distances are those of the numbers themselves. Where each feature has a range
of its own, distances are those of shares of these ranges, (x - low) / (high - low), in which searches work then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dnncov_core.types import BoolArray, Bounds, FloatArray, Ranges, Shape


@dataclass(frozen=True)
class Box:
    """What inputs of a network may be.

    Attributes:
        shape: of one input. Its first axis has the features: the numbers of a vector, the channels of a series or of an
            image.
        bounds: the smallest and the largest value of all numbers.
        ranges: the smallest and the largest value of each feature, or of each number, in its order; None where
            ``bounds`` are those of all. A number whose two values are equal is fixed: no search moves it.
        features: the names of the features; empty where they have none.
        units: the units of the features; empty where they have none.
        embedded: whether an input is a sequence of embedded tokens, ``(tokens, numbers)``, which are its features.

    >>> box = Box((2,), (-5.0, 60.0), ((0.0, 60.0), (-5.0, 5.0)), ("distance", "angle"))
    >>> box.shares(np.array([15.0, 0.0])).tolist(), box.name(1)
    ([0.25, 0.5], 'angle')
    """

    shape: Shape
    bounds: Bounds
    ranges: Ranges | None = None
    features: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    embedded: bool = False

    @cached_property
    def low(self) -> FloatArray:
        """The least values in float64, to be broadcast to an input."""
        return self._ends(0)

    @cached_property
    def high(self) -> FloatArray:
        """The greatest values in float64, to be broadcast to an input."""
        return self._ends(1)

    @cached_property
    def width(self) -> FloatArray:
        """high - low; infinite where a number is fixed, so that it is at the share 0 and moves by no share."""
        width = self.high - self.low
        return np.where(width > 0, width, np.inf)

    @property
    def unit(self) -> FloatArray | float:
        """What distances are measured in: 1, or the width of each range."""
        return 1.0 if self.ranges is None else self.width

    @property
    def share_bounds(self) -> Bounds:
        """The bounds of what `shares` gives."""
        return self.bounds if self.ranges is None else (0.0, 1.0)

    def shares(self, x: FloatArray) -> FloatArray:
        """Inputs, ``(..., *shape)``, as shares of their ranges; as they are where they have no ranges of their own."""
        if self.ranges is None:
            return x
        shares: FloatArray = ((x.astype(np.float64) - self.low) / self.width).clip(0.0, 1.0).astype(x.dtype)
        return shares

    def inputs(self, shares: FloatArray, like: FloatArray) -> FloatArray:
        """The inverse of `shares`, within the box; numbers whose share is that of the input ``like`` are its own."""
        if self.ranges is None:
            return shares
        low, high = self.low.astype(like.dtype), self.high.astype(like.dtype)
        moved = (low + (self.high - self.low).astype(like.dtype) * shares).clip(low, high)
        x: FloatArray = np.where(shares == self.shares(like), like, moved)
        return x

    def moved(self, x1: FloatArray, x2: FloatArray) -> FloatArray:
        """x2 - x1 as shares of the ranges, ``shape``; 0 where a number is fixed."""
        shares: FloatArray = (x2.astype(np.float64) - x1.astype(np.float64)) / self.width
        return shares

    def outside(self, x: FloatArray) -> BoolArray:
        """Which numbers of inputs, ``(..., *shape)``, leave the box, as the precision of x has it.

        That is single precision where features have ranges of their own and x is finer: pi in data may be rounded.
        """
        dtype = np.dtype(np.float32) if self.ranges and x.dtype == np.float64 else x.dtype
        x = x.astype(dtype)
        found: BoolArray = (x < self.low.astype(dtype)) | (x > self.high.astype(dtype))
        return found

    def range_of(self, place: int) -> Bounds:
        """The range of a number, by its place in a flat input."""
        low, high = (float(np.broadcast_to(ends, self.shape).flat[place]) for ends in (self.low, self.high))
        return low, high

    @property
    def noun(self) -> str:
        """What one of the first axis is: a feature of a vector, a token, or a channel."""
        if self.embedded:
            return "token"
        return "feature" if len(self.shape) == 1 else "channel"

    def name(self, place: int) -> str:
        """What the feature of a number is called, by its place in a flat input."""
        feature = self.feature(place)
        if not self.features and len(self.shape) > 1 and self.ranges and len(self.ranges) > self.shape[0]:
            return f"the number at {tuple(map(int, np.unravel_index(place, self.shape)))}"
        name = self.features[feature] if self.features else f"{self.noun} {feature}"
        return f"{name}, number {place % self.shape[1]}" if self.embedded else name

    def unit_name(self, place: int) -> str:
        """The unit of a number with a blank before it; empty where it has none."""
        return f" {self.units[self.feature(place)]}" if self.units and self.units[self.feature(place)] else ""

    def heading(self, place: int) -> str:
        """The name of the feature of a number with its unit, such as ``rho (m)``."""
        unit = self.unit_name(place).strip()
        return f"{self.name(place)} ({unit})" if unit else self.name(place)

    def feature(self, place: int) -> int:
        """The feature of a number, by its place in a flat input."""
        return place // math.prod(self.shape[1:])

    def _ends(self, side: int) -> FloatArray:
        if self.ranges is None:
            return np.array(self.bounds[side])
        ends = np.array([each[side] for each in self.ranges])
        whole = len(ends) == math.prod(self.shape)
        return ends.reshape(self.shape if whole else (len(ends), *[1] * (len(self.shape) - 1)))
