"""Criteria of whole layers: what all neurons of a layer do together, over a suite.

Each is a `LayerCriterion`; a `LayerMeter` of it takes a suite batch by batch. Where a layer has feature maps, the mean
of each channel counts as one neuron, as in the programs of the authors of these criteria.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dnncov_core.criteria.surprise import Surprise
from dnncov_core.errors import SpecificationError

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.layer_values import Activations
    from dnncov_core.networks.network import Network
    from dnncov_core.records import LayerInfo

_DIGITS, _DECIMAL = re.compile(r"\d{1,9}", re.ASCII), re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)
Known = Callable[[str, int], Surprise]
"""A kind of surprise, by its key, that knows the reference data's values of a layer."""


class LayerMeter(ABC):
    """What a suite meets of one criterion.

    Attributes:
        layers: those whose values it takes.
    """

    layers: tuple[int, ...]

    @abstractmethod
    def add(self, first: int, values: Activations) -> None:
        """Takes the next batch, whose first input is row ``first`` of the suite."""


@dataclass(frozen=True)
class LayerCriterion(ABC):
    """A criterion of whole layers."""

    key: ClassVar[str]
    title: ClassVar[str]
    words: ClassVar[str]
    formula: ClassVar[str]
    by_reference: ClassVar[bool] = False
    """Whether it needs reference data."""
    has_total: ClassVar[bool] = True
    """Whether it counts test conditions; else it is a number."""
    monotone: ClassVar[bool] = True
    """Whether more inputs never lower it."""
    order_free: ClassVar[bool] = True
    """Whether the order of the inputs never changes it."""

    @classmethod
    def read(cls, written: str) -> Self:
        """The criterion with parameters as written behind its name, ``m=100/upper=50``, or ``100`` for m alone.

        Raises:
            SpecificationError: others than it has, or numbers that cannot be.
        """
        known = {each.name: _DECIMAL if each.name == "upper" else _DIGITS for each in fields(cls)}
        found: dict[str, Any] = {}
        for part in written.split("/"):
            name, _, value = part.rpartition("=") if "=" in part else ("m", "", part)
            if name not in known or name in found or not known[name].fullmatch(value):
                example = f"{cls.key}:m=1000/upper=10/layer=3, or some of these"
                expected = example if known else f"{cls.key} without a parameter"
                raise SpecificationError(expected, f"{cls.key}:{written}", "change the criteria")
            found[name] = float(value) if known[name] is _DECIMAL else int(value)
        return cls(**found)

    @property
    def parameters(self) -> str:
        """All that it was asked with, in words; empty where it takes nothing."""
        return ""

    @abstractmethod
    def meter(self, network: Network, known: Known) -> LayerMeter:
        """A meter for a network.

        Raises:
            SpecificationError: a layer that it cannot be asked of.
            DataError: reference data that do not do.
        """


def neurons_of(values: Tensor, layer: LayerInfo) -> Tensor:
    """Values of a layer, ``(batch, s_k)``, with the mean of each channel in place of its neurons, ``(batch, n)``."""
    if len(layer.shape) < 2:
        return values
    shaped = values.reshape(len(values), *layer.shape)
    return shaped.flatten(1, -2).mean(dim=1) if layer.channels_last else shaped.flatten(2).mean(dim=2)


def number_of_neurons(layer: LayerInfo) -> int:
    """How many `neurons_of` gives."""
    return layer.shape[-1 if layer.channels_last else 0]
