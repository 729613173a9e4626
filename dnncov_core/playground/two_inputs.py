"""Every neuron for two inputs, and what the two cover."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import torch

from dnncov_core.activations import Activations, capture, one_thread
from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.parts import Part, parts
from dnncov_core.effect import DecisionChange
from dnncov_core.features import FeaturePair
from dnncov_core.networks.network import Network
from dnncov_core.partitions import Feature
from dnncov_core.playground.setting import Point, Setting
from dnncov_core.records import Effect, LayerInfo
from dnncov_core.relations import changes
from dnncov_core.replay import Replay
from dnncov_core.types import Edge


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

    def covers(self, method: CoveringMethod, pair: FeaturePair) -> bool:
        """Whether the two inputs cover a feature pair."""
        return bool(method.holds(pair, self.before, self.after)[0])

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


@dataclass(frozen=True)
class NetworkView:
    """Two inputs in the network, and which pairs of single neurons they cover by the setting's method.

    Attributes:
        setting: the inputs, the method, and the feature pair that is looked at.
        inputs: every neuron for both.
        covered: the pairs of single neurons that they cover.
        effects: the effect in each of these, and in the pair that is looked at.
        change: why u of the decision feature that is looked at changes; None where nobody asked.
    """

    setting: Setting
    inputs: TwoInputs
    covered: tuple[FeaturePair, ...]
    effects: Mapping[FeaturePair, Effect] = field(default_factory=dict)
    change: DecisionChange | None = None


def two_inputs(network: Network, x1: Point, x2: Point) -> TwoInputs:
    """The network instantiated with x1 and with x2, each sent through it alone.

    Args:
        network: a network of two inputs, ``input_shape`` (2,).
        x1: the first input.
        x2: the second.

    Raises:
        NumericsError: a NaN or an infinite value on the way.
    """
    with torch.no_grad(), one_thread():
        before, after = (capture(network, torch.tensor([x], dtype=network.dtype)) for x in (x1, x2))
    return TwoInputs(x1, x2, network.layers, network.edges, before, after)


def network_view(network: Network, setting: Setting) -> NetworkView:
    """Both inputs of a setting, what they cover, and with which effect."""
    inputs, method, pair = two_inputs(network, setting.x1, setting.x2), setting.method, setting.pair
    covered = tuple(each for each in inputs.pairs() if inputs.covers(method, each))
    x1, x2 = (np.array(x, dtype=np.float64) for x in (setting.x1, setting.x2))
    replayed = Replay(network, method, x1, x2)
    effects = {each: replayed.effect(each) for each in {*covered, pair}}
    return NetworkView(setting, inputs, covered, effects, replayed.decision_change(pair))
