"""Operators of ONNX that make, cut and move values by shapes, indices and places; attributes have their ONNX names."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

Numbers = Sequence[int]
FAR = 2**31
"""Numbers from here on mean the end of a dimension; ONNX writes the largest of all, of which PyTorch warns."""


def constant(**given: Any) -> Tensor:
    """``Constant``, by whichever of its attributes is given."""
    (value,) = given.values()
    return value if isinstance(value, Tensor) else torch.tensor(value, device="cpu")


def constant_of_shape(shape: Numbers, value: Tensor | None = None) -> Tensor:
    """``ConstantOfShape``, zeros where no value is given."""
    return torch.zeros(shape) if value is None else torch.full(shape, value.item(), dtype=value.dtype)


def shape_of(x: Tensor, start: int = 0, end: int | None = None) -> Tensor:
    """``Shape``, or a part of it."""
    return torch.tensor(list(x.shape)[start:end], dtype=torch.int64, device="cpu")


def reshape(x: Tensor, shape: Numbers, allowzero: int = 0) -> Tensor:
    """``Reshape``; a size of 0 keeps that of x, unless ``allowzero`` says otherwise."""
    kept = [isinstance(size, int) and size == 0 and not allowzero for size in shape]
    return x.reshape([x.shape[d] if kept[d] else size for d, size in enumerate(shape)])


def flatten(x: Tensor, axis: int = 1) -> Tensor:
    """``Flatten`` to two dimensions."""
    axis %= max(x.ndim, axis + 1)
    return x.flatten(1) if axis == 1 and x.ndim > 1 else x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


def squeeze(x: Tensor, axes: Numbers | None = None) -> Tensor:
    """``Squeeze`` of these axes, or of each of size 1."""
    dims = [d for d, size in enumerate(x.shape) if isinstance(size, int) and size == 1] if axes is None else axes
    if any(x.shape[d] != 1 for d in dims):
        raise ValueError(f"sizes {[x.shape[d] for d in dims]} instead of 1")
    return x.squeeze(tuple(dims))


def unsqueeze(x: Tensor, axes: Numbers) -> Tensor:
    """``Unsqueeze``; axes are those of the result."""
    rank = x.ndim + len(axes)
    return functools.reduce(lambda y, axis: y.unsqueeze(axis), sorted(axis % rank for axis in axes), x)


def expand(x: Tensor, shape: Numbers) -> Tensor:
    """``Expand`` in both directions: where ``shape`` has a 1, or nothing, the size of x stays."""
    rank = max(x.ndim, len(shape))
    old, new = ([1] * (rank - len(sizes)) + list(sizes) for sizes in (x.shape, shape))
    return x.expand([a if isinstance(b, int) and b == 1 else b for a, b in zip(old, new, strict=True)])


def depth_to_space(x: Tensor, blocksize: int, mode: str = "DCR") -> Tensor:
    """``DepthToSpace``, in either order of channels."""
    if mode == "DCR":  # channels are in another order than PyTorch has them
        x = torch.unflatten(x, 1, (blocksize**2, -1)).transpose(1, 2).flatten(1, 2)
    return F.pixel_shuffle(x, blocksize)


def space_to_depth(x: Tensor, blocksize: int) -> Tensor:
    """``SpaceToDepth``; channels are in the other order here, too."""
    y = F.pixel_unshuffle(x, blocksize)
    return torch.unflatten(y, 1, (-1, blocksize**2)).transpose(1, 2).flatten(1, 2)


def gather(x: Tensor, indices: Any, axis: int = 0) -> Tensor:
    """``Gather`` by indices that are known, which may be negative."""
    wanted = np.asarray(indices, dtype=np.int64)
    wanted = np.where(wanted < 0, wanted + x.shape[axis], wanted) if (wanted < 0).any() else wanted
    if wanted.ndim == 0:
        return x.select(axis, int(wanted))
    found = x.index_select(axis, torch.tensor(wanted.ravel(), device=x.device))
    return found if wanted.ndim == 1 else torch.unflatten(found, axis, wanted.shape)


def scatter(x: Tensor, updates: Tensor, indices: Any) -> Tensor:
    """``ScatterND`` by indices that are known."""
    return x.index_put(torch.tensor(indices, device=x.device).unbind(-1), updates)


def sliced(
    x: Tensor, starts: Numbers, ends: Numbers, axes: Numbers | None = None, steps: Numbers | None = None
) -> Tensor:
    """``Slice``, also backwards."""
    axes, steps = axes or range(len(starts)), steps or [1] * len(starts)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        part = slice(start, None if isinstance(end, int) and end > FAR else end, step)
        if step > 0:
            x = x[(slice(None),) * (axis % x.ndim) + (part,)]
        else:
            x = gather(x, list(range(*part.indices(x.shape[axis]))), axis)
    return x


def split(x: Tensor, num_outputs: int, split: Numbers | None = None, axis: int = 0) -> Sequence[Tensor]:
    """``Split`` into these sizes, or into equal parts of which the last may be smaller."""
    return torch.split(x, list(split) if split else -(-x.shape[axis] // num_outputs), axis)
