"""Whether a pair of inputs covers a feature pair: the network itself is asked again."""

from __future__ import annotations

from collections.abc import Callable, Collection

import torch
from torch import Tensor

from dnncov_core.activations import capture, one_thread
from dnncov_core.criteria import NO_EFFECT, CoveringMethod
from dnncov_core.effect import DecisionChange, Effects, Interventions, effects
from dnncov_core.features import FeaturePair
from dnncov_core.interventions import contributions, interventions, layers_for
from dnncov_core.layer_values import Activations
from dnncov_core.networks.network import Network
from dnncov_core.partitions import Feature
from dnncov_core.records import Effect
from dnncov_core.relations import changes
from dnncov_core.types import FloatArray, Neurons


def replay(
    network: Network,
    method: CoveringMethod,
    pair: FeaturePair,
    x1: FloatArray,
    x2: FloatArray,
    before: Activations | None = None,
) -> bool:
    """Whether the covering method holds for (x1, x2), both ``input_shape``, each sent alone through the network.

    Where the method asks for an effect of the condition feature, (x1, x2) must show it, too. Values at x1 may be known
    ``before``.

    Raises:
        NumericsError: a NaN or an infinite value on the way.
    """
    return Replay(network, method, x1, x2, layers_for(network, pair), before).covers(pair)


class Replay:
    """What the network says of two inputs, each sent alone through it on one thread.

    What depends on one feature is evaluated once, since thousands of feature pairs may be asked about.

    Args:
        network: the network.
        method: the covering method.
        x1: the seed, ``input_shape``.
        x2: the other input.
        layers: of which values are kept, all if left out; `layers_for` says what one feature pair needs.
        before: values at x1 of these layers, where it went through alone already.

    Attributes:
        network: the network.
        before: values at x1.
        after: values at x2.
    """

    def __init__(
        self,
        network: Network,
        method: CoveringMethod,
        x1: FloatArray,
        x2: FloatArray,
        layers: Collection[int] | None = None,
        before: Activations | None = None,
    ) -> None:
        self.network, self._method = network, method
        self._x1, self._x2 = (torch.from_numpy(x)[None] for x in (x1, x2))
        with torch.no_grad(), one_thread():
            self.before = capture(network, self._x1, layers) if before is None else before
            self.after = capture(network, self._x2, layers)
        self._known: dict[tuple[str, Feature], bool] = {}
        self._made: dict[tuple[Feature, int], Interventions] = {}
        self._effects: dict[FeaturePair, Effects] = {}

    @property
    def with_outputs(self) -> tuple[tuple[FloatArray, Tensor], tuple[FloatArray, Tensor]]:
        """x1 and x2, each with its outputs ``(1, n)``, where those of the last layer are kept."""
        last = self.network.depth
        return (self._x1[0].numpy(), self.before[last].u), (self._x2[0].numpy(), self.after[last].u)

    def changed(self, layer: int) -> Neurons:
        """Neurons of a layer whose sign changed."""
        return tuple(changes(self.before[layer], self.after[layer])[0].nonzero().flatten().tolist())

    def covers(self, pair: FeaturePair) -> bool:
        """Whether the two inputs cover a feature pair, with the effect that the method asks for."""
        effect = self._method.effect
        return self.holds(pair) and (effect == NO_EFFECT or bool(self.effects(pair).meet(effect)[0]))

    def holds(self, pair: FeaturePair) -> bool:
        """Whether they do what the definition of the covering method says."""
        return self._holds(self._method.decision_holds, pair, pair.decision) and self._holds(
            self._method.condition_holds, pair, pair.condition
        )

    def interventions(self, pair: FeaturePair) -> Interventions:
        """What the decision layer would be with the condition put back, and with its change alone."""
        key = (pair.condition, pair.decision.layer)
        if key not in self._made:
            with torch.no_grad(), one_thread():
                self._made[key] = interventions(self.network, pair, self._x1, self._x2, self.before, self.after)
        return self._made[key]

    def effects(self, pair: FeaturePair) -> Effects:
        """The effects of the condition feature on the decision feature, of a batch of one."""
        if pair not in self._effects:
            made = self.interventions(pair)
            self._effects[pair] = effects(self._method, pair, self.before, self.after, made)
        return self._effects[pair]

    def effect(self, pair: FeaturePair) -> Effect:
        """The effects as a record."""
        return self.effects(pair).first

    def decision_change(self, pair: FeaturePair) -> DecisionChange:
        """How u of the decision feature's neurons gets from x1 to x2, and which neurons of layer k carry it."""
        layer, neurons, made = pair.decision.layer, list(pair.decision.neurons), self.interventions(pair)
        u1, alone, put_back, u2 = (
            values[layer].u[0, neurons].numpy() for values in (self.before, made.alone, made.put_back, self.after)
        )
        carried = contributions(self.network, pair, self._x1[0].numpy(), self._x2[0].numpy())
        return DecisionChange(u1, alone, put_back, u2, *carried)

    def _holds(
        self, part: Callable[[FeaturePair, Activations, Activations], Tensor], pair: FeaturePair, feature: Feature
    ) -> bool:
        key = (part.__name__, feature)
        if key not in self._known:
            self._known[key] = bool(part(pair, self.before, self.after)[0])
        return self._known[key]
