"""What the decision of each slot would be without its condition's change, and with that change alone, with gradients.

The definition is that of `dnncov_core.effect`. Here layers stay as they lie in memory, and no more of x1 is kept than
what is asked for needs: v of the named neurons, or of layer k for free features, where the change has to be needed; v
of all layers that feed the decision where it has to be sufficient.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

from torch import Tensor

from dnncov_core.criteria.effects import asks_needed, asks_sufficient
from dnncov_core.features import FeaturePair
from dnncov_core.networks.costs import share_before
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network


class BatchEffect:
    """The effect that the slots of a batch have to show.

    Args:
        network: the network, on the device and in the precision of the search.
        effect: a key of `EFFECTS`.
        pair: the feature pair of a slot; all have the same two layers, and named or free features alike.
        named: places of the condition feature's neurons, ``(batch, n)``, in the order of `in_memory`.
        decided: places of the decision feature's neurons.
        v: values at x1 of the layers that feed the decision layer.

    Attributes:
        passes: what both evaluations cost, in forward passes of the whole network.
    """

    def __init__(
        self,
        network: Network,
        effect: str,
        pair: FeaturePair,
        *,
        named: Tensor,
        decided: Tensor,
        v: Mapping[int, Tensor],
    ) -> None:
        self._network, self._k, self._layer = network, pair.condition.layer, pair.decision.layer
        self._needed, self._sufficient = asks_needed(effect), asks_sufficient(effect)
        self._free = pair.condition.most is not None
        kept = network.graph.sources[self._layer] if self._sufficient else [self._k] if self._free else []
        self._v1 = {layer: v[layer].detach() for layer in kept}
        self._named, self._decided = named, decided
        self._condition1 = in_memory(v[self._k].detach()).gather(1, named)
        self.passes = (self._needed + self._sufficient) * share_before(network, self._layer)

    def some(self, rows: Tensor) -> BatchEffect:
        """The effect of some slots, given by their numbers."""
        other = copy.copy(self)
        other._v1 = {layer: v[rows] for layer, v in self._v1.items()}
        other._named, other._decided, other._condition1 = (
            each[rows] for each in (self._named, self._decided, self._condition1)
        )
        return other

    def put_back(self, x2: Tensor, v: Mapping[int, Tensor], changed: Tensor) -> Tensor | None:
        """u of the decision neurons, ``(batch, n)``, with the condition put back; None where that is not asked for.

        Args:
            x2: the inputs, ``(batch, *input_shape)``.
            v: values at x2 of the layers that feed the decision layer.
            changed: the neurons of layer k that changed their sign, ``(batch, s_k)``.
        """
        if not self._needed:
            return None
        values = in_memory(v[self._k])
        if self._free:
            return self._decision(x2, v, in_memory(self._v1[self._k]).where(changed, values))
        return self._decision(x2, v, values.scatter(1, self._named, self._condition1))

    def alone(self, x1: Tensor, v: Mapping[int, Tensor], changed: Tensor) -> Tensor | None:
        """As `put_back`, with x1's values but for the condition's."""
        if not self._sufficient:
            return None
        values, before = in_memory(v[self._k]), in_memory(self._v1[self._k])
        if self._free:
            return self._decision(x1, self._v1, values.where(changed, before))
        return self._decision(x1, self._v1, before.scatter(1, self._named, values.gather(1, self._named)))

    def _decision(self, x: Tensor, v: Mapping[int, Tensor], condition: Tensor) -> Tensor:
        seen: list[Tensor] = []

        def activation(layer: int, values: Tensor, apply: Apply) -> Tensor:
            seen.append(values)
            return apply(values)

        given = {**v, self._k: as_layer(condition, self._network.layers[self._k - 1].shape)}
        logits = self._network.run(x, given=given, last_layer=self._layer, on_activation=activation)
        return in_memory(seen[-1] if seen else logits).gather(1, self._decided)


def in_memory(values: Tensor) -> Tensor:
    """A layer as ``(batch, s_k)``, its neurons as they lie in memory where channels are last, so that none is moved."""
    return (values.permute(0, 2, 3, 1) if values.ndim == 4 else values).flatten(1)


def as_layer(values: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The inverse of `in_memory` for a layer of this shape, ``(batch, *shape)``."""
    if len(shape) != 3:
        return values.view(-1, *shape)
    channels, height, width = shape
    return values.view(-1, height, width, channels).permute(0, 3, 1, 2)
