"""Value functions g: what counts as a significant change of a feature between x1 and x2 (Examples 3 and 4).

A value function is called with the layer's values for x1 and for x2 and answers for each input of the batch. For a
feature of several neurons, a function of one neuron must hold for each of them. Functions that are linear in u[x2]
once x1 is given also say which half-spaces of u[x2] make them true, for generators that need constraints; those that
depend on the feature's own u alone say how much is lacking, for generators that follow gradients.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, ClassVar, Literal

from dnncov_core.errors import SpecificationError
from dnncov_core.types import Norm

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.activations import LayerValues
    from dnncov_core.criteria.baselines import Ranges

MOST_ALTERNATIVES = 256


@dataclass(frozen=True)
class HalfSpace:
    """sum of coefficient * value over neurons of the layer, for x2, is at least (or, if strict, above) a number.

    ``of`` says which value: u, before the activation function, or v, after it.
    """

    coefficients: Mapping[int, float]
    at_least: float
    strict: bool = False
    of: Literal["u", "v"] = "u"


Alternative = tuple[HalfSpace, ...]
"""Half-spaces that together make a value function true."""


@dataclass(frozen=True)
class ValueFunction(ABC):
    """A value function g(feature, x1, x2)."""

    name: ClassVar[str]
    words: ClassVar[str]

    @abstractmethod
    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        """True where the change is significant; ``(batch,)`` of bool.

        Args:
            before: values of the whole layer for x1, ``(batch, s_k)``.
            after: values of the whole layer for x2.
            neurons: the feature's neurons, 0-based.
        """

    @property
    def by_extremes(self) -> bool:
        """Whether the least and the greatest u of two sets of inputs decide for a neuron that keeps its sign.

        They do where the function holds from some x1 of one set to some x2 of the other iff it holds from the least u
        to the greatest, or back.
        """
        return False

    @property
    def by_ranges(self) -> bool:
        """Whether it needs the neurons' ranges over reference data."""
        return False

    def with_ranges(self, ranges: Ranges) -> ValueFunction:
        """The function with these ranges by layer; itself where it asks for none."""
        return self

    def at(self, layer: int, features: Sequence[Sequence[int]]) -> ValueFunction:
        """The function for these features of a layer, one for each input of a batch or one for all.

        Only functions that differ from neuron to neuron return another one than themselves.
        """
        return self

    def some(self, rows: Tensor) -> ValueFunction:
        """The function that `at` gave, for some inputs of the batch, given by their numbers."""
        return self

    def describe(self) -> str:
        """Its name with its parameters, such as ``ratio (sigma = 2)``."""
        parameters = ", ".join(f"{field.name} = {_plain(getattr(self, field.name))}" for field in fields(self))
        return f"{self.name} ({parameters})" if parameters else self.name

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        """Half-spaces of u[x2] whose union is where the function holds, for the first input of ``before``.

        Raises:
            SpecificationError: the function is not linear, or the feature is too large for it.
        """
        raise SpecificationError(
            "a value function that is linear in u[x2]", self.name, "choose another value function or generator"
        )

    def shortfall(self, u1: Tensor, u2: Tensor) -> Tensor:
        """How much u[x2] lacks until the function holds, in units of u; at most 0 where it holds. Has gradients.

        Args:
            u1: u of the feature's neurons for x1, ``(batch, n)``.
            u2: u of the feature's neurons for x2.

        Returns:
            ``(batch,)``; of a feature of several neurons, what its worst neuron lacks.

        Raises:
            SpecificationError: the function depends on more than the feature's own u.
        """
        fix = "choose another value function or generator"
        raise SpecificationError("a value function of the feature's own u for gradient search", self.name, fix)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class _EachNeuron(ValueFunction):
    """A value function of one neuron, asked of each neuron of the feature."""

    @property
    def by_extremes(self) -> bool:
        return True

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        index = list(neurons)
        n = max(len(before.u), len(after.u))
        u1, u2 = (values.u[:, index].expand(n, -1) for values in (before, after))
        return self._changed(u1, u2).all(dim=1)

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        u1 = before.u[0]
        choices = [self._half_spaces(i, float(u1[i])) for i in neurons]
        return _product(choices, self.name)

    def shortfall(self, u1: Tensor, u2: Tensor) -> Tensor:
        return self._lacking(u1, u2).amax(dim=1)

    @abstractmethod
    def _changed(self, u1: Tensor, u2: Tensor) -> Tensor: ...

    @abstractmethod
    def _lacking(self, u1: Tensor, u2: Tensor) -> Tensor:
        """What each neuron lacks, ``(batch, n)``; at most 0 where it has changed."""

    @abstractmethod
    def _half_spaces(self, neuron: int, u1: float) -> list[Alternative]: ...


def _product(choices: Sequence[Sequence[Alternative]], name: str) -> Iterable[Alternative]:
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MOST_ALTERNATIVES:
        raise SpecificationError(
            f"at most {MOST_ALTERNATIVES} linear alternatives of {name}",
            f"{count} for a feature of {len(choices)} neurons",
            "use smaller features or another generator",
        )
    return (tuple(itertools.chain.from_iterable(parts)) for parts in itertools.product(*choices))


def _positive(function: str, parameter: str, value: float) -> None:
    if not value > 0:
        raise SpecificationError(f"{parameter} above 0 for the value function {function}", repr(value), "change it")


def _grown(u1: Tensor, u2: Tensor, sigma: float) -> Tensor:
    """u2 / u1 >= sigma, where 0/0 is no change and x/0 is a change."""
    return (u2 / u1 >= sigma).where(u1 != 0, u2 != 0)


def _to_grow(u1: Tensor, u2: Tensor, sigma: float) -> Tensor:
    """What u2 lacks until u2 / u1 >= sigma."""
    side = 1.0 - 2.0 * (u1 < 0)
    return (sigma * side * u1 - side * u2).where(u1 != 0, -u2.abs())


@dataclass(frozen=True)
class RatioChange(_EachNeuron):
    """u[x2] / u[x1] >= sigma, as in the paper's experiments; 0/0 is no change, x/0 is a change."""

    name: ClassVar[str] = "ratio"
    words: ClassVar[str] = "u[x2] / u[x1] is at least sigma"
    sigma: float = 2.0

    def __post_init__(self) -> None:
        _positive(self.name, "sigma", self.sigma)

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
class SymmetricRatioChange(_EachNeuron):
    """u[x2] / u[x1] >= sigma or u[x1] / u[x2] >= sigma (the paper's relative change)."""

    name: ClassVar[str] = "ratio_symmetric"
    words: ClassVar[str] = "u[x2] / u[x1] or its inverse is at least sigma"
    sigma: float = 2.0

    def __post_init__(self) -> None:
        _positive(self.name, "sigma", self.sigma)

    def _changed(self, u1: Tensor, u2: Tensor) -> Tensor:
        return _grown(u1, u2, self.sigma) | _grown(u2, u1, self.sigma)

    def _lacking(self, u1: Tensor, u2: Tensor) -> Tensor:
        side = 1.0 - 2.0 * (u1 < 0)
        shrunk = (side * u2 - side * u1 / self.sigma).maximum(-side * u2)
        return _to_grow(u1, u2, self.sigma).minimum(shrunk.where(u1 != 0, -u2.abs()))

    def _half_spaces(self, neuron: int, u1: float) -> list[Alternative]:
        grown = RatioChange(self.sigma)._half_spaces(neuron, u1)
        if u1 == 0:
            return grown
        s = 1.0 if u1 > 0 else -1.0
        return [*grown, (HalfSpace({neuron: -s}, -s * u1 / self.sigma), HalfSpace({neuron: s}, 0.0))]


@dataclass(frozen=True)
class AbsoluteChange(_EachNeuron):
    """|u[x1] - u[x2]| >= d."""

    name: ClassVar[str] = "absolute"
    words: ClassVar[str] = "|u[x1] - u[x2]| is at least d"
    d: float = 1.0

    def _changed(self, u1: Tensor, u2: Tensor) -> Tensor:
        return (u1 - u2).abs() >= self.d

    def _lacking(self, u1: Tensor, u2: Tensor) -> Tensor:
        return self.d - (u1 - u2).abs()

    def _half_spaces(self, neuron: int, u1: float) -> list[Alternative]:
        return [(HalfSpace({neuron: s}, s * u1 + self.d),) for s in (1.0, -1.0)]


@dataclass(frozen=True)
class UpperBoundary(_EachNeuron):
    """u[x2] > d."""

    name: ClassVar[str] = "upper_boundary"
    words: ClassVar[str] = "u[x2] is above d"
    d: float = 1.0

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
    d: float = 1.0
    p: Norm = "inf"
    at_most: bool = False

    @property
    def by_extremes(self) -> bool:
        return not self.at_most

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        index = list(neurons)
        return self.shortfall(before.u[:, index], after.u[:, index]) <= 0

    def shortfall(self, u1: Tensor, u2: Tensor) -> Tensor:
        size = (u1 - u2).norm(p=float(self.p), dim=1)
        lacking: Tensor = size - self.d if self.at_most else self.d - size
        return lacking

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        if self.p == "2" and len(neurons) > 1:
            return super().alternatives(before, neurons)
        if 2 ** len(neurons) > MOST_ALTERNATIVES and self.p == "1":
            return _product([[(), ()]] * len(neurons), self.name)
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
        top = (v[:, list(neurons)] >= v.amax(dim=1, keepdim=True)).all(dim=1)
        return top.expand(max(len(before.u), len(after.u)))

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        if self.of == "x1":
            return [()] if bool(self(before, before, neurons)[0]) else []
        others = range(before.u.shape[1])
        return [tuple(HalfSpace({i: 1.0, j: -1.0}, 0.0, of="v") for i in neurons for j in others if j != i)]


@dataclass(frozen=True)
class AnyChange(ValueFunction):
    """Always true: the paper's unspecified g1."""

    name: ClassVar[str] = "any"
    words: ClassVar[str] = "any change counts, and so does none"

    @property
    def by_extremes(self) -> bool:
        return True

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        return before.u.new_ones(max(len(before.u), len(after.u))).bool()

    def shortfall(self, u1: Tensor, u2: Tensor) -> Tensor:
        return u2.new_full((max(len(u1), len(u2)),), -math.inf)

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        return [()]


ANY = AnyChange()
