"""Which axis of a layer holds its channels: the first behind a convolution, the last behind a linear layer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from torch import Tensor, fx

from dnncov_core.networks.operators import name_of

PLANES = {"batch_norm", "_native_batch_norm_legit_no_training", "group_norm", "instance_norm"}
"""Operators with the channels on the first axis after the batch, as convolutions have them."""
ROWS = {"addmm", "linear", "matmul", "mm"}
"""Operators with the channels on the last axis."""
SHAPES = {"_unsafe_view", "flatten", "reshape", "squeeze", "unflatten", "unsqueeze", "view"}
MIXED = {"einsum", "unbind"}
"""Operators behind which no axis is known."""


def channels_last(node: fx.Node, depends: Collection[fx.Node]) -> bool:
    """Whether what a node gives is known to have its channels on its last axis, and others before it.

    Args:
        node: a node of the graph.
        depends: the nodes whose values depend on the input.
    """
    behind: list[fx.Node] = []
    while not (name_of(node) in PLANES | ROWS or "conv" in name_of(node)):
        before = next((argument for argument in node.all_input_nodes if argument in depends), None)
        if before is None:
            return False
        behind.append(node)
        node = before
    value = node.meta["val"]
    axis: int | None = value.ndim - 1 if name_of(node) in ROWS else 1
    for after in reversed(behind):
        axis, value = _moved(after, value, axis), after.meta["val"]
    return axis is not None and axis == value.ndim - 1 > 1


def _moved(node: fx.Node, before: Any, axis: int | None) -> int | None:
    """Where an operator leaves an axis of its argument; None where that is not known."""
    name, after = name_of(node), node.meta["val"]
    if axis is None or name in MIXED:
        return None
    if not (isinstance(before, Tensor) and isinstance(after, Tensor)):
        return axis  # several values, or one of them
    if name == "permute":
        return [int(d) % before.ndim for d in node.args[1]].index(axis)  # type: ignore[union-attr, arg-type]
    if name == "transpose":
        swapped = [int(d) % before.ndim for d in node.args[1:3]]  # type: ignore[arg-type]
        return swapped[1 - swapped.index(axis)] if axis in swapped else axis
    if name in SHAPES:
        return _reshaped(before, after, axis)
    return axis if before.ndim == after.ndim else None


def _reshaped(before: Tensor, after: Tensor, axis: int) -> int | None:
    """Where the first or the last axis is after a reshape that leaves its size."""
    if axis == before.ndim - 1 and before.shape[-1] == after.shape[-1]:
        return after.ndim - 1
    return 1 if axis == 1 and after.ndim > 2 and before.shape[1] == after.shape[1] else None
