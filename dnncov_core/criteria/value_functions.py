"""The value functions: each kind of change, with its formula, that may count as significant."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from dnncov_core.criteria.value_function_base import (
    MOST_ALTERNATIVES,
    Alternative,
    Compared,
    EachNeuron,
    HalfSpace,
    ValueFunction,
    product,
)
from dnncov_core.errors import SpecificationError
from dnncov_core.layer_values import library_of
from dnncov_core.types import Norm

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.layer_values import LayerValues


def _grown(u1: Tensor, u2: Tensor, sigma: float) -> Tensor:
    """u2 / u1 >= sigma, where 0/0 is no change and x/0 is a change."""
    return (u2 / u1 >= sigma) | ((u1 == 0) & (u2 != 0))


def _to_grow(u1: Tensor, u2: Tensor, sigma: float) -> Tensor:
    """What u2 lacks until u2 / u1 >= sigma."""
    side = 1.0 - 2.0 * (u1 < 0)
    return (sigma * side * u1 - side * u2).where(u1 != 0, -u2.abs())


def _quotient(above: float, below: float) -> float:
    if below == 0:
        return math.nan if above == 0 else math.inf
    return above / below


@dataclass(frozen=True)
class RatioChange(EachNeuron):
    """u[x2] / u[x1] >= sigma, as in the paper's experiments; 0/0 is no change, x/0 is a change."""

    name: ClassVar[str] = "ratio"
    words: ClassVar[str] = "u[x2] / u[x1] is at least sigma"
    sigma: float = 2.0

    def __post_init__(self) -> None:
        if not self.sigma > 0:
            expected = f"sigma above 0 for the value function {self.name}"
            raise SpecificationError(expected, repr(self.sigma), "change it")

    def _compared(self, u1: float, u2: float) -> Compared:
        return "u[x2] / u[x1]", _quotient(u2, u1), "≥", self.sigma, "sigma"

    def _changed(self, u1: Tensor, u2: Tensor) -> Tensor:
        return _grown(u1, u2, self.sigma)

    def _lacking(self, u1: Tensor, u2: Tensor) -> Tensor:
        return _to_grow(u1, u2, self.sigma)

    def _half_spaces(self, neuron: int, u1: float) -> list[Alternative]:
        if u1 == 0:
            return [(HalfSpace({neuron: s}, 0.0, strict=True),) for s in (1.0, -1.0)]
        s = 1.0 if u1 > 0 else -1.0
        return [(HalfSpace({neuron: s}, s * self.sigma * u1),)]


@dataclass(frozen=True)
class SymmetricRatioChange(RatioChange):
    """u[x2] / u[x1] >= sigma or u[x1] / u[x2] >= sigma (the paper's relative change)."""

    name: ClassVar[str] = "ratio_symmetric"
    words: ClassVar[str] = "u[x2] / u[x1] or its inverse is at least sigma"

    def _compared(self, u1: float, u2: float) -> Compared:
        largest = max((_quotient(u2, u1), _quotient(u1, u2)))
        return "the larger of u[x2] / u[x1] and u[x1] / u[x2]", largest, "≥", self.sigma, "sigma"

    def _changed(self, u1: Tensor, u2: Tensor) -> Tensor:
        return _grown(u1, u2, self.sigma) | _grown(u2, u1, self.sigma)

    def _lacking(self, u1: Tensor, u2: Tensor) -> Tensor:
        side = 1.0 - 2.0 * (u1 < 0)
        shrunk = (side * u2 - side * u1 / self.sigma).maximum(-side * u2)
        return _to_grow(u1, u2, self.sigma).minimum(shrunk.where(u1 != 0, -u2.abs()))

    def _half_spaces(self, neuron: int, u1: float) -> list[Alternative]:
        grown = super()._half_spaces(neuron, u1)
        if u1 == 0:
            return grown
        s = 1.0 if u1 > 0 else -1.0
        return [*grown, (HalfSpace({neuron: -s}, -s * u1 / self.sigma), HalfSpace({neuron: s}, 0.0))]


@dataclass(frozen=True)
class AbsoluteChange(EachNeuron):
    """|u[x1] - u[x2]| >= d."""

    name: ClassVar[str] = "absolute"
    words: ClassVar[str] = "|u[x1] - u[x2]| is at least d"
    d: float = 1.0

    def _compared(self, u1: float, u2: float) -> Compared:
        return "|u[x1] - u[x2]|", abs(u1 - u2), "≥", self.d, "d"

    def _changed(self, u1: Tensor, u2: Tensor) -> Tensor:
        return abs(u1 - u2) >= self.d

    def _lacking(self, u1: Tensor, u2: Tensor) -> Tensor:
        return self.d - (u1 - u2).abs()

    def _half_spaces(self, neuron: int, u1: float) -> list[Alternative]:
        return [(HalfSpace({neuron: s}, s * u1 + self.d),) for s in (1.0, -1.0)]


@dataclass(frozen=True)
class UpperBoundary(EachNeuron):
    """u[x2] > d."""

    name: ClassVar[str] = "upper_boundary"
    words: ClassVar[str] = "u[x2] is above d"
    d: float = 1.0

    def _compared(self, u1: float, u2: float) -> Compared:
        return "u[x2]", u2, ">", self.d, "d"

    def _changed(self, u1: Tensor, u2: Tensor) -> Tensor:
        return u2 > self.d

    def _lacking(self, u1: Tensor, u2: Tensor) -> Tensor:
        return self.d - u2

    def _half_spaces(self, neuron: int, u1: float) -> list[Alternative]:
        return [(HalfSpace({neuron: 1.0}, self.d, strict=True),)]


@dataclass(frozen=True)
class NormChange(ValueFunction):
    """||psi[x1] - psi[x2]||_p >= d, or <= d with ``at_most``."""

    name: ClassVar[str] = "norm"
    words: ClassVar[str] = "||psi[x1] - psi[x2]||_p is at least d (or at most d)"
    of_whole_features: ClassVar[bool] = True
    d: float = 1.0
    p: Norm = "inf"
    at_most: bool = False

    @property
    def by_extremes(self) -> bool:
        return not self.at_most

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        index = list(neurons)
        return self.shortfall(before.u[:, index], after.u[:, index]) <= 0

    def compared(self, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]) -> Compared:
        u1, u2 = (values.u[:1, list(neurons)] for values in (before, after))
        size = float(self._size(u1, u2)[0])
        return f"||psi[x1] - psi[x2]||_{self.p}", size, "≤" if self.at_most else "≥", self.d, "d"

    def shortfall(self, u1: Tensor, u2: Tensor) -> Tensor:
        size = self._size(u1, u2)
        return size - self.d if self.at_most else self.d - size

    def _size(self, u1: Tensor, u2: Tensor) -> Tensor:
        size: Tensor = library_of(u1).linalg.vector_norm(u1 - u2, ord=float(self.p), axis=1)
        return size

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        if self.p == "2" and len(neurons) > 1:
            return super().alternatives(before, neurons)
        if 2 ** len(neurons) > MOST_ALTERNATIVES and self.p == "1":
            return product([[(), ()]] * len(neurons), self.name)
        signs: Iterable[dict[int, float]] = (
            [dict(zip(neurons, s, strict=True)) for s in itertools.product((1.0, -1.0), repeat=len(neurons))]
            if self.p == "1"
            else [{i: s} for i in neurons for s in (1.0, -1.0)]
        )
        facets = [self._facet(before, s) for s in signs]
        return [tuple(facets)] if self.at_most else [(facet,) for facet in facets]

    def _facet(self, before: LayerValues, signs: Mapping[int, float]) -> HalfSpace:
        """s . (u2 - u1) >= d, or s . (u2 - u1) <= d with ``at_most``."""
        at_x1 = sum(s * float(before.u[0, i]) for i, s in signs.items())
        if self.at_most:
            return HalfSpace({i: -s for i, s in signs.items()}, -at_x1 - self.d)
        return HalfSpace(dict(signs), at_x1 + self.d)


@dataclass(frozen=True)
class Top(ValueFunction):
    """v_i >= v_j for every other neuron j of the layer (the paper's order constraint), for each i of the feature.

    ``of`` says for which input: x1, as the paper writes it, or x2.
    """

    name: ClassVar[str] = "top"
    words: ClassVar[str] = "the feature's v is the largest of its layer"
    of: Literal["x1", "x2"] = field(default="x1")

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        v = (before if self.of == "x1" else after).v
        largest: Tensor = library_of(v).amax(v, axis=1, keepdims=True)
        return (v[:, list(neurons)] >= largest).all(1) & ANY(before, after, neurons)

    def compared(self, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]) -> Compared:
        v = (before if self.of == "x1" else after).v[0]
        return f"v[{self.of}]", float(v[neurons[0]]), "≥", float(v.max()), "the largest v of its layer"

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        if self.of == "x1":
            return [()] if bool(self(before, before, neurons)[0]) else []
        others = range(before.u.shape[1])
        return [tuple(HalfSpace({i: 1.0, j: -1.0}, 0.0, of="v") for i in neurons for j in others if j != i)]


@dataclass(frozen=True)
class AnyChange(ValueFunction):
    """Always true: the paper's unspecified g1."""

    name: ClassVar[str] = "any"
    words: ClassVar[str] = "the value may change or not"

    by_extremes: ClassVar[bool] = True

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        return (before.u[:, 0] == after.u[:, 0]) | True  # for each input of the batch

    def shortfall(self, u1: Tensor, u2: Tensor) -> Tensor:
        return u2.new_full((max(len(u1), len(u2)),), -math.inf)

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        return [()]


ANY = AnyChange()
