"""What may have to be done to inputs before a network takes them, as operations on tensors and as Python.

A batch x has the shape of the data, ``(batch, *shape)``. Of each family at most one step is taken, in their order.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import Tensor

from dnncov_core.data import Data
from dnncov_core.types import Bounds, Shape

FAMILIES = ("layout", "values", "channels", "shape")
"""In the order in which their steps are taken."""
UNIT, GREY_LEVELS, SYMMETRIC = (0.0, 1.0), (0.0, 255.0), (-1.0, 1.0)
Operation = tuple[Any, ...]
"""A sign of `SIGNS` and its number, or nested lists of numbers; or a method of tensors and its arguments."""
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "from": lambda x, number: number - x,
}
TO_UNIT: dict[Bounds, tuple[Operation, ...]] = {UNIT: (), GREY_LEVELS: (("/", 255),), SYMMETRIC: (("+", 1), ("/", 2))}
"""Usual ranges -> what brings their values into [0, 1]."""
FROM_UNIT: dict[Bounds, tuple[Operation, ...]] = {UNIT: (), GREY_LEVELS: (("*", 255),), SYMMETRIC: (("*", 2), ("-", 1))}
"""Usual ranges, the likeliest first -> what makes values in [0, 1] those of the range."""
PAIRS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "ImageNet's": ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    "ImageNet's means and 0.225": ((0.485, 0.456, 0.406), (0.225, 0.225, 0.225)),
    "ImageNet's means of grey levels, as in Caffe": ((0.4850, 0.4580, 0.4076), (1 / 255, 1 / 255, 1 / 255)),
    "CIFAR-10's": ((0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)),
    "CIFAR-10's, deviations within images": ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)),
    "CIFAR-100's": ((0.5071, 0.4865, 0.4409), (0.2673, 0.2564, 0.2762)),
    "MNIST's": ((0.1307,), (0.3081,)),
    "Fashion-MNIST's": ((0.2860,), (0.3530,)),
}
"""Usual means and deviations of inputs in [0, 1], one for each channel."""
AXES: dict[tuple[int, ...], str] = {(0, 1, 2): "", (2, 0, 1): "channels first", (1, 2, 0): "channels last"}


@dataclass(frozen=True)
class Step:
    """One change of a batch.

    Attributes:
        family: one of `FAMILIES`.
        cause: what is wrong without it, as a sentence without its full stop.
        operations: what is done, in this order.
    """

    family: str
    cause: str
    operations: tuple[Operation, ...] = field(hash=False)

    def act(self, x: Tensor) -> Tensor:
        """The new x."""
        for name, *args in self.operations:
            if name in SIGNS:
                x = SIGNS[name](x, x.new_tensor(args[0]) if isinstance(args[0], list) else args[0])
            else:
                x = getattr(x, name)(*args)
        return x

    @property
    def code(self) -> str:
        """The new x as a Python expression of x.

        >>> Step("values", "", (("+", 1), ("/", 2), ("flip", 1))).code
        '((x + 1) / 2).flip(1)'
        """
        code, before = "x", ""
        for name, *args in self.operations:
            number = f"x.new_tensor({args[0]})" if isinstance(args[0], list) else f"{args[0]:g}"
            if before in SIGNS and (name not in SIGNS or (name in ("*", "/") and before in ("+", "-", "from"))):
                code = f"({code})"
            if name == "from":
                code = f"{number} - {code}"
            else:
                code += f" {name} {number}" if name in SIGNS else f".{name}({', '.join(map(str, args))})"
            before = name
        return code


def usual_range(data: Data) -> Bounds | None:
    """The usual range that images lie in: [0, 1], [-1, 1] or [0, 255]; None for others."""
    if data.images.dtype == np.uint8:
        return UNIT
    low, high = float(data.images.min()), float(data.images.max())
    return next((each for each in (UNIT, SYMMETRIC, GREY_LEVELS) if each[0] <= low and high <= each[1]), None)


def channel_axis(shape: Shape) -> int | None:
    """The axis of a batch that has one or three channels; None where there is none.

    >>> channel_axis((3, 32, 32)), channel_axis((32, 32, 3)), channel_axis((784,))
    (1, 3, None)
    """
    if len(shape) != 3:
        return None
    return 1 if shape[0] in (1, 3) else 3 if shape[2] in (1, 3) else None


def is_vector(shape: Shape) -> bool:
    """Whether inputs of a shape are a row of numbers."""
    return sum(size > 1 for size in shape) == 1


def layout(shape: Shape) -> str:
    """What the axes of inputs are, as far as their sizes tell; else empty.

    >>> layout((3, 32, 32)), layout((1, 5)), layout((4, 4))
    ('channels, height, width', 'a vector', '')
    """
    images = {1: "channels, height, width", 3: "height, width, channels"}
    return "a vector" if is_vector(shape) else images.get(channel_axis(shape) or 0, "")


def steps(shape: Shape, found: Bounds | None) -> tuple[Step, ...]:
    """What may be tried with inputs of this shape in this range, cheapest first; those of ``shape`` aside."""
    axis = channel_axis(shape)
    channels = shape[axis - 1] if axis else 1
    return (*_values(found, axis, channels), *_channels(axis, channels), *_layouts(shape, axis, channels))


def _values(found: Bounds | None, axis: int | None, channels: int) -> Iterator[Step]:
    if found is not None:
        yield from _ranges(found)
    for name, pair in PAIRS.items():
        mean, deviation = (_constants(numbers, axis) for numbers in pair)
        by = f"by means and deviations that are {name}"
        if len(pair[0]) != channels:
            continue
        if found is not None:
            cause = f"the network expects normalised inputs, {by}"
            yield Step("values", cause, (*TO_UNIT[found], ("-", mean), ("/", deviation)))
        if found in (None, UNIT):
            yield Step("values", f"inputs are normalised twice, {by}", (("*", deviation), ("+", mean)))


def _ranges(found: Bounds) -> Iterator[Step]:
    """Other usual ranges than the one found, and light and dark exchanged."""
    for (low, high), scaled in FROM_UNIT.items():
        if (low, high) != found:
            cause = f"the network expects values in [{low:g}, {high:g}]; the data have [{found[0]:g}, {found[1]:g}]"
            also = "; this is also the mean 0.5 and the deviation 0.5" if low < 0 else ""
            yield Step("values", cause + also, TO_UNIT[found] + scaled)
    yield Step("values", "the network expects light and dark exchanged", (("from", sum(found)),))


def _constants(values: Sequence[float], axis: int | None) -> Any:
    """A number, or one for each channel in lists that broadcast to a batch."""
    numbers = np.round(values, 6)
    if len(numbers) == 1:
        return float(numbers[0])
    return (numbers[:, None, None] if axis == 1 else numbers).tolist()


def _channels(axis: int | None, channels: int) -> Iterator[Step]:
    if axis is not None and channels > 1:
        yield Step("channels", "channels are blue, green, red", (("flip", axis),))
        cause = "the network expects grey images, repeated in each channel"
        sizes = [channels if place == axis else -1 for place in range(4)]
        yield Step("channels", cause, (("mean", axis, True), ("expand", *sizes)))


def _layouts(shape: Shape, axis: int | None, channels: int) -> Iterator[Step]:
    height = 2 if axis == 1 else 1
    is_image = axis is not None or len(shape) == 2
    if is_image and shape[height - 1] == shape[height]:
        yield Step("layout", "height and width are swapped", (("transpose", height, height + 1),))
    if axis is None or channels == 1:
        return
    words = {1: ("channels first", "channels last"), 3: ("channels last", "channels first")}
    here, other = words[axis]
    back, there = ((0, 3, 1, 2), (0, 2, 3, 1)) if axis == 1 else ((0, 2, 3, 1), (0, 3, 1, 2))
    inner = tuple(shape[place - 1] for place in there[1:])
    cause = f"the data were reshaped, not permuted: their values lie {other} in memory"
    yield Step("layout", cause, (("reshape", -1, *inner), ("permute", *back)))
    cause = f"the network reads its values as {other}, though its shape has {here}"
    yield Step("layout", cause, (("permute", *there), ("reshape", -1, *shape)))


def fits(shape: Shape, wanted: Shape) -> list[Step]:
    """How inputs of a shape may become those that a network takes; empty where no usual way does."""
    if math.prod(shape) == math.prod(wanted):
        return _permuted(shape, wanted)
    axis, to = channel_axis(shape), channel_axis(wanted)
    colours = shape[axis - 1] if axis else 1
    if colours == 3 and axis and math.prod(shape) == 3 * math.prod(wanted):
        cause = f"the network takes grey images of shape {wanted}, the data have colours, {shape}"
        return [Step("shape", cause, (("mean", axis), ("reshape", -1, *wanted)))]
    if to and wanted[to - 1] == 3 and 3 * math.prod(shape) == math.prod(wanted):
        grey = tuple(1 if place == to - 1 else size for place, size in enumerate(wanted))
        sizes = tuple(3 if place == to else -1 for place in range(4))
        cause = f"the network takes images with colours of shape {wanted}, the data have grey ones, {shape}"
        return [Step("shape", cause, (("reshape", -1, *grey), ("expand", *sizes)))]
    return []


def _permuted(shape: Shape, wanted: Shape) -> list[Step]:
    """Axes in another order, and the values then in the network's shape."""
    image = len(shape) == 3 and 1 not in shape
    orders = [order for order in AXES if image or order == (0, 1, 2)]
    exact = [order for order in orders if image and tuple(shape[axis] for axis in order) == wanted]
    return [_reshaped(shape, wanted, order) for order in exact or orders]


def _reshaped(shape: Shape, wanted: Shape, order: tuple[int, ...]) -> Step:
    cause, reshaped = f"the network takes inputs of shape {wanted}, the data have {shape}", ("reshape", -1, *wanted)
    if not AXES[order]:
        return Step("shape", cause, (reshaped,))
    permuted = ("permute", 0, *(axis + 1 for axis in order))
    ends_there = tuple(shape[axis] for axis in order) == wanted
    return Step("shape", f"{cause}; values are read {AXES[order]}", (permuted,) if ends_there else (permuted, reshaped))
