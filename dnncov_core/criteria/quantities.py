"""What value functions compare with what, for whoever asks why a change is significant or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING

from dnncov_core.criteria.boundaries import MeasuredBoundary
from dnncov_core.criteria.ssim import SSIM
from dnncov_core.criteria.value_functions import (
    AbsoluteChange,
    NormChange,
    RatioChange,
    SymmetricRatioChange,
    Top,
    UpperBoundary,
    ValueFunction,
)
from dnncov_core.relations import value_changed

if TYPE_CHECKING:
    from dnncov_core.activations import LayerValues


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


_Compared = tuple[str, float, str, float, str]
"""Words, value, relation, limit and its words."""


def quantities(
    function: ValueFunction, layer: int, before: LayerValues, after: LayerValues, neurons: Sequence[int]
) -> tuple[Quantity, ...]:
    """What the function compares for a feature: a number of each neuron, or one of all; nothing if it asks nothing.

    Args:
        function: as a covering method has it.
        layer: the feature's layer.
        before: values of the layer for x1; the first input counts.
        after: values of the layer for x2, likewise.
        neurons: of the feature, 0-based.
    """
    return tuple(_quantities(function, layer, before, after, neurons))


def _quantities(
    function: ValueFunction, layer: int, before: LayerValues, after: LayerValues, neurons: Sequence[int]
) -> Iterator[Quantity]:
    whole = isinstance(function, NormChange | SSIM)
    for group in [tuple(neurons)] if whole else [(neuron,) for neuron in neurons]:
        compared = _compared(function, layer, before, after, group)
        if compared is not None:
            holds = value_changed(function.at(layer, [group]), before, after, group)
            yield Quantity(group, *compared, bool(holds[0]))


@singledispatch
def _compared(
    function: ValueFunction, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]
) -> _Compared | None:
    """What a function compares for these neurons; None where it asks nothing."""
    return None


def _u(values: LayerValues, neurons: tuple[int, ...]) -> float:
    return float(values.u[0, neurons[0]])


def _quotient(above: float, below: float) -> float:
    if below == 0:
        return float("nan") if above == 0 else float("inf")
    return above / below


@_compared.register(RatioChange)
def _(
    function: RatioChange, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]
) -> _Compared:
    grown = _quotient(_u(after, neurons), _u(before, neurons))
    return "u[x2] / u[x1]", grown, "≥", function.sigma, "sigma"


@_compared.register(SymmetricRatioChange)
def _(
    function: SymmetricRatioChange, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]
) -> _Compared:
    one, two = _u(before, neurons), _u(after, neurons)
    largest = max((_quotient(two, one), _quotient(one, two)))
    return "the larger of u[x2] / u[x1] and u[x1] / u[x2]", largest, "≥", function.sigma, "sigma"


@_compared.register(AbsoluteChange)
def _(
    function: AbsoluteChange, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]
) -> _Compared:
    return "|u[x1] - u[x2]|", abs(_u(before, neurons) - _u(after, neurons)), "≥", function.d, "d"


@_compared.register(UpperBoundary)
def _(
    function: UpperBoundary, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]
) -> _Compared:
    return "u[x2]", _u(after, neurons), ">", function.d, "d"


@_compared.register(MeasuredBoundary)
def _(
    function: MeasuredBoundary, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]
) -> _Compared:
    limit, words = function.highest[layer, neurons[0]], f"its largest u over {function.reference}"
    return "u[x2]", _u(after, neurons), ">", limit, words


@_compared.register(NormChange)
def _(function: NormChange, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]) -> _Compared:
    apart = before.u[0, list(neurons)] - after.u[0, list(neurons)]
    value = float(apart.norm(p=float(function.p)))
    return f"||psi[x1] - psi[x2]||_{function.p}", value, "≤" if function.at_most else "≥", function.d, "d"


@_compared.register(Top)
def _(function: Top, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]) -> _Compared:
    v = (before if function.of == "x1" else after).v[0]
    return f"v[{function.of}]", float(v[neurons[0]]), "≥", float(v.max()), "the largest v of its layer"


@_compared.register(SSIM)
def _(function: SSIM, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]) -> _Compared:
    return "structural similarity", float(function.similarity(before, after, neurons)[0]), "≤", function.d, "d"
