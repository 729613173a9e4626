"""Where an operator of a graph stands in the module, and how many values it gives, for names and messages."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, fx

from dnncov_core.errors import NetworkError
from dnncov_core.networks import operators
from dnncov_core.types import Shape


def described(node: fx.Node, what: str | None = None) -> str:
    """An operator, or what is said of it, with the path of its module: ``softmax in the module encoder.attention``."""
    stack = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values() if path]
    name = operators.name_of(node) if what is None else what
    return f"{name} in the module {stack[-1]}" if stack else name


def place_of(node: fx.Node) -> str:
    """A readable name: the module's path, or the parent's path and the operator for a functional call."""
    stack = [entry for entry in (node.meta.get("nn_module_stack") or {}).values() if entry[0]]
    if not stack:
        return operators.name_of(node)
    path, kind = stack[-1]
    is_own_module = any(module in str(kind) for module in ("torch.nn.modules.activation", "onnx_trials.Operator"))
    return str(path) if is_own_module else f"{path}.{operators.name_of(node)}"


def check_extent(node: fx.Node, most: int) -> None:
    """Refuses an operator that gives more values for one input.

    Raises:
        NetworkError: with its name and the shape.
    """
    value = node.meta.get("val")
    for part in value if isinstance(value, list | tuple) else (value,):
        sizes = [size for size in part.shape if isinstance(size, int)] if isinstance(part, Tensor) else []
        if math.prod(sizes) > most:
            expected = f"operators of at most {most:,} values for one input"
            raise NetworkError(expected, f"{tuple(sizes)} at {place_of(node)}", "use smaller inputs or layers")


def size_of(node: fx.Node, batch: Any) -> tuple[int, Shape]:
    """How many values a node has for one input, and their shape, where the first dimension is the batch.

    Raises:
        NetworkError: it is another one, or the shape is not fixed.
    """
    shape = node.meta["val"].shape
    if not shape or shape[0] != batch or not all(isinstance(size, int) for size in shape[1:]):
        raise NetworkError(
            "layers of fixed shape whose first dimension is the batch",
            f"{tuple(shape)} at {place_of(node)}",
            "keep the batch dimension first",
        )
    sizes = tuple(int(size) for size in shape[1:])
    return int(torch.Size(sizes).numel()), sizes
