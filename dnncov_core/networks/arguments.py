"""What a network is told beside its module: shape, box and features of inputs, classes, resize. Imports no torch.

Whoever makes a network passes here: factories, the JSON inside ``.pt2`` files, and whoever calls `Network` in Python.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from numbers import Integral, Real
from typing import TypeGuard

import numpy as np

from dnncov_core.box import Box
from dnncov_core.errors import NetworkError
from dnncov_core.outside_values import shown
from dnncov_core.types import FloatArray, Ranges, Shape

UNIT = (0.0, 1.0)
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


def checked_box(
    shape: Shape, bounds: object, features: object = None, units: object = None, *, embedded: object = None
) -> Box:
    """Smallest and largest value of the inputs, and what their features are.

    Args:
        shape: of one input.
        bounds: two numbers, also as lists, arrays or tensors of one number; or low and high for each feature, as
            arrays that broadcast to ``shape``.
        features: their names, as many as the first axis has.
        units: their units, as many.
        embedded: True for inputs that are sequences of embedded tokens, which have two sizes.

    Raises:
        NetworkError: it is something else.

    >>> checked_box((2,), [[0], [255]]).bounds
    (0.0, 255.0)
    >>> checked_box((2,), ([0, -5], 60)).ranges
    ((0.0, 60.0), (-5.0, 60.0))
    """
    pair = _plain(bounds)
    ends = [_number(each) for each in pair] if isinstance(pair, list | tuple) and len(pair) == 2 else []
    n, whose = shape[0], f"inputs of shape {shape}"
    names, of = checked_texts("features", features, n, whose), checked_texts("units", units, n, whose)
    if len(set(names)) < len(names):
        raise NetworkError("features with a name each", shown(features), "change the features")
    if not isinstance(embedded, bool | None) or (embedded and len(shape) != 2):
        expected = "embedded=True for inputs of the shape (tokens, numbers), else False"
        raise NetworkError(expected, f"{shown(embedded)} for {shape}", "change it or leave it out")
    box = Box(shape, UNIT, None, names, of, embedded=bool(embedded))
    if len(ends) == 2 and None in ends:
        return _with_own_ranges(box, *(_broadcast(each, shape) for each in pair))  # type: ignore[attr-defined]
    if len(ends) == 2:
        low, high = (number for number in ends if number is not None)
        if math.isfinite(high - low) and low < high:
            return replace(box, bounds=(low, high))
    expected = "bounds (low, high), two finite numbers with low < high, or an array of each for the features"
    raise NetworkError(expected, shown(bounds), "change the bounds")


def _broadcast(given: object, shape: Shape) -> FloatArray:
    """One end of the bounds for every number of an input, ``shape``."""
    try:
        numbers = np.asarray(_plain(given))
        if numbers.dtype.kind not in "iuf":
            raise ValueError
        return np.broadcast_to(numbers.astype(np.float64), shape)
    except ValueError:
        sizes = (shape[0], *[1] * (len(shape) - 1))
        expected = f"bounds as numbers, or arrays of numbers that broadcast to {shape}, such as those of shape {sizes}"
        raise NetworkError(expected, shown(given), "change the bounds") from None


def _ranges(low: FloatArray, high: FloatArray) -> Ranges:
    """The ranges of features where all their numbers have the same, else those of each number."""
    ends = np.stack([low.reshape(len(low), -1), high.reshape(len(low), -1)], axis=2)
    each = ends[:, :1] if (ends == ends[:, :1]).all() else ends
    return tuple((first, last) for first, last in each.reshape(-1, 2).tolist())


def _with_own_ranges(box: Box, low: FloatArray, high: FloatArray) -> Box:
    """The box with ranges for its features, unless these are all from 0 to 1; refuses ranges that are none."""
    own = replace(box, bounds=(float(low.min()), float(high.max())), ranges=_ranges(low, high))
    with np.errstate(invalid="ignore", over="ignore"):
        wrong = np.flatnonzero(~(np.isfinite(high - low) & (low <= high)))
    if wrong.size:
        place = int(wrong[0])
        first, last = own.range_of(place)
        expected = f"bounds of finite numbers with low <= high for {own.name(place)}"
        raise NetworkError(expected, f"low {first:g} and high {last:g}", "change the bounds")
    if not (low < high).any():
        raise NetworkError("bounds with low < high for at least one feature", "none", "change the bounds")
    return box if (low == 0).all() and (high == 1).all() else own


def checked_texts(what: str, given: object, n: int, whose: str) -> tuple[str, ...]:
    """Names or units, one for each of n features or outputs; none if they are left out.

    Raises:
        NetworkError: there are not as many, or some are no texts.
    """
    if given is None:
        return ()
    texts = tuple(given) if isinstance(given, list | tuple) else ()
    if len(texts) != n or not all(isinstance(text, str) for text in texts):
        raise NetworkError(f"{what}, {n} texts for {whose}", shown(given), f"change the {what} or leave them out")
    return texts


def checked_classes(given: object, n_classes: int) -> tuple[str, ...]:
    """The names of the classes; their numbers where none are given.

    Raises:
        NetworkError: they are no names in an order, or not as many as there are classes.
    """
    names = _plain(range(n_classes) if given is None else given)
    is_ordered = isinstance(names, Iterable) and not isinstance(names, str | bytes | Mapping | Set)
    classes: tuple[object, ...] = tuple(names) if is_ordered else ()  # type: ignore[arg-type]
    if not is_ordered or not all(isinstance(name, str) or _is_whole(name) for name in classes):
        raise NetworkError("classes, a list of names", shown(given), "change the classes or leave them out")
    if len(classes) != n_classes:
        got = str(len(classes))
        raise NetworkError(f"{n_classes} class names, one for each label", got, "change the classes")
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
