"""Every neuron for two inputs, and what the two cover."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.parts import Part, parts
from dnncov_core.features import FeaturePair
from dnncov_core.layer_values import Activations
from dnncov_core.partitions import Feature
from dnncov_core.playground.plain_network import EXAMPLE, PlainNetwork
from dnncov_core.playground.setting import Point, card
from dnncov_core.records import LayerInfo
from dnncov_core.relations import changes
from dnncov_core.types import Edge

zeros_divide = np.errstate(divide="ignore", invalid="ignore")
"""Ratios of 0 are no mistakes: value functions say what they mean."""


@dataclass(frozen=True)
class NeuronValues:
    """u and v of one neuron for x1 and for x2, and whether its sign differs; of a logit, v is u."""

    u1: float
    v1: float
    u2: float
    v2: float
    changed: bool


@dataclass(frozen=True)
class TwoInputs:
    """Two inputs in a network: its layers, its neighbouring layers, and the values of layers 2..K for each input."""

    network: PlainNetwork
    x1: Point
    x2: Point
    layers: tuple[LayerInfo, ...]
    edges: tuple[Edge, ...]
    before: Activations
    after: Activations

    def neurons(self, layer: int) -> list[NeuronValues]:
        """The values of a layer's neurons, one of 2..K."""
        one, two = self.before[layer], self.after[layer]
        columns = (one.u[0], one.v[0], two.u[0], two.v[0], changes(one, two)[0])
        return [NeuronValues(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def labels(self) -> tuple[int, int]:
        """The label of each input: the number of the largest logit, from 0."""
        last = self.layers[-1].index
        one, two = (int(values[last].u[0].argmax()) for values in (self.before, self.after))
        return one, two

    @zeros_divide
    def covers(self, method: CoveringMethod, pair: FeaturePair) -> bool:
        """Whether the two inputs cover a feature pair."""
        return bool(method.holds(pair, self.before, self.after)[0])

    @zeros_divide
    def parts(self, method: CoveringMethod, pair: FeaturePair) -> tuple[Part, ...]:
        """Each part of the definition, with whether it holds."""
        return parts(method, pair, self.before, self.after)

    def pairs(self, most: int = 1) -> Iterator[FeaturePair]:
        """All feature pairs of features with up to ``most`` neurons, by layers, small features first."""
        for edge in self.edges:
            conditions, decisions = (self._features(layer, most) for layer in edge)
            yield from (FeaturePair(*both) for both in itertools.product(conditions, decisions))

    def _features(self, layer: int, most: int) -> list[Feature]:
        neurons = range(self.layers[layer - 1].neurons)
        sizes = range(1, min(most, len(neurons)) + 1)
        return [Feature(layer, some) for size in sizes for some in itertools.combinations(neurons, size)]


def two_inputs(x1: Point, x2: Point) -> TwoInputs:
    """The paper's example network instantiated with x1 and with x2."""
    before, after = (EXAMPLE.values([x]) for x in (x1, x2))
    return TwoInputs(EXAMPLE, x1, x2, card().layers, card().edges, before, after)
