"""Mutation operators that change what neurons of one layer take or pass on.

Behind a convolution, and in layers of tokens, a neuron is here a channel, since its units share their weights.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.faults.operator_base import MutationOperator
from dnncov_core.types import FloatArray, IntArray

if TYPE_CHECKING:
    from dnncov_core.faults.fault import Fault
    from dnncov_core.faults.sites import Site
    from dnncov_core.networks.network import Network


@dataclass(frozen=True)
class NeuronOperator(MutationOperator):
    """Changes what neurons of an activation layer pass on."""

    @classmethod
    def layers(cls, network: Network) -> list[int]:
        return [layer.index for layer in network.layers[1:-1]]

    @classmethod
    def range(cls, site: Site) -> tuple[float, float]:
        return 1 / site.n_neurons, 1.0

    def fault(self, site: Site, rng: np.random.Generator) -> Fault:
        return site.passing_on(self.sources(site.n_neurons, rng))

    @abstractmethod
    def sources(self, n: int, rng: np.random.Generator) -> IntArray:
        """Whose value each of n neurons passes on, ``(n,)``; -1 where it passes on 0."""


@dataclass(frozen=True)
class Blocked(NeuronOperator):
    """A share ``strength`` of the neurons of a layer, at least one, drawn at random, passes on 0.

    Source: Neuron Effect Block, NEB, of Ma et al., DeepMutation, ISSRE 2018; Delete Hidden Neuron of Shen et al.,
    MuNN, QRS-C 2018.
    """

    title: ClassVar[str] = "Neurons blocked"
    unit: ClassVar[str] = "of the layer's neurons or channels"

    def sources(self, n: int, rng: np.random.Generator) -> IntArray:
        found = np.arange(n)
        found[self.first(rng.permutation(n))] = -1
        return found


@dataclass(frozen=True)
class Swapped(NeuronOperator):
    """A share ``strength`` of the neurons of a layer, two at least, pass on each other's value, in random twos.

    Source: Neuron Switch, NS, of Ma et al., DeepMutation, ISSRE 2018.
    """

    title: ClassVar[str] = "Neurons swapped"
    unit: ClassVar[str] = "of the layer's neurons or channels"

    def sources(self, n: int, rng: np.random.Generator) -> IntArray:
        order, found = rng.permutation(n), np.arange(n)
        one, other = self.first(order[: n // 2]), self.first(order[::-1][: n // 2])
        found[one], found[other] = other, one
        return found


@dataclass(frozen=True)
class Duplicated(NeuronOperator):
    """A share ``strength`` of one half of the neurons of a layer, at least one, pass on the value of another half's.

    It is Neuron Switch of DeepMutation (ISSRE 2018) in one direction; a definition of this program's own.
    """

    title: ClassVar[str] = "Neurons duplicated"
    unit: ClassVar[str] = "of half of the layer's neurons or channels"

    def sources(self, n: int, rng: np.random.Generator) -> IntArray:
        order, found = rng.permutation(n), np.arange(n)
        found[self.first(order[: n // 2])] = self.first(order[n - n // 2 :])
        return found


@dataclass(frozen=True)
class BiasShift(MutationOperator):
    """u + strength * z for each neuron of a layer, z drawn from N(0, 1) once for each neuron; in layer K, its score.

    That is the same as another bias, and works where a layer has none. Source: Change Bias Value of Shen et al., MuNN,
    QRS-C 2018, on all neurons of a layer.
    """

    title: ClassVar[str] = "Biases shifted"
    unit: ClassVar[str] = "in units of u"

    @classmethod
    def layers(cls, network: Network) -> list[int]:
        return [layer.index for layer in network.layers[1:]]

    @classmethod
    def range(cls, site: Site) -> tuple[float, float]:
        return 1e-3, 1e3

    def fault(self, site: Site, rng: np.random.Generator) -> Fault:
        return site.shifted(self.shifts(site.n_neurons, rng))

    def shifts(self, n: int, rng: np.random.Generator) -> FloatArray:
        """What is added to u of each of n neurons, ``(n,)``."""
        return self.strength * rng.standard_normal(n)
