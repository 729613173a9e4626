"""Definitions 2 to 7 of the paper asked of two inputs of a suite, in plain Python over u and v.

Nothing of the product is used here. Neurons are numbered from 0 within their layer, inputs are rows of the suite.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tests import reference

Feature = frozenset[int]
Rows = Sequence[Sequence[float]]
"""A row for each input, a number for each neuron."""


@dataclass(frozen=True)
class Layer:
    """A layer as the inputs of a suite, and those of reference data, see it."""

    u: Rows
    v: Rows
    reference_v: Rows
    _changed: dict[tuple[int, int], Feature] = field(default_factory=dict)

    @cached_property
    def neurons(self) -> Feature:
        """P_k."""
        return frozenset(range(len(self.u[0])))

    def changed(self, x1: int, x2: int) -> Feature:
        """The neurons whose signs differ; kept, since each feature asks again."""
        if (x1, x2) not in self._changed:
            signs = [[value >= 0 for value in self.u[x]] for x in (x1, x2)]
            self._changed[x1, x2] = frozenset(j for j in self.neurons if signs[0][j] != signs[1][j])
        return self._changed[x1, x2]

    @cached_property
    def least(self) -> list[float]:
        """The least v of each neuron over the reference data."""
        return [min(column) for column in zip(*self.reference_v, strict=True)]

    @cached_property
    def greatest(self) -> list[float]:
        """The greatest v of each neuron over the reference data."""
        return [max(column) for column in zip(*self.reference_v, strict=True)]


Function = Callable[[Layer, int, int, Feature], bool]
"""A value function g of a layer, the rows of x1 and x2, and a feature."""


# Value functions: those of u, and the conditions of the criteria of single neurons, which only ask x2


def of_u(changed: reference.Changed) -> Function:
    return lambda layer, x1, x2, feature: changed(*([layer.u[x][j] for j in sorted(feature)] for x in (x1, x2)))


def boundary(layer: Layer, x1: int, x2: int, feature: Feature) -> bool:
    """NB: v is above its greatest over the reference data, by more than a millionth of it."""
    return all(layer.v[x2][j] > layer.greatest[j] + 1e-6 * abs(layer.greatest[j]) for j in feature)


def section(place: int, of: int) -> Function:
    """MN: v is in this section of so many of its range; each has its lower bound, the last one the upper one too.

    A range of one value has no sections.
    """

    def within(layer: Layer, x2: int, j: int) -> bool:
        least, greatest, v = layer.least[j], layer.greatest[j], layer.v[x2][j]
        width = (greatest - least) / of
        below = v <= greatest if place == of else v < least + place * width
        return width > 0 and v >= least + (place - 1) * width and below

    return lambda layer, x1, x2, feature: all(within(layer, x2, j) for j in feature)


def top(m: int) -> Function:
    """TN: fewer than m neurons of the layer have a greater v."""
    return lambda layer, x1, x2, feature: all(sum(v > layer.v[x2][j] for v in layer.v[x2]) < m for j in feature)


ANY = of_u(reference.always)


# Definitions 2 to 7


def sc(layer: Layer, x1: int, x2: int, feature: Feature) -> bool:
    """Definition 2: every neuron of the feature changes its sign."""
    return feature <= layer.changed(x1, x2)


def nsc(layer: Layer, x1: int, x2: int, feature: Feature) -> bool:
    """Definition 2: no neuron of the feature changes its sign."""
    return not feature & layer.changed(x1, x2)


@dataclass(frozen=True)
class Method:
    """One of the four covering methods with its value functions: Definitions 4 to 7."""

    key: str
    g1: Function = ANY
    g2: Function = ANY

    def condition(self, k: Layer, x1: int, x2: int, feature: Feature, most: int | None = None) -> bool:
        """What is asked of the condition feature; with ``most``, of any feature with 1 to that many neurons."""
        if most is not None:
            return any(self._condition(k, x1, x2, each) for each in _subsets(k.neurons, most))
        return self._condition(k, x1, x2, feature)

    def _condition(self, k: Layer, x1: int, x2: int, feature: Feature) -> bool:
        if self.key[0] == "s":
            return sc(k, x1, x2, feature) and nsc(k, x1, x2, k.neurons - feature)
        return nsc(k, x1, x2, k.neurons) and self.g1(k, x1, x2, feature)

    def decision(self, d: Layer, x1: int, x2: int, feature: Feature) -> bool:
        if self.key[1] == "s":
            return sc(d, x1, x2, feature)
        return nsc(d, x1, x2, feature) and self.g2(d, x1, x2, feature)


def _subsets(neurons: Feature, most: int) -> Iterator[Feature]:
    for size in range(1, min(most, len(neurons)) + 1):
        yield from map(frozenset, itertools.combinations(sorted(neurons), size))
