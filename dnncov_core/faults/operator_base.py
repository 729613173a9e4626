"""What a mutation operator is. Imports no torch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.types import IntArray

if TYPE_CHECKING:
    from dnncov_core.faults.fault import Fault
    from dnncov_core.faults.sites import Site
    from dnncov_core.networks.network import Network


@dataclass(frozen=True)
class MutationOperator(ABC):
    """Makes a fault of a network, without training it again.

    Attributes:
        strength: above 0; the larger, the more is changed.
        title: what it does, in few words.
        unit: what a strength is a number of.
    """

    strength: float
    title: ClassVar[str]
    unit: ClassVar[str]

    @classmethod
    @abstractmethod
    def layers(cls, network: Network) -> list[int]:
        """The layers of a network at which it can change something; none where the network has no such thing."""

    @classmethod
    @abstractmethod
    def range(cls, site: Site) -> tuple[float, float]:
        """The least and the greatest strength that are tried at a layer."""

    @abstractmethod
    def fault(self, site: Site, rng: np.random.Generator) -> Fault:
        """The fault of this strength. The same random numbers give the same fault."""

    def first(self, order: IntArray) -> IntArray:
        """The first of those in an order, a share ``strength`` of them, at least one."""
        return order[: max(1, round(self.strength * len(order)))]
