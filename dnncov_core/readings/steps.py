"""What may have to be done to inputs before a network takes them: each as a function, and as Python that says the same.

A batch x has the shape of the data, ``(batch, *shape)``. Of each family at most one step is taken, in their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from torch import Tensor

from dnncov_core.data import Data
from dnncov_core.types import Bounds, Shape

FAMILIES = ("layout", "values", "channels", "shape")
"""In the order in which their steps are taken."""
UNIT, GREY_LEVELS, SYMMETRIC = (0.0, 1.0), (0.0, 255.0), (-1.0, 1.0)
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
        code: the new x as a Python expression of x.
        act: what ``code`` gives.
    """

    family: str
    cause: str
    code: str
    act: Callable[[Tensor], Tensor] = field(compare=False, repr=False)


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


def steps(shape: Shape, found: Bounds | None) -> tuple[Step, ...]:
    """What may be tried with inputs of this shape in this range, cheapest first; those of ``shape`` aside."""
    axis = channel_axis(shape)
    channels = shape[axis - 1] if axis else 1
    return (*_values(found, axis, channels), *_channels(axis, channels), *_layouts(shape, axis, channels))


def _values(found: Bounds | None, axis: int | None, channels: int) -> Iterator[Step]:
    if found is not None:
        yield from _ranges(found)
    for name, (mean, deviation) in PAIRS.items():
        if len(mean) == channels:
            pair = _constants(mean, axis), _constants(deviation, axis)
            if found is not None:
                yield _normalised(name, found, *pair)
            if found in (None, UNIT):
                yield _undone(name, *pair)


def _ranges(found: Bounds) -> Iterator[Step]:
    """Other usual ranges than the one found, and light and dark exchanged."""
    code, to_unit = _to_unit(found)
    for low, high in (UNIT, GREY_LEVELS, SYMMETRIC):
        if (low, high) != found:
            cause = f"the network expects values in [{low:g}, {high:g}]; the data have [{found[0]:g}, {found[1]:g}]"
            also = "; this is also the mean 0.5 and the deviation 0.5" if low < 0 else ""
            scaled = code if (low, high) == UNIT else f"({code}) * {high - low:g}" if code != "x" else f"x * {high:g}"
            scaled = scaled if low == 0 else f"({code}) * 2 - 1"
            yield Step("values", cause + also, scaled, _then(to_unit, _onto(low, high)))
    total = found[0] + found[1]
    cause = "the network expects light and dark exchanged"
    yield Step("values", cause, f"{total:g} - x", lambda x: total - x)


def _onto(low: float, high: float) -> Callable[[Tensor], Tensor]:
    return lambda x: low + (high - low) * x


Constants = tuple[str, Callable[[Tensor], Tensor]]


def _constants(values: Sequence[float], axis: int | None) -> Constants:
    """One number for each channel, as code and as a tensor that broadcasts to a batch."""
    numbers = tuple(round(value, 6) for value in values)
    if len(numbers) == 1:
        return f"{numbers[0]:g}", lambda x: x.new_tensor(numbers[0])
    sizes = (-1, 1, 1) if axis == 1 else (-1,)
    code = f"x.new_tensor({list(numbers)}).view{sizes}" if axis == 1 else f"x.new_tensor({list(numbers)})"
    return code, lambda x: x.new_tensor(numbers).view(sizes)


def _normalised(name: str, found: Bounds, mean: Constants, deviation: Constants) -> Step:
    code, to_unit = _to_unit(found)
    cause = f"the network expects normalised inputs, by means and deviations that are {name}"
    text = f"({code} - {mean[0]}) / {deviation[0]}"
    return Step("values", cause, text, _then(to_unit, lambda x: (x - mean[1](x)) / deviation[1](x)))


def _undone(name: str, mean: Constants, deviation: Constants) -> Step:
    cause = f"inputs are normalised twice, by means and deviations that are {name}"
    return Step("values", cause, f"x * {deviation[0]} + {mean[0]}", lambda x: x * deviation[1](x) + mean[1](x))


def _to_unit(found: Bounds) -> tuple[str, Callable[[Tensor], Tensor]]:
    if found == UNIT:
        return "x", lambda x: x
    return ("x / 255", lambda x: x / 255) if found == GREY_LEVELS else ("(x + 1) / 2", lambda x: (x + 1) / 2)


def _then(first: Callable[[Tensor], Tensor], second: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda x: second(first(x))


def _channels(axis: int | None, channels: int) -> Iterator[Step]:
    if axis is None or channels == 1:
        return
    yield Step("channels", "channels are blue, green, red", f"x.flip({axis})", lambda x: x.flip(axis))
    code = f"x.mean({axis}, keepdim=True).expand_as(x)"
    cause = "the network expects grey images, repeated in each channel"
    yield Step("channels", cause, code, lambda x: x.mean(axis, keepdim=True).expand_as(x))


def _layouts(shape: Shape, axis: int | None, channels: int) -> Iterator[Step]:
    height = 2 if axis == 1 else 1
    is_image = axis is not None or len(shape) == 2
    if is_image and shape[height - 1] == shape[height]:
        code = f"x.transpose({height}, {height + 1})"
        yield Step("layout", "height and width are swapped", code, lambda x: x.transpose(height, height + 1))
    if axis is None or channels == 1:
        return
    words = {1: ("channels first", "channels last"), 3: ("channels last", "channels first")}
    here, other = words[axis]
    back, there = ((0, 3, 1, 2), (0, 2, 3, 1)) if axis == 1 else ((0, 2, 3, 1), (0, 3, 1, 2))
    inner = tuple(shape[place - 1] for place in there[1:])
    cause = f"the data were reshaped, not permuted: their values lie {other} in memory"
    code = f"x.reshape(-1, {', '.join(map(str, inner))}).permute{back}"
    yield Step("layout", cause, code, lambda x: x.reshape(-1, *inner).permute(back))
    cause = f"the network reads its values as {other}, though its shape has {here}"
    code = f"x.permute{there}.reshape(-1, {', '.join(map(str, shape))})"
    yield Step("layout", cause, code, lambda x: x.permute(there).reshape(-1, *shape))


def fits(shape: Shape, wanted: Shape) -> list[Step]:
    """How inputs of a shape may become those that a network takes; empty where no usual way does."""
    if math.prod(shape) == math.prod(wanted):
        return _permuted(shape, wanted)
    axis, to = channel_axis(shape), channel_axis(wanted)
    colours = shape[axis - 1] if axis else 1
    if colours == 3 and axis and math.prod(shape) == 3 * math.prod(wanted):
        code = f"x.mean({axis}).reshape(-1, {', '.join(map(str, wanted))})"
        cause = f"the network takes grey images of shape {wanted}, the data have colours, {shape}"
        return [Step("shape", cause, code, lambda x: x.mean(axis).reshape(-1, *wanted))]
    if to and wanted[to - 1] == 3 and 3 * math.prod(shape) == math.prod(wanted):
        grey = tuple(1 if place == to - 1 else size for place, size in enumerate(wanted))
        sizes = [3 if place == to else -1 for place in range(4)]
        code = f"x.reshape(-1, {', '.join(map(str, grey))}).expand({', '.join(map(str, sizes))})"
        cause = f"the network takes images with colours of shape {wanted}, the data have grey ones, {shape}"
        return [Step("shape", cause, code, lambda x: x.reshape(-1, *grey).expand(sizes))]
    return []


def _permuted(shape: Shape, wanted: Shape) -> list[Step]:
    """Axes in another order, and the values then in the network's shape."""
    image = len(shape) == 3 and 1 not in shape
    orders = [order for order in AXES if image or order == (0, 1, 2)]
    exact = [order for order in orders if image and tuple(shape[axis] for axis in order) == wanted]
    return [_reshaped(shape, wanted, order) for order in exact or orders]


def _reshaped(shape: Shape, wanted: Shape, order: tuple[int, ...]) -> Step:
    permuted = order != (0, 1, 2)
    places = (0, *(axis + 1 for axis in order))
    ends_there = permuted and tuple(shape[axis] for axis in order) == wanted
    code = f"x.permute{places}" if permuted else "x"
    code += "" if ends_there else f".reshape(-1, {', '.join(map(str, wanted))})"
    cause = f"the network takes inputs of shape {wanted}, the data have {shape}"
    cause += f"; values are read {AXES[order]}" if permuted else ""

    def act(x: Tensor) -> Tensor:
        return (x.permute(places) if permuted else x).reshape(-1, *wanted)

    return Step("shape", cause, code, act)
