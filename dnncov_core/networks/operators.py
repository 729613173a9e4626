"""The ATen operators that a canonical network may contain, by what they mean for coverage."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torch import fx

ACTIVATIONS = {
    "relu": "relu",
    "relu6": "relu6",
    "leaky_relu": "leaky_relu",
    "sigmoid": "sigmoid",
    "tanh": "tanh",
    "elu": "elu",
    "gelu": "gelu",
    "silu": "silu",
}
"""Operator name to kind; clamp and hardtanh are decided by their limits in `activation_kind`."""

MAX_POOLS = {"max_pool2d"}

MOVES = {
    # the same values in another place, shape or precision
    *("_to_copy", "_unsafe_view", "alias", "cat", "clone", "contiguous", "dropout", "expand", "flatten", "flip"),
    *("permute", "reshape", "select", "slice", "split", "split_with_sizes", "chunk", "squeeze", "stack", "t", "to"),
    *("transpose", "unbind", "unflatten", "unsqueeze", "view", "detach", "detach_", "lift_fresh_copy"),
}

AFFINE = MOVES | {
    # each output is an affine function of the inputs
    *("_adaptive_avg_pool2d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"),
    *("avg_pool1d", "avg_pool2d", "avg_pool3d", "mean", "sum"),
    *("_native_batch_norm_legit_no_training", "add", "sub", "rsub", "neg"),
    *("batch_norm", "constant_pad_nd", "pad"),
}

AFFINE_IN_ONE = {
    # affine as long as at most one argument depends on the input
    *("addmm", "bmm", "conv1d", "conv2d", "conv3d", "convolution", "div", "linear", "matmul", "mm", "mul"),
}

BOOKKEEPING = {"sym_size", "_assert_scalar", "_assert_tensor_metadata", "sym_constrain_range_for_size"}
ASSERTIONS = {"_assert_tensor_metadata"}
"""These check the device and precision of the machine that exported the network, which may be moved to others."""
CASTS = {"_to_copy", "to"}
VIEWS = {"view", "_unsafe_view"}
"""These work only on tensors that lie in memory as on the machine that exported them; here they reshape instead."""
DETACHED = {"detach", "detach_"}
"""These stop gradients in training; here gradients pass through them."""


def name_of(node: fx.Node) -> str:
    """An operator's name without library and overload: ``relu`` of ``aten.relu.default``."""
    packet = getattr(node.target, "overloadpacket", None)
    plain = getattr(node.target, "__name__", str(node.target))
    return plain if packet is None else str(packet).removeprefix("aten.")


def activation_kind(node: fx.Node) -> str | None:
    """The kind of activation that a node is; None if it is none."""
    name = name_of(node)
    if name in ("clamp", "clamp_min", "hardtanh"):
        return _limits_kind(name, node)
    return ACTIVATIONS.get(name)


def _limits_kind(name: str, node: fx.Node) -> str | None:
    limits: dict[str, Any] = {"min": -1.0, "max": 1.0} if name == "hardtanh" else {"min": None, "max": None}
    limits.update(zip(limits, node.args[1:3], strict=False))
    limits.update({limit: node.kwargs[limit] for limit in limits if limit in node.kwargs})
    low, high = limits["min"], limits["max"]
    if low == 0 and (high is None or high == math.inf):
        return "relu"
    return "relu6" if low == 0 and high == 6 else None


def refusal(node: fx.Node, depends: set[fx.Node]) -> str | None:
    """Why a node that is no activation and no max pooling is not supported; None if it is."""
    if node.op != "call_function":
        return f"a node of kind {node.op}"
    name = name_of(node)
    is_aten = "aten" in str(node.target)
    if name == "flip" and {0, -node.meta["val"].ndim} & set(node.args[1]):  # type: ignore[arg-type]
        return "flip of the batch"
    if not is_aten or name in AFFINE | BOOKKEEPING:
        return None if is_aten or _is_arithmetic_on_sizes(node, depends) else name
    if name in AFFINE_IN_ONE:
        moving = [argument for argument in _node_arguments(node) if argument in depends]
        denominator = name == "div" and node.args[1] in moving
        return f"{name} of two values that both depend on the input" if len(moving) > 1 or denominator else None
    return name


def remedy(reason: str) -> str:
    """What to do about an operator that is not supported, by the reason that `refusal` gives.

    >>> remedy("softmax")
    'return the logits, without the softmax; one amid the network is not supported'
    """
    if "softmax" in reason:
        return "return the logits, without the softmax; one amid the network is not supported"
    return "replace it, or ask for it to be supported"


def _node_arguments(node: fx.Node) -> list[fx.Node]:
    """Arguments that are nodes, one as often as it is given: ``mul(x, x)`` has two."""
    found: list[fx.Node] = []
    fx.map_arg((node.args, node.kwargs), lambda argument: found.append(argument) or argument)  # type: ignore[func-returns-value]
    return found


def _is_arithmetic_on_sizes(node: fx.Node, depends: set[fx.Node]) -> bool:
    """getitem on an operator with several results, and the integer arithmetic of dynamic batch sizes."""
    return getattr(node.target, "__name__", "") == "getitem" or not any(a in depends for a in node.all_input_nodes)


def max_pool_geometry(node: fx.Node) -> tuple[list[int], list[int], list[int], list[int], bool]:
    """Kernel, stride, padding, dilation, ceil mode of a max_pool2d node, each of two numbers."""
    given: list[Any] = list(node.args[1:])
    for i, name in enumerate(("kernel_size", "stride", "padding", "dilation", "ceil_mode")):
        if len(given) <= i:
            given.append(node.kwargs.get(name, [[], [], 0, 1, False][i]))
    kernel, stride, padding, dilation = (_two(value) for value in given[:4])
    return kernel, stride or kernel, padding, dilation, bool(given[4])


def _two(value: int | Sequence[int]) -> list[int]:
    numbers = [value] if isinstance(value, int) else list(value)
    return numbers * 2 if len(numbers) == 1 else numbers
