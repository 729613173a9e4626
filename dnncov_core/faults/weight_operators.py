"""Mutation operators that change weights of one layer: those of the matrices and kernels into it.

Each gives, for the same random numbers, faults of every strength: a stronger one changes the same weights, and more.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.faults.operator_base import MutationOperator
from dnncov_core.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from dnncov_core.faults.fault import Fault
    from dnncov_core.faults.sites import Site
    from dnncov_core.networks.network import Network


@dataclass(frozen=True)
class WeightOperator(MutationOperator):
    """Changes the weights of a layer, all seen as one row."""

    @classmethod
    def layers(cls, network: Network) -> list[int]:
        from dnncov_core.faults.sites import weights_into

        return sorted(layer for layer, names in weights_into(network).items() if names)

    @classmethod
    def range(cls, site: Site) -> tuple[float, float]:
        return 1 / site.n_weights, 1.0

    def fault(self, site: Site, rng: np.random.Generator) -> Fault:
        return site.with_weights(self.changed(site.weights, rng))

    @abstractmethod
    def changed(self, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
        """New weights, ``(n,)``, of a layer's own, ``(n,)``."""


@dataclass(frozen=True)
class GaussianFuzz(WeightOperator):
    """w + strength * s * z for each weight w of a layer, s the standard deviation of its weights, z drawn from N(0, 1).

    Source: Gaussian Fuzzing, GF, of Ma et al., DeepMutation, ISSRE 2018, on all weights of a layer.
    """

    title: ClassVar[str] = "Gaussian fuzz of weights"
    unit: ClassVar[str] = "standard deviations of the layer's weights"

    @classmethod
    def range(cls, site: Site) -> tuple[float, float]:
        return 1e-3, 30.0

    def changed(self, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
        noise: FloatArray = rng.standard_normal(len(weights))
        return weights + self.strength * float(weights.std(dtype=np.float64)) * noise


@dataclass(frozen=True)
class SignFlips(WeightOperator):
    """-w instead of w for a share ``strength`` of the weights of a layer, at least one, drawn at random.

    Source: a case of Change Weight Value of Shen et al., MuNN, QRS-C 2018.
    """

    title: ClassVar[str] = "Signs of weights flipped"
    unit: ClassVar[str] = "of the layer's weights"

    def changed(self, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
        chosen = self.first(rng.permutation(len(weights)))
        found = weights.copy()
        found[chosen] = -found[chosen]
        return found


@dataclass(frozen=True)
class BitFlips(WeightOperator):
    """One bit of a share ``strength`` of the weights of a layer, at least one, flipped; the same bit of each of them.

    The bit is drawn from sign and exponent, as the weights are stored; the weights are random. Bits of the fraction
    change a weight by less than its half, and hardly any answer. Source: bits of stored weights that memory corrupts,
    of Hong et al., Terminal Brain Damage, USENIX Security 2019, who flip one bit at a time.
    """

    title: ClassVar[str] = "Bits of weights flipped"
    unit: ClassVar[str] = "of the layer's weights"

    def changed(self, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
        whole = np.dtype(f"u{weights.itemsize}")
        bit = rng.integers(np.finfo(weights.dtype).nmant, 8 * weights.itemsize).astype(whole)
        found = weights.copy()
        found.view(whole)[self.first(rng.permutation(len(weights)))] ^= whole.type(1) << bit
        return found


@dataclass(frozen=True)
class Pruning(WeightOperator):
    """0 instead of the smallest weights of a layer: a share ``strength`` of a random half of them, at least one.

    Half of the weights are left alone so that two mutants of one layer differ. Source: pruning by magnitude of Han et
    al., Learning both Weights and Connections for Efficient Neural Networks, NIPS 2015, without training after it.
    """

    title: ClassVar[str] = "Small weights pruned"
    unit: ClassVar[str] = "of half of the layer's weights"

    def changed(self, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
        half = half_of(len(weights), rng).nonzero()[0]
        found = weights.copy()
        found[self.first(half[np.abs(weights[half]).argsort(kind="stable")])] = 0
        return found


@dataclass(frozen=True)
class Quantisation(WeightOperator):
    """The nearest multiple of q instead of w for a random half of the weights of a layer.

    q is ``strength`` times the largest size of a weight.

    With b bits q is 2 / (2^b - 1) times that, so that a strength of 2 is one bit. Half of the weights are left alone so
    that two mutants of one layer differ. Source: uniform quantisation, as of Jacob et al., Quantization and Training
    of Neural Networks for Efficient Integer-Arithmetic-Only Inference, CVPR 2018, without training for it.
    """

    title: ClassVar[str] = "Weights quantised to few bits"
    unit: ClassVar[str] = "of the layer's largest weight between two levels"

    @classmethod
    def range(cls, site: Site) -> tuple[float, float]:
        return 1e-3, 2.0

    def changed(self, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
        half, step = half_of(len(weights), rng), self.strength * float(np.abs(weights).max())
        if step == 0:
            return weights
        return np.where(half, step * np.rint(weights / step), weights)


def half_of(n: int, rng: np.random.Generator) -> BoolArray:
    """Which of n are in a random half, at least one, ``(n,)``."""
    found = np.zeros(n, bool)
    found[rng.permutation(n)[: (n + 1) // 2]] = True
    return found
