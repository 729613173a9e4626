"""The operators of ONNX as functions of PyTorch.

Attributes arrive by their ONNX names, and so do the inputs in `NUMBERS`. A function refuses a name that it does not
have, so that nothing of a file is passed over but what `ONLY` names.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from dnncov_core.networks import onnx_shapes as shapes
from dnncov_core.networks import onnx_windows as windows

Function = Callable[..., Any]
Numbers = Sequence[int]

TYPES = {
    1: torch.float32,
    2: torch.uint8,
    3: torch.int8,
    5: torch.int16,
    6: torch.int32,
    7: torch.int64,
    9: torch.bool,
    10: torch.float16,
    11: torch.float64,
}
"""Numbers of ONNX's element types."""
_OF_AXES = ("L1", "L2", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
NUMBERS = {
    "Clip": ("", "min", "max"),
    "ConstantOfShape": ("shape",),
    "Dropout": ("", "ratio", "training_mode"),
    "Gather": ("", "indices"),
    "Pad": ("", "pads", "value", "axes"),
    "Range": ("start", "limit", "delta"),
    "Resize": ("", "roi", "scales", "sizes"),
    "ScatterND": ("", "indices", ""),
    "Slice": ("", "starts", "ends", "axes", "steps"),
    "Split": ("", "split"),
    "Tile": ("", "repeats"),
    "Upsample": ("", "scales"),
    **dict.fromkeys(("Expand", "Reshape"), ("", "shape")),
    **dict.fromkeys(("Squeeze", "Unsqueeze", *(f"Reduce{name}" for name in _OF_AXES)), ("", "axes")),
}
"""Names of inputs that are numbers, known before the network runs; empty for one that is a tensor.

Most were attributes of these names in older files.
"""
ONLY = {
    "antialias": 0,
    "cubic_coeff_a": -0.75,
    "exclude_outside": 0,
    "extrapolation_value": 0.0,
    "keep_aspect_ratio_policy": "stretch",
    "noop_with_empty_axes": 0,
    "reduction": "none",
    "saturate": 1,
    "select_last_index": 0,
    "spatial": 1,
    "stash_type": 1,
    "storage_order": 0,
    "training_mode": 0,
}
"""Attributes that may have this value alone, with which they say nothing."""


def _gemm(a: Tensor, b: Tensor, c: Tensor | None = None, **told: Any) -> Tensor:
    alpha, beta, turn_a, turn_b = (
        told.get(*each) for each in (("alpha", 1), ("beta", 1), ("transA", 0), ("transB", 0))
    )
    a = a.t() if turn_a else a
    if alpha == beta == 1 and (c is None or c.ndim == 1):
        return F.linear(a, b if turn_b else b.t(), c)
    product: Tensor = alpha * (a @ (b.t() if turn_b else b))
    return product if c is None else product + beta * c


def _group_norm(x: Tensor, scale: Tensor, bias: Tensor, num_groups: int, epsilon: float = 1e-5) -> Tensor:
    """Older files have one scale for each group, newer ones one for each channel."""
    repeated = x.shape[1] // scale.numel()
    return F.group_norm(x, num_groups, scale.repeat_interleave(repeated), bias.repeat_interleave(repeated), epsilon)


def _hard_sigmoid(x: Tensor, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    is_of_pytorch = math.isclose(alpha, 1 / 6, rel_tol=1e-6) and beta == 0.5
    return F.hardsigmoid(x) if is_of_pytorch else (alpha * x + beta).clamp(0.0, 1.0)


def _layer_norm(x: Tensor, scale: Tensor, bias: Tensor | None = None, axis: int = -1, epsilon: float = 1e-5) -> Tensor:
    return F.layer_norm(x, x.shape[axis:], scale, bias, epsilon)


def _batch_norm(
    x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, var: Tensor, epsilon: float = 1e-5, momentum: float = 0.9
) -> Tensor:
    return F.batch_norm(x, mean, var, scale, bias, eps=epsilon)


def _prelu(x: Tensor, slope: Tensor) -> Tensor:
    sizes = (1,) * (x.ndim - slope.ndim) + tuple(slope.shape)
    if x.ndim > 1 and slope.numel() == sizes[1]:  # one slope, or one for each channel
        return F.prelu(x, slope.reshape(-1))
    return torch.where(x >= 0, x, slope * x)


def _reduced(function: Function) -> Function:
    def reduce(x: Tensor, axes: Numbers | None = None, keepdims: int = 1) -> Any:
        return function(x, list(axes or range(x.ndim)), bool(keepdims))

    return reduce


def _product(x: Tensor, dims: Numbers, keep: bool) -> Tensor:
    return functools.reduce(lambda y, d: y.prod(d, keepdim=keep), sorted((d % x.ndim for d in dims), reverse=True), x)


def _selu(x: Tensor, alpha: float = 1.67326319, gamma: float = 1.05070102) -> Tensor:
    is_of_pytorch = math.isclose(alpha, 1.67326319, rel_tol=1e-6) and math.isclose(gamma, 1.05070102, rel_tol=1e-6)
    return F.selu(x) if is_of_pytorch else gamma * F.elu(x, alpha)


def _of_rest(function: Function) -> Function:
    """Over all dimensions from ``axis`` on."""

    def flattened(x: Tensor, axis: int = 1) -> Any:
        axis %= x.ndim
        return (
            function(x.flatten(axis), axis).unflatten(axis, x.shape[axis:]) if axis < x.ndim - 1 else function(x, axis)
        )

    return flattened


def _all(function: Function) -> Function:
    return lambda *xs: functools.reduce(function, xs)


OPERATORS: dict[str, Function] = {
    # of the same name in PyTorch
    "Abs": torch.abs,
    "Ceil": torch.ceil,
    "Cos": torch.cos,
    "Equal": torch.eq,
    "Erf": torch.erf,
    "Exp": torch.exp,
    "Floor": torch.floor,
    "Greater": torch.gt,
    "GreaterOrEqual": torch.ge,
    "Less": torch.lt,
    "LessOrEqual": torch.le,
    "Log": torch.log,
    "MatMul": torch.matmul,
    "Neg": torch.neg,
    "Not": torch.logical_not,
    "Reciprocal": torch.reciprocal,
    "Round": torch.round,
    "Sin": torch.sin,
    "Sqrt": torch.sqrt,
    "Where": torch.where,
    # arithmetic
    "Add": operator.add,
    "Div": lambda x, y: torch.div(x, y, rounding_mode=None if x.is_floating_point() else "trunc"),
    "Einsum": lambda *xs, equation: torch.einsum(equation, *xs),
    "Gemm": _gemm,
    "Max": _all(torch.maximum),
    "Mean": lambda *xs: sum(xs) / len(xs),
    "Min": _all(torch.minimum),
    "Mod": lambda x, y, fmod=0: torch.fmod(x, y) if fmod else torch.remainder(x, y),
    "Mul": operator.mul,
    "Pow": operator.pow,
    "Sub": operator.sub,
    "Sum": _all(operator.add),
    # activations
    "Celu": lambda x, alpha=1.0: F.celu(x, alpha),
    "Clip": lambda x, min=None, max=None: x if min is None and max is None else x.clamp(min, max),
    "Elu": lambda x, alpha=1.0: F.elu(x, alpha),
    "Gelu": lambda x, approximate="none": F.gelu(x, approximate=approximate),
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": F.hardswish,
    "LeakyRelu": lambda x, alpha=0.01: F.leaky_relu(x, alpha),
    "LogSoftmax": lambda x, axis=-1: torch.log_softmax(x, axis),
    "Mish": F.mish,
    "PRelu": _prelu,
    "Relu": torch.relu,
    "Selu": _selu,
    "Sigmoid": torch.sigmoid,
    "Sign": torch.sign,
    "Softmax": lambda x, axis=-1: torch.softmax(x, axis),
    "Softplus": F.softplus,
    "Softsign": F.softsign,
    "Tanh": torch.tanh,
    # windows and norms
    "AveragePool": windows.average_pool,
    "BatchNormalization": _batch_norm,
    "Conv": windows.convolution,
    "ConvTranspose": windows.transposed_convolution,
    "GlobalAveragePool": lambda x: x.mean(list(range(2, x.ndim)), keepdim=True),
    "GlobalMaxPool": lambda x: windows.max_pool(x, kernel_shape=x.shape[2:]),
    "GroupNormalization": _group_norm,
    "InstanceNormalization": lambda x, w, b, epsilon=1e-5: F.instance_norm(x, None, None, w, b, eps=epsilon),
    "LRN": lambda x, size, alpha=1e-4, beta=0.75, bias=1.0: F.local_response_norm(x, size, alpha, beta, bias),
    "LayerNormalization": _layer_norm,
    "MaxPool": windows.max_pool,
    "Pad": windows.pad,
    "Resize": windows.resize,
    "Upsample": windows.upsample,
    # reductions
    "ArgMax": lambda x, axis=0, keepdims=1: x.argmax(axis, bool(keepdims)),
    "ArgMin": lambda x, axis=0, keepdims=1: x.argmin(axis, bool(keepdims)),
    "ReduceL1": _reduced(lambda x, dims, keep: x.abs().sum(dims, keep)),
    "ReduceL2": _reduced(lambda x, dims, keep: x.square().sum(dims, keep).sqrt()),
    "ReduceLogSumExp": _reduced(torch.logsumexp),
    "ReduceMax": _reduced(torch.amax),
    "ReduceMean": _reduced(torch.mean),
    "ReduceMin": _reduced(torch.amin),
    "ReduceProd": _reduced(_product),
    "ReduceSum": _reduced(torch.sum),
    "ReduceSumSquare": _reduced(lambda x, dims, keep: x.square().sum(dims, keep)),
    # shapes and places
    "Cast": lambda x, to: x.to(TYPES[to]),
    "CastLike": lambda x, like: x.to(like.dtype),
    "Concat": lambda *xs, axis: torch.cat(xs, axis),
    "Constant": shapes.constant,
    "ConstantOfShape": shapes.constant_of_shape,
    "DepthToSpace": shapes.depth_to_space,
    "Dropout": lambda x, ratio=0.5, seed=0: x,
    "Expand": shapes.expand,
    "Flatten": shapes.flatten,
    "Gather": shapes.gather,
    "Identity": lambda x: x,
    "Range": lambda start, limit, delta: torch.arange(start, limit, delta),
    "Reshape": shapes.reshape,
    "ScatterND": shapes.scatter,
    "Shape": shapes.shape_of,
    "Size": lambda x: torch.tensor(math.prod(x.shape), device="cpu"),
    "Slice": shapes.sliced,
    "SpaceToDepth": shapes.space_to_depth,
    "Split": shapes.split,
    "Squeeze": shapes.squeeze,
    "Tile": lambda x, repeats: x.repeat(repeats),
    "Transpose": lambda x, perm=None: x.permute(perm or list(range(x.ndim))[::-1]),
    "Unsqueeze": shapes.unsqueeze,
}
"""ONNX operator -> function of its inputs and attributes."""
BEFORE_13 = {"LogSoftmax": _of_rest(torch.log_softmax), "Softmax": _of_rest(torch.softmax)}
"""Operators that meant something else before version 13 of the operator set."""


def function_of(name: str, version: int) -> Function | None:
    """The function of an operator in a version of the operator set; None where it is not supported."""
    return (OPERATORS | BEFORE_13 if version < 13 else OPERATORS).get(name)
