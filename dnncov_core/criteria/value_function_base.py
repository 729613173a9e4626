"""What a value function g is: it says whether a feature changes significantly between x1 and x2 (Examples 3 and 4).

A value function is called with the layer's values for x1 and for x2 and answers for each input of the batch. For a
feature of several neurons, a function of one neuron must hold for each of them. Functions that are linear in u[x2]
once x1 is given also say which half-spaces of u[x2] make them true, for generators that need constraints; those that
depend on the feature's own u alone say how much is lacking, for generators that follow gradients; and each says what it
compares with what, for people who ask why a change is significant or not.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Literal

from dnncov_core.errors import SpecificationError
from dnncov_core.layer_values import library_of

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.criteria.neuron_criteria import Ranges
    from dnncov_core.layer_values import LayerValues

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
class Quantity:
    """A number of one neuron, or of a whole feature, and what it must be.

    Attributes:
        neurons: the neurons that it belongs to, 0-based.
        words: what it is, such as ``u[x2] / u[x1]``.
        value: NaN for 0/0, infinite for x/0.
        relation: "≥", "≤" or ">".
        limit: what it is compared with.
        limit_words: what the limit is, such as ``sigma``.
        holds: whether the value function says so.
    """

    neurons: tuple[int, ...]
    words: str
    value: float
    relation: str
    limit: float
    limit_words: str
    holds: bool


Compared = tuple[str, float, str, float, str]
"""Words, value, relation, limit and its words of a `Quantity`."""


@dataclass(frozen=True)
class ValueFunction(ABC):
    """A value function g(feature, x1, x2)."""

    name: ClassVar[str]
    words: ClassVar[str]
    of_whole_features: ClassVar[bool] = False
    """Whether it compares one number of a whole feature rather than one of each neuron."""

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
        """The function's name with its parameters, such as ``ratio (sigma = 2)``."""
        parameters = ", ".join(f"{field.name} = {_plain(getattr(self, field.name))}" for field in fields(self))
        return f"{self.name} ({parameters})" if parameters else self.name

    def quantities(
        self, layer: int, before: LayerValues, after: LayerValues, neurons: Sequence[int]
    ) -> tuple[Quantity, ...]:
        """What the function compares for a feature: a number of each neuron, or one of all; nothing if it asks nothing.

        Args:
            layer: the feature's layer.
            before: values of the layer for x1; the first input counts.
            after: values of the layer for x2, likewise.
            neurons: the neurons of the feature, 0-based.
        """
        found = []
        for group in [tuple(neurons)] if self.of_whole_features else [(neuron,) for neuron in neurons]:
            compared = self.compared(layer, before, after, group)
            if compared is not None:
                holds = bool(self.at(layer, [group])(before, after, group)[0])
                found.append(Quantity(group, *compared, holds))
        return tuple(found)

    def compared(
        self, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]
    ) -> Compared | None:
        """What the function compares for one neuron or a whole feature; None where it asks nothing."""
        return None

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


class EachNeuron(ValueFunction):
    """A value function of one neuron, asked of each neuron of the feature."""

    by_extremes: ClassVar[bool] = True

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        index = list(neurons)
        n = max(len(before.u), len(after.u))
        u1, u2 = (library_of(u).broadcast_to(u, (n, len(index))) for u in (before.u[:, index], after.u[:, index]))
        return self._changed(u1, u2).all(1)

    def alternatives(self, before: LayerValues, neurons: Sequence[int]) -> Iterable[Alternative]:
        u1 = before.u[0]
        choices = [self._half_spaces(i, float(u1[i])) for i in neurons]
        return product(choices, self.name)

    def shortfall(self, u1: Tensor, u2: Tensor) -> Tensor:
        return self._lacking(u1, u2).amax(dim=1)

    def compared(
        self, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]
    ) -> Compared | None:
        return self._compared(*(float(values.u[0, neurons[0]]) for values in (before, after)))

    @abstractmethod
    def _compared(self, u1: float, u2: float) -> Compared: ...

    @abstractmethod
    def _changed(self, u1: Tensor, u2: Tensor) -> Tensor: ...

    @abstractmethod
    def _lacking(self, u1: Tensor, u2: Tensor) -> Tensor:
        """What each neuron lacks, ``(batch, n)``; at most 0 where it has changed."""

    @abstractmethod
    def _half_spaces(self, neuron: int, u1: float) -> list[Alternative]: ...


def product(choices: Sequence[Sequence[Alternative]], name: str) -> Iterable[Alternative]:
    """Every combination of an alternative of each choice.

    Raises:
        SpecificationError: there are more than `MOST_ALTERNATIVES`.
    """
    count = math.prod(map(len, choices))
    if count > MOST_ALTERNATIVES:
        raise SpecificationError(
            f"at most {MOST_ALTERNATIVES} linear alternatives of {name}",
            f"{count} for a feature of {len(choices)} neurons",
            "use smaller features or another generator",
        )
    return (tuple(itertools.chain.from_iterable(parts)) for parts in itertools.product(*choices))
