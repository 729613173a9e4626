"""What each operator of a canonical network means for coverage.

Three facts decide what may be done with an operator. Is it an activation layer, pointwise and non-linear with a sign of
u that means something (`activation_of`)? Is it affine in what depends on the input (`is_affine`), which linear
programming, proofs and top weights need? Is it safe (`refusal`)? An operator that is safe, and neither an activation
nor affine nor a pooling, is passed through: it is evaluated, and gradients go through it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

SWITCH = (0.0,)
SMOOTH = None

ACTIVATIONS: dict[str, tuple[float, ...] | None] = {
    "relu": SWITCH,
    "relu6": (0.0, 6.0),
    "leaky_relu": SWITCH,
    "rrelu": SWITCH,
    "prelu": SWITCH,
    "sign": SWITCH,
    "hardsigmoid": (-3.0, 0.0, 3.0),
    "sigmoid": SMOOTH,
    "log_sigmoid": SMOOTH,
    "tanh": SMOOTH,
    "elu": SMOOTH,
    "selu": SMOOTH,
    "celu": SMOOTH,
    "gelu": SMOOTH,
    "silu": SMOOTH,
    "mish": SMOOTH,
    "hardswish": SMOOTH,
    "softplus": SMOOTH,
    "softsign": SMOOTH,
}
"""Operator name, which is the kind of layer too, to the values of u at which the function's linear pieces meet, 0 among
them; `SMOOTH` for a function that is not piecewise linear. clamp and hardtanh are decided by their limits."""


@dataclass(frozen=True)
class Activation:
    """What an activation layer computes: its kind, and where its linear pieces meet; None without such pieces."""

    kind: str
    breaks: tuple[float, ...] | None


MAX_POOLS = {"max_pool2d"}

MOVES = {
    # the same values in another place, shape or precision
    *("_to_copy", "_unsafe_view", "alias", "cat", "clone", "contiguous", "dropout", "expand", "flatten", "flip"),
    *("permute", "reshape", "select", "slice", "split", "split_with_sizes", "chunk", "squeeze", "stack", "t", "to"),
    *("transpose", "unbind", "unflatten", "unsqueeze", "view", "detach", "detach_", "lift_fresh_copy"),
    *("channel_shuffle", "movedim", "pixel_shuffle", "pixel_unshuffle", "repeat", "roll"),
}

AFFINE = MOVES | {
    # each output is an affine function of the inputs
    *("_adaptive_avg_pool2d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"),
    *("avg_pool1d", "avg_pool2d", "avg_pool3d", "mean", "sum", "cumsum"),
    *("_native_batch_norm_legit_no_training", "add", "sub", "rsub", "neg"),
    *("batch_norm", "constant_pad_nd", "pad", "reflection_pad1d", "reflection_pad2d", "replication_pad2d"),
    *("index", "index_select", "repeat_interleave", "im2col", "unfold", "tril", "triu"),
    *("upsample_nearest1d", "upsample_nearest2d", "upsample_linear1d", "upsample_bilinear2d", "upsample_bicubic2d"),
}

ALONG = {"cumsum", "flip", "index", "index_select", "repeat_interleave", "roll", "tril", "triu", "unfold"}
"""Those that may go along the batch and leave its size as it is."""

AFFINE_IN_ONE = {
    # affine as long as at most one argument depends on the input
    *("addmm", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "convolution", "div", "einsum", "linear", "matmul"),
    *("mm", "mul", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
}

HEADS = {"softmax", "log_softmax", "sigmoid"}
"""At the end of a network these make probabilities of logits, and leave the label as it is."""
BOOKKEEPING = {"sym_size", "_assert_scalar", "_assert_tensor_metadata", "sym_constrain_range_for_size"}
ASSERTIONS = {"_assert_tensor_metadata"}
"""These check the device and precision of the machine that exported the network, which may be moved to others."""
OF_SHAPE = {"zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full"}
"""These take the shape of their argument, and none of its values."""
CONSTANT = BOOKKEEPING | OF_SHAPE
"""Operators whose values do not depend on those of their arguments."""
UNFILLED = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
"""These give whatever lies in memory."""
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


def activation_of(node: fx.Node) -> Activation | None:
    """What a node computes as an activation layer; None if it is none."""
    name = name_of(node)
    if name in ("clamp", "clamp_min", "clamp_max", "hardtanh"):
        return _limited(name, node)
    if name == "threshold" and node.args[1:3] == (0, 0):
        return Activation("relu", SWITCH)
    return Activation(name, ACTIVATIONS[name]) if name in ACTIVATIONS else None


def _limited(name: str, node: fx.Node) -> Activation | None:
    names = ("min_val", "max_val") if name == "hardtanh" else ("min", "max")
    low, high = (_argument(node, limit) for limit in names)
    if high in (0, 0.0) and low in (None, -math.inf):
        return Activation("clamp", SWITCH)
    if low == 0 and (high is None or high == math.inf):
        return Activation("relu", SWITCH)
    if low == 0 and high == 6:
        return Activation("relu6", ACTIVATIONS["relu6"])
    if not all(isinstance(limit, int | float) and math.isfinite(limit) for limit in (low, high)):
        return None  # one limit other than 0 keeps a value from growing too large or small: no switch
    return Activation("hardtanh" if -low == high == 1 else "clamp", tuple(sorted({float(low), 0.0, float(high)})))


@dataclass(frozen=True)
class Refusal:
    """Why an operator may not be evaluated, as what it is; and what to do about it."""

    what: str
    remedy: str = "replace it"


def refusal(node: fx.Node) -> Refusal | None:
    """Why a node may not be evaluated; None if it may."""
    if node.op != "call_function":
        return Refusal(f"a node of kind {node.op}")
    name, overload = name_of(node), node.target
    if not isinstance(overload, torch._ops.OpOverload):
        is_arithmetic = overload.__module__ in ("_operator", "math", "torch", "torch.fx.experimental.sym_node")
        return None if is_arithmetic else Refusal(name)
    if overload._schema.is_mutable:
        return Refusal(f"{name}, which overwrites a value")
    if name in UNFILLED or (torch.Tag.nondeterministic_seeded in overload.tags and not _is_certain(node)):
        return Refusal(f"{name}, whose answers are random", "leave it out of forward in eval mode")
    if name in ("batch_norm", "_native_batch_norm_legit") and _argument(node, "training"):
        remedy = "give the module running statistics, so that an answer does not depend on the other inputs"
        return Refusal(f"{name} that takes mean and deviation from the batch", remedy)
    return None


def _is_certain(node: fx.Node) -> bool:
    """Whether an operator that may draw at random is told not to: ``train=False``, or a chance of 0."""
    chances = [_argument(node, name) for name in ("train", "training", "p", "dropout_p", "dropout")]
    return any(chance in (0, False) for chance in chances if chance is not None)


def _argument(node: fx.Node, name: str) -> Any:
    """The value of an operator's argument by its name, its default if it is not given; None if there is none."""
    for i, argument in enumerate(node.target._schema.arguments):  # type: ignore[union-attr]
        if argument.name == name:
            return node.args[i] if i < len(node.args) else node.kwargs.get(name, argument.default_value)
    return None


def is_affine(node: fx.Node, depends: Collection[fx.Node]) -> bool:
    """Whether a node's value is an affine function of those of its arguments that depend on the input."""
    name = name_of(node)
    if name in AFFINE_IN_ONE:
        moving = [argument for argument in nodes_in((node.args, node.kwargs)) if argument in depends]
        by_moving = name == "div" and (node.args[1] in moving or node.kwargs.get("rounding_mode") is not None)
        return len(moving) < 2 and not by_moving
    if name in ("index", "index_select"):
        return not any(argument in depends for argument in node.all_input_nodes[1:])
    return name in AFFINE | BOOKKEEPING or not isinstance(node.target, torch._ops.OpOverload)


def nodes_in(arguments: Any) -> list[fx.Node]:
    """Nodes that arguments name, one as often as it is named: ``mul(x, x)`` has two."""
    found: list[fx.Node] = []
    fx.map_arg(arguments, lambda argument: found.append(argument) or argument)  # type: ignore[func-returns-value]
    return found


def max_pool_geometry(node: fx.Node) -> tuple[list[int], list[int], list[int], list[int], bool]:
    """Kernel, stride, padding, dilation, ceil mode of a max_pool2d node, each of two numbers."""
    names = ("kernel_size", "stride", "padding", "dilation")
    kernel, stride, padding, dilation = (_two(_argument(node, name)) for name in names)
    return kernel, stride or kernel, padding, dilation, bool(_argument(node, "ceil_mode"))


def _two(value: int | Sequence[int]) -> list[int]:
    numbers = [value] if isinstance(value, int) else list(value)
    return numbers * 2 if len(numbers) == 1 else numbers
