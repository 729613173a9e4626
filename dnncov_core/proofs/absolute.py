"""Each linear operator's absolute twin: weights, offsets and factors replaced by their absolute values.

What a segment of a network does to values x is A x + c; its twin, applied to magnitudes m >= |x|, gives at least
|A| m + |c|, which bounds every partial sum, and with the `counting` of roundings the error of evaluating the segment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, fx

from dnncov_core.networks import operators
from dnncov_core.proofs.rounding import TINY

Compute = Callable[..., Any]
Arguments = tuple[Any, ...]

PRODUCTS = {"addmm", "bmm", "conv1d", "conv2d", "conv3d", "convolution", "linear", "matmul", "mm"}
POOLINGS = {
    *("_adaptive_avg_pool2d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"),
    *("avg_pool1d", "avg_pool2d", "avg_pool3d"),
}
TOTALS = {"mean", "sum"}
NORMALISATIONS = {"_native_batch_norm_legit_no_training", "batch_norm"}
ELEMENTWISE = {"add", "sub", "rsub", "neg", "mul", "div"}
PADS = {"constant_pad_nd", "pad"}
MOVES = operators.AFFINE - POOLINGS - TOTALS - NORMALISATIONS - ELEMENTWISE - PADS
"""Operators that give the same values in another place or shape."""


def moves(node: fx.Node) -> bool:
    """Whether an operator only moves values, or computes no values of layers at all."""
    return operators.name_of(node) in MOVES | operators.BOOKKEEPING or "aten" not in str(node.target)


def twin(node: fx.Node, args: Arguments, kwargs: dict[str, Any], compute: Compute) -> Any:
    """What the operator's twin gives for values that are not negative."""
    if moves(node):
        return compute(*args, **kwargs)
    result = _twin(operators.name_of(node), args, kwargs, compute)
    if isinstance(result, Tensor):
        return result + TINY
    return (result[0] + TINY, *result[1:])


def _twin(name: str, args: Arguments, kwargs: dict[str, Any], compute: Compute) -> Any:
    if name in ELEMENTWISE:
        numbers = [_absolute(argument, numbers=True) for argument in args]
        alpha = abs(args[2] if name == "rsub" and len(args) > 2 else kwargs.get("alpha", 1))
        match name:
            case "neg":
                return numbers[0]
            case "add" | "sub":
                return numbers[0] + alpha * numbers[1]
            case "rsub":
                return alpha * numbers[0] + numbers[1]
    if name in NORMALISATIONS:
        x, weight, bias, mean, *rest = args
        return compute(x, _absolute(weight), _absolute(bias), -mean.abs(), *rest, **kwargs)
    known = {key: _absolute(value, numbers=name in ("mul", "addmm")) for key, value in kwargs.items()}
    return compute(*(_absolute(argument, numbers=name in PADS | {"mul", "div"}) for argument in args), **known)


def _absolute(value: Any, *, numbers: bool = False) -> Any:
    """Absolute value of weights and factors; what gradients are followed through is not negative by itself."""
    if isinstance(value, Tensor):
        return value if value.requires_grad else value.abs()
    return abs(value) if numbers and isinstance(value, int | float) else value
