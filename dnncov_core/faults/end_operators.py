"""Mutation operators that change what a network is given, or how it comes to the scores of classes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.faults.operator_base import MutationOperator
from dnncov_core.types import FloatArray

if TYPE_CHECKING:
    from dnncov_core.box import Box
    from dnncov_core.faults.fault import Fault
    from dnncov_core.faults.sites import Site
    from dnncov_core.networks.network import Network


@dataclass(frozen=True)
class InputOperator(MutationOperator):
    """Changes inputs, by one number for each channel or feature, before the network sees them."""

    @classmethod
    def layers(cls, network: Network) -> list[int]:
        return [1]

    @classmethod
    def range(cls, site: Site) -> tuple[float, float]:
        return 1e-3, 30.0

    def fault(self, site: Site, rng: np.random.Generator) -> Fault:
        import torch

        from dnncov_core.faults.fault import Fault

        shift, scale = self.affine(site.network.box, rng)
        return Fault(1, inputs=(torch.from_numpy(np.asarray(shift)), torch.from_numpy(np.asarray(scale))))

    @abstractmethod
    def affine(self, box: Box, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """(shift, scale) that make shift + scale * x of an input x; both broadcast to an input."""


@dataclass(frozen=True)
class InputMean(InputOperator):
    """x + strength * r * z, r the width of the input's range, z drawn from N(0, 1) once for each channel or feature.

    It is what a wrong mean in (x - mean) / deviation does: a usual mistake of deployment, which `dnncov check` looks
    for. The definition is this program's own.
    """

    title: ClassVar[str] = "Wrong mean of the input"
    unit: ClassVar[str] = "of the input's range"

    def affine(self, box: Box, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        width = box.high - box.low
        return self.strength * width * rng.standard_normal(per_feature(box)), np.ones(1)


@dataclass(frozen=True)
class InputDeviation(InputOperator):
    """m + f (x - m), f being 1 + strength or 1 / (1 + strength), m a random place in the input's range.

    It is what a wrong deviation in (x - m) / deviation does. Both are drawn once for each channel or feature, since a
    network in canonical form does not say which mean it subtracts. The definition is this program's own.
    """

    title: ClassVar[str] = "Wrong deviation of the input"
    unit: ClassVar[str] = "above 1, the quotient of the two deviations"

    def affine(self, box: Box, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        shape = per_feature(box)
        mean = box.low + (box.high - box.low) * rng.random(shape)
        factor = np.where(rng.random(shape) < 0.5, 1 + self.strength, 1 / (1 + self.strength))
        return mean * (1 - factor), factor


def per_feature(box: Box) -> tuple[int, ...]:
    """The shape of one number for each channel or feature, which broadcasts to an input; of tokens, for each number."""
    if box.embedded:
        return (1,) * (len(box.shape) - 1) + box.shape[-1:]
    return box.shape[:1] + (1,) * (len(box.shape) - 1)


@dataclass(frozen=True)
class ClassesSwapped(MutationOperator):
    """The weights of two classes in the output layer swapped for a share ``strength`` of the values that it takes.

    Classes and values are drawn at random, one value at least; with a strength of 1 all weights of the two classes are
    swapped, and only their biases stay. It is offered where the scores come from one linear layer. Source: what labels
    of two classes that are mixed up in part teach a network, as by Label Error, LE, of Ma et al., DeepMutation, ISSRE
    2018; done to the weights, so that nothing is trained, it is a definition of this program's own.
    """

    title: ClassVar[str] = "Two classes swapped in part"
    unit: ClassVar[str] = "of the values that the output layer takes"

    @classmethod
    def layers(cls, network: Network) -> list[int]:
        from dnncov_core.faults.sites import Site

        site = Site(network, network.depth)
        return [site.layer] if site.has_rows and site.n_neurons > 1 and not network.quantities else []

    @classmethod
    def range(cls, site: Site) -> tuple[float, float]:
        return site.n_neurons / site.n_weights, 1.0

    def fault(self, site: Site, rng: np.random.Generator) -> Fault:
        rows = site.weights.reshape(site.n_neurons, -1)
        return site.with_weights(self.swapped(rows, rng).ravel())

    def swapped(self, rows: FloatArray, rng: np.random.Generator) -> FloatArray:
        """New weights of the scores, ``(classes, values)``."""
        a, b = rng.permutation(len(rows))[:2]
        chosen = self.first(rng.permutation(rows.shape[1]))
        found = rows.copy()
        found[a, chosen], found[b, chosen] = rows[b, chosen], rows[a, chosen]
        return found
