"""What a network is told beside its module: shape and bounds of its inputs, classes, resize. Imports no torch.

Whoever makes a network passes here: factories, the JSON inside ``.pt2`` files, and whoever calls `Network` in Python.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from numbers import Integral, Real
from typing import TypeGuard

from dnncov_core.errors import NetworkError
from dnncov_core.outside_values import shown
from dnncov_core.types import Bounds, Shape

MOST_PIXELS = 10_000
"""The largest short side that photos are resized to."""


def checked_shape(given: object) -> Shape:
    """The shape of one input, from a sequence of whole numbers of at least 1.

    Raises:
        NetworkError: it is something else.

    >>> checked_shape([1, 28, 28])
    (1, 28, 28)
    """
    if _is_whole(given):
        raise _wrong_shape(given, f"write ({given},)")
    shape = _plain(given)
    if not isinstance(shape, list | tuple) or not shape or not all(_is_whole(size) and size >= 1 for size in shape):
        raise _wrong_shape(given, "change the input shape")
    return tuple(map(int, shape))


def _wrong_shape(given: object, fix: str) -> NetworkError:
    expected = "input_shape, the sizes of one input as whole numbers of at least 1, such as (1, 28, 28)"
    return NetworkError(expected, shown(given), fix)


def checked_bounds(given: object) -> Bounds:
    """Smallest and largest value of an input, from two numbers, or from two lists, arrays or tensors of one number.

    Raises:
        NetworkError: it is something else, or bounds for each feature of the input.

    >>> checked_bounds([[0], [255]])
    (0.0, 255.0)
    """
    pair = _plain(given)
    numbers = [_number(each) for each in pair] if isinstance(pair, list | tuple) else []
    if len(numbers) == 2 and None not in numbers:
        low, high = (number for number in numbers if number is not None)
        if math.isfinite(high - low) and low < high:
            return low, high
    several = isinstance(pair, list | tuple) and any(isinstance(_plain(each), list | tuple) for each in pair)
    per_feature = "give one low and one high for all features: bounds for each feature are not supported yet"
    expected = "bounds (low, high), two finite numbers with low < high"
    raise NetworkError(expected, shown(given), per_feature if several else "change the bounds")


def checked_classes(given: object, n_logits: int) -> tuple[str, ...]:
    """The names of the classes, one for each logit; their numbers where none are given.

    Raises:
        NetworkError: they are no names in an order, or not as many as there are logits, or there are fewer than two.
    """
    if n_logits < 2:
        fix = "with one logit z return the logits of both classes: z * torch.tensor([0.0, 1.0])"
        raise NetworkError("at least two outputs, one for each class", str(n_logits), fix)
    names = _plain(range(n_logits) if given is None else given)
    is_ordered = isinstance(names, Iterable) and not isinstance(names, str | bytes | Mapping | Set)
    classes: tuple[object, ...] = tuple(names) if is_ordered else ()  # type: ignore[arg-type]
    if not is_ordered or not all(isinstance(name, str) or _is_whole(name) for name in classes):
        raise NetworkError("classes, a list of names", shown(given), "change the classes or leave them out")
    if len(classes) != n_logits:
        got = str(len(classes))
        raise NetworkError(f"{n_logits} class names, one for each logit", got, "change the classes")
    return tuple(map(str, classes))


def checked_resize(given: object, shape: Shape) -> int | None:
    """Pixels that the short side of a photo is resized to before ``shape`` is cut out; None for no photos.

    Raises:
        NetworkError: it is no whole number, or leaves no whole input of this shape.
    """
    if given is None:
        return None
    if not _is_whole(given) or len(shape) != 3 or not max(shape[1:]) <= given <= MOST_PIXELS:
        expected = (
            "resize of at least the height and the width of input_shape (channels, height, width),"
            f" and at most {MOST_PIXELS:,}"
        )
        raise NetworkError(expected, f"{shown(given)} with {shape}", "change resize or leave it out")
    return int(given)


def _plain(value: object) -> object:
    """An array's or a tensor's numbers as Python has them; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _number(value: object) -> float | None:
    """A number, also from a list, an array or a tensor of one; None for anything else."""
    plain = _plain(value)
    if isinstance(plain, list | tuple) and len(plain) == 1:
        plain = plain[0]
    if not isinstance(plain, Real) or isinstance(plain, bool):
        return None
    try:
        return float(plain)
    except OverflowError:  # an integer beyond the largest float
        return math.inf
