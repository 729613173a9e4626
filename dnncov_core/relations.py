"""Sign changes of features between two batches of inputs (Definition 2); value functions judge value changes.

Everything here is pure and works on batches: layer values are ``(batch, s_k)`` tensors on any device, or NumPy arrays,
results are ``(batch,)`` of bool, entry b comparing input b of ``before`` (x1) with input b of ``after`` (x2). A batch
of one is compared with each input of the other batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.layer_values import LayerValues


def sign(values: LayerValues) -> Tensor:
    """True where the sign is +1, that is where u >= 0 (-0.0 included); ``(batch, s_k)``."""
    return values.u >= 0


def changes(before: LayerValues, after: LayerValues) -> Tensor:
    """True where a neuron's sign differs between x1 and x2; ``(batch, s_k)``."""
    return sign(before) ^ sign(after)


def sign_changed(before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
    """sc: every neuron of the feature changes its sign (Definition 2)."""
    return changes(before, after)[:, list(neurons)].all(1)


def sign_kept(before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
    """nsc: every neuron of the feature keeps its sign (Definition 2)."""
    return ~changes(before, after)[:, list(neurons)].any(1)


def layer_kept(before: LayerValues, after: LayerValues) -> Tensor:
    """nsc(P_k): every neuron of the layer keeps its sign."""
    return ~changes(before, after).any(1)


def changed_alone(before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
    """sc(feature) and nsc(P_k without the feature): the feature changes its sign and nothing else in the layer does."""
    change = changes(before, after)
    return change[:, list(neurons)].all(1) & (change.sum(1) == len(neurons))


def few_changed(before: LayerValues, after: LayerValues, most: int) -> Tensor:
    """Between 1 and ``most`` neurons of the layer change their sign: a free feature changes, and nothing else does."""
    n = changes(before, after).sum(1)
    return (n >= 1) & (n <= most)
