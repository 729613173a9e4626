"""Features and feature pairs: sets of neurons of one layer, and pairs of them in neighbouring layers (Definition 1)."""

from __future__ import annotations

import itertools
import math
import random
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import overload

import numpy as np

from dnncov_core.errors import SpecificationError
from dnncov_core.records import LayerInfo, Target
from dnncov_core.types import Edge, IntArray


@dataclass(frozen=True)
class Feature:
    """A set of neurons of one layer; 0-based indices within the layer."""

    layer: int
    neurons: tuple[int, ...]


@dataclass(frozen=True)
class FeaturePair:
    """A condition feature of layer k and a decision feature of a following layer."""

    condition: Feature
    decision: Feature

    @classmethod
    def of(cls, target: Target) -> FeaturePair:
        """The feature pair of a target."""
        return cls(
            Feature(target.condition_layer, target.condition_neurons),
            Feature(target.decision_layer, target.decision_neurons),
        )

    def target(self, ordinal: int) -> Target:
        """The target with this pair and place."""
        condition, decision = self.condition, self.decision
        return Target(ordinal, condition.layer, decision.layer, condition.neurons, decision.neurons)


def block_size(neurons: int, omega: float) -> int:
    """The largest feature that omega allows: max(1, floor(omega * s_k))."""
    return max(1, math.floor(Fraction(str(omega)) * neurons))  # exact: 0.29 of 100 neurons are 29


def _singletons(neurons: int, omega: float) -> Sequence[range]:
    return [range(i, i + 1) for i in range(neurons)]


def _blocks(neurons: int, omega: float) -> Sequence[range]:
    size = block_size(neurons, omega)
    return [range(i, min(i + size, neurons)) for i in range(0, neurons, size)]


FEATURE_MODES: dict[str, Callable[[int, float], Sequence[range]]] = {
    "neuron": _singletons,
    "fixed": _blocks,
}
"""How a layer of s_k neurons is split into features: ``neuron``, each on its own; ``fixed``, neighbouring neurons in
sets of max(1, floor(omega * s_k))."""


class FeaturePairs(Sequence[FeaturePair]):
    """All feature pairs of a network, computed when asked for, so that millions of them cost nothing.

    The order is by decision layer and condition layer, then by condition feature, then by decision feature.

    Args:
        layers: the network's layers 1..K.
        edges: its pairs of neighbouring layers.
        mode: a key of `FEATURE_MODES`.
        omega: the largest share of a layer that a feature may have.
        decision_layers: only pairs into these layers; empty for all.

    Raises:
        SpecificationError: a layer that is no decision layer.
    """

    def __init__(
        self,
        layers: Sequence[LayerInfo],
        edges: Collection[Edge],
        *,
        mode: str = "neuron",
        omega: float = 0.001,
        decision_layers: Collection[int] = (),
    ) -> None:
        known = sorted({decision for _, decision in edges})
        for layer in decision_layers:
            if layer not in known:
                raise SpecificationError(
                    f"decision layers among {', '.join(map(str, known))}", f"layer {layer}", "change layers"
                )
        self.edges = sorted(
            (edge for edge in edges if not decision_layers or edge[1] in decision_layers), key=lambda e: (e[1], e[0])
        )
        self._features = {info.index: FEATURE_MODES[mode](info.neurons, omega) for info in layers[1:]}
        self.counts = [len(self._features[k]) * len(self._features[decision]) for k, decision in self.edges]
        self._starts = list(itertools.accumulate(self.counts, initial=0))

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, ordinal: int) -> FeaturePair: ...
    @overload
    def __getitem__(self, ordinal: slice) -> Sequence[FeaturePair]: ...

    def __getitem__(self, ordinal: int | slice) -> FeaturePair | Sequence[FeaturePair]:
        if isinstance(ordinal, slice):
            return [self[i] for i in range(len(self))[ordinal]]
        place = range(len(self))[ordinal]
        at = bisect_right(self._starts, place) - 1
        k, decision = self.edges[at]
        i, j = divmod(place - self._starts[at], len(self._features[decision]))
        return FeaturePair(
            Feature(k, tuple(self._features[k][i])), Feature(decision, tuple(self._features[decision][j]))
        )

    def connected(self, connections: Mapping[Edge, IntArray]) -> dict[Edge, IntArray]:
        """Ordinals, ascending, of the neuron pairs (i, j) with i among ``connections[edge][j]``, by layer pair.

        Args:
            connections: condition neurons of each decision neuron, ``(s_l, n)``, -1 for none.
        """
        found: dict[Edge, IntArray] = {}
        for edge, start in zip(self.edges, self._starts, strict=False):
            units = connections[edge]
            j, place = np.nonzero(units >= 0)
            found[edge] = np.sort(start + units[j, place] * len(units) + j)
        return found

    def sample(self, n: int | None, random_seed: int, among: Sequence[int] | None = None) -> list[int]:
        """Ordinals of n pairs drawn without replacement, in the order drawn; of all of them if n is None or too large.

        Any first part of the order is a random sample itself, so that the figures of a running campaign are unbiased.

        Args:
            n: how many pairs.
            random_seed: what decides the draw.
            among: the ordinals to draw from; all if left out.
        """
        everything = range(len(self)) if among is None else among
        n = len(everything) if n is None else min(n, len(everything))
        return random.Random(f"pairs {random_seed}").sample(everything, n)
