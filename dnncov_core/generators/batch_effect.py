"""What the decision of each slot would be without its condition's change, and with that change alone, with gradients.

The definition is that of `dnncov_core.effect`; here layers stay as they lie in memory.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

import torch
from torch import Tensor

from dnncov_core.features import FeaturePair
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network


class BatchEffect:
    """The decisions of a batch of slots, with the values of their seeds.

    Args:
        network: the network, on the device and in the precision of the search.
        pair: the feature pair of a slot; all have the same two layers, and named or free features alike.
        named: places of the condition feature's neurons, ``(batch, n)``, in the order of `in_memory`.
        decided: places of the decision feature's neurons.
        v1: values at x1 of the layers that feed the decision layer.
    """

    def __init__(
        self, network: Network, pair: FeaturePair, *, named: Tensor, decided: Tensor, v1: Mapping[int, Tensor]
    ) -> None:
        self._network, self._k, self._layer = network, pair.condition.layer, pair.decision.layer
        self._free = pair.condition.most is not None
        self._named, self._decided = named, decided
        self.v1 = {layer: v.detach() for layer, v in v1.items()}

    def some(self, rows: Tensor) -> BatchEffect:
        """Those of some slots, given by their numbers."""
        other = copy.copy(self)
        other._named, other._decided = self._named[rows], self._decided[rows]
        other.v1 = {layer: v[rows] for layer, v in self.v1.items()}
        return other

    def decision(self, x: Tensor, v: Mapping[int, Tensor], condition: Mapping[int, Tensor], changed: Tensor) -> Tensor:
        """u of the decision neurons, ``(batch, n)``, with v of the condition feature from elsewhere.

        Args:
            x: the inputs, ``(batch, *input_shape)``.
            v: values there of the layers that feed the decision layer.
            condition: where v of the condition feature is from.
            changed: the neurons of layer k that changed their sign, ``(batch, s_k)``.
        """
        k, seen = self._k, list[Tensor]()

        def activation(layer: int, values: Tensor, apply: Apply) -> Tensor:
            seen.append(values)
            return apply(values)

        chosen = changed if self._free else torch.zeros_like(changed).scatter(1, self._named, True)
        mixed = condition[k].where(as_layer(chosen, self._network.layers[k - 1].shape), v[k])
        logits = self._network.run(x, given={**v, k: mixed}, last_layer=self._layer, on_activation=activation)
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
