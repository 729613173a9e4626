"""Ways to draw suites of equal size from a pool of inputs, so that they differ in what they cover and kill."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dnncov_core.box import Box
from dnncov_core.data import Data
from dnncov_core.errors import DataError
from dnncov_core.types import IntArray

CANDIDATES = 10
"""Of so many inputs, drawn anew for each step, suites of inputs far apart take the one that is farthest away."""
BLOCK = 256
"""Inputs whose distances are computed together, where those of the whole pool can be kept."""
HELD = 2**27
"""Distances that are kept."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The inputs that suites are drawn from.

    Attributes:
        points: the inputs as they are given, ``(N, values)``.
        labels: ``(N,)``.
    """

    points: NDArray[np.float32]
    labels: IntArray
    _blocks: dict[int, NDArray[np.float32]] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Data, box: Box) -> Pool:
        """The pool of labelled data; inputs whose features have ranges of their own count as shares of these.

        Raises:
            DataError: data without labels.
        """
        if data.labels is None:
            raise DataError("data with labels", f"none in {data.name}", "name data with labels")
        points = np.concatenate(
            [box.shares(data.pixels(slice(row, row + BLOCK))) for row in range(0, len(data), BLOCK)]
        )
        return cls(points.reshape(len(data), -1).astype(np.float32), data.labels)

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def _squares(self) -> NDArray[np.float32]:
        found: NDArray[np.float32] = np.einsum("ij,ij->i", self.points, self.points)
        return found

    def distances(self, row: int) -> NDArray[np.float32]:
        """The squared Euclidean distance of each input from one of them, ``(N,)``; its own is 0."""
        found: NDArray[np.float32]
        if len(self) ** 2 > HELD:
            found = self._apart(slice(row, row + 1))[0]
        else:
            block, place = divmod(row, BLOCK)
            if block not in self._blocks:
                self._blocks[block] = self._apart(slice(block * BLOCK, (block + 1) * BLOCK))
            found = self._blocks[block][place].copy()
        found[row] = 0
        return found

    def _apart(self, some: slice) -> NDArray[np.float32]:
        """The squared distances of all inputs from some, ``(len(some), N)``."""
        apart = self._squares[some, None] + self._squares - 2 * (self.points[some] @ self.points.T)
        found: NDArray[np.float32] = apart.clip(0)
        return found

    def balance(self, rows: IntArray) -> float:
        """How evenly classes occur among inputs: the entropy of their labels, as a share of that of even classes.

        0 where all have one label, 1 where each label of the pool occurs equally often.
        """
        shares = np.unique(self.labels[rows], return_counts=True)[1] / len(rows)
        classes = len(np.unique(self.labels))
        return float(-(shares * np.log(shares)).sum() / np.log(classes)) if classes > 1 else 1.0


Draw = Callable[[Pool, int, np.random.Generator], IntArray]
"""Draws rows of so many different inputs."""


@dataclass(frozen=True)
class Way:
    """A way to draw suites: its name for readers, its definition in words, and what draws."""

    title: str
    words: str
    draw: Draw


def _random(pool: Pool, size: int, rng: np.random.Generator) -> IntArray:
    return rng.choice(len(pool), size, replace=False)


def _few_classes(pool: Pool, size: int, rng: np.random.Generator) -> IntArray:
    chosen = np.zeros(len(pool), bool)
    for label in rng.permutation(np.unique(pool.labels)):
        chosen[pool.labels == label] = True
        if chosen.sum() >= size:
            break
    return rng.choice(np.flatnonzero(chosen), size, replace=False)


def _near(pool: Pool, size: int, rng: np.random.Generator) -> IntArray:
    middle = int(rng.integers(len(pool)))
    apart = pool.distances(middle)
    apart[middle] = -1  # before others that are equal
    return np.argsort(apart, kind="stable")[:size]


def _far(pool: Pool, size: int, rng: np.random.Generator) -> IntArray:
    rows = [int(rng.integers(len(pool)))]
    least, left = pool.distances(rows[0]), np.ones(len(pool), bool)
    left[rows[0]] = False
    while len(rows) < size:
        some = rng.choice(np.flatnonzero(left), CANDIDATES)
        rows.append(int(some[least[some].argmax()]))
        left[rows[-1]] = False
        least = np.minimum(least, pool.distances(rows[-1]))
    return np.array(rows, np.int64)


WAYS: Mapping[str, Way] = {
    "random": Way("Random", "inputs of the pool at random", _random),
    "classes": Way(
        "Few classes",
        "classes in random order, the first ones until they have inputs enough; of these, inputs at random",
        _few_classes,
    ),
    "near": Way(
        "Near each other",
        "a random input and those that are nearest to it, by the Euclidean distance of inputs",
        _near,
    ),
    "far": Way(
        "Far apart",
        f"a random input, and then, again and again, of {CANDIDATES} random ones the one that is farthest from all that"
        " are drawn, by the Euclidean distance to the nearest of them",
        _far,
    ),
}
"""The ways, by their names in files. Suites of a size are drawn in all of them in turn."""


@dataclass(frozen=True, order=True)
class SuiteKey:
    """One suite: how many inputs, drawn in which way, and which one of those from 0."""

    size: int
    way: str
    number: int


def keys(sizes: Sequence[int], suites: int) -> list[SuiteKey]:
    """So many suites of each size, in all ways in turn."""
    ways = list(WAYS)
    return [SuiteKey(size, ways[n % len(ways)], n // len(ways)) for size in sizes for n in range(suites)]


def drawn(pool: Pool, key: SuiteKey, random_seed: int) -> IntArray:
    """The rows of a suite in the pool, ascending, ``(size,)``; they depend on nothing but these arguments."""
    text = f"{random_seed} {key.way} {key.size} {key.number}"
    rng = np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))
    return np.sort(WAYS[key.way].draw(pool, key.size, rng))
