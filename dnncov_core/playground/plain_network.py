"""The paper's example network in NumPy: pages that show it need not wait for PyTorch, which takes seconds to load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from dnncov_core.layer_values import Activations, LayerValues
from dnncov_core.networks.zoo import TOY_WEIGHTS
from dnncov_core.playground.setting import Point
from dnncov_core.types import FloatArray

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class PlainNetwork:
    """Linear layers with ReLU between them, in float64, for two inputs and a few neurons (Equations 1 and 2).

    Sums are taken in the order of the neurons, so that an input has the same values in every batch.

    Attributes:
        weights: of layers 2..K, ``(neurons before, neurons)`` each.
        biases: of these layers, ``(neurons,)`` each.
    """

    weights: tuple[FloatArray, ...]
    biases: tuple[FloatArray, ...]

    @property
    def depth(self) -> int:
        """K, the number of the output layer."""
        return len(self.weights) + 1

    def values(self, points: Sequence[Point], last: int | None = None) -> Activations:
        """u and v of layers 2..last, all if left out, for each point."""
        v, found = np.array(points, dtype=np.float64), {}
        for layer in range(2, (last or self.depth) + 1):
            found[layer] = self.layer(layer, v)
            v = np.asarray(found[layer].v)
        return found

    def layer(self, number: int, v: FloatArray) -> LayerValues:
        """u and v of a layer from v of the layer before, ``(batch, neurons before)``; v of the logits is u."""
        weight, u = self.weights[number - 2], self.biases[number - 2]
        for place, row in enumerate(weight):
            u = u + v[:, place, None] * row
        after = u if number == self.depth else np.maximum(u, 0.0)
        return LayerValues(cast("Tensor", u), cast("Tensor", after), (weight.shape[1],))


EXAMPLE = PlainNetwork(
    weights=tuple(np.array(weight, dtype=np.float64) for weight in TOY_WEIGHTS),
    biases=tuple(np.zeros(len(weight[0])) for weight in TOY_WEIGHTS),
)
"""The paper's example network, as `zoo.toy` has it."""
