"""Inputs as pictures: the original, the generated, and their difference, made visible by a stated factor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dnncov_core.records import NetworkCard
from dnncov_core.types import Bounds, FloatArray, Shape

Picture = NDArray[np.uint8]
"""``(height, width, 3)``."""

LEAST_WIDTH = 160
"""Smaller pictures are enlarged by whole factors, without smoothing, to about this many pixels."""

_INCREASE, _DECREASE = np.array([213.0, 94.0, 0.0]), np.array([0.0, 114.0, 178.0])
_NO_CHANGE = np.array([236.0, 236.0, 236.0])


def is_picture(card: NetworkCard) -> bool:
    """Whether inputs are images: (channels, height, width); or (height, width), where they are nothing else."""
    return len(card.input_shape) == 3 or (len(card.input_shape) == 2 and not (is_series(card) or card.embedded))


def is_series(card: NetworkCard) -> bool:
    """Whether inputs are (channels, time): the network names its channels, their units, or bounds for each."""
    named = bool(card.features or card.units or card.ranges)
    return len(card.input_shape) == 2 and named and not card.embedded


def has_channels_last(shape: Shape) -> bool:
    """Whether inputs are (height, width, channels), as TensorFlow has them: one or three channels at the end alone.

    >>> has_channels_last((32, 32, 3)), has_channels_last((3, 32, 32)), has_channels_last((1, 28, 1))
    (True, False, False)
    """
    return len(shape) == 3 and shape[-1] in (1, 3) and shape[0] not in (1, 3)


def picture_size(shape: Shape) -> tuple[int, int]:
    """Height and width of an input's picture, before it is enlarged.

    >>> picture_size((3, 224, 200)), picture_size((2, 9, 11)), picture_size((8, 16, 1))
    ((224, 200), (9, 22), (8, 16))
    """
    shape = (shape[2], *shape[:2]) if has_channels_last(shape) else shape
    planes = shape[0] if len(shape) == 3 and shape[0] != 3 else 1
    return shape[-2], shape[-1] * planes


def picture(x: FloatArray, bounds: Bounds = (0.0, 1.0), *, width: int = LEAST_WIDTH) -> Picture:
    """An input as an RGB picture about ``width`` pixels wide; ``bounds`` are black and white.

    Three channels are red, green and blue; one is grey; any other number of channels stands side by side in grey.
    """
    low, high = bounds
    x = _channels_first(x)
    return _enlarged(255 * _rgb((x.astype(np.float64) - low) / (high - low)), width)


def difference(
    x1: FloatArray, x2: FloatArray, bounds: Bounds = (0.0, 1.0), *, width: int = LEAST_WIDTH
) -> tuple[Picture, float]:
    """x2 - x1 as a picture about ``width`` pixels wide, and the factor by which it is amplified.

    In grey images an increase is vermillion, a decrease blue, no change light grey; in colour images each channel is
    brighter than middle grey where it increases, and darker where it decreases.
    """
    change = _channels_first(x2.astype(np.float64) - x1.astype(np.float64)) / (bounds[1] - bounds[0])
    factor = amplification(float(np.abs(change).max()))
    scaled = np.clip(change * factor, -1.0, 1.0)
    if scaled.ndim == 3 and len(scaled) == 3:
        return _enlarged(255 * _rgb(0.5 + 0.5 * scaled), width), factor
    strength = _planes(scaled)[..., None]
    coloured = _NO_CHANGE + np.abs(strength) * (np.where(strength > 0, _INCREASE, _DECREASE) - _NO_CHANGE)
    return _enlarged(coloured, width), factor


def amplification(largest: float) -> float:
    """The largest of 1, 2, 5, 10, 20, ... that keeps a change of ``largest`` within 1.

    >>> amplification(0.03), amplification(1.0), amplification(0.0)
    (20.0, 1.0, 1.0)
    """
    if not 0 < largest < 1:
        return 1.0
    limit = 1 / largest
    power = 10.0 ** math.floor(math.log10(limit))
    return max(1.0, max(step * power for step in (1, 2, 5) if step * power <= limit * (1 + 1e-9)))


def _channels_first(x: FloatArray) -> FloatArray:
    return np.moveaxis(x, -1, 0) if has_channels_last(x.shape) else x


def _planes(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x if x.ndim == 2 else np.concatenate(list(x), axis=1)


def _rgb(x: NDArray[np.float64]) -> NDArray[np.float64]:
    if x.ndim == 3 and len(x) == 3:
        return np.moveaxis(x, 0, -1)
    return np.repeat(_planes(x)[..., None], 3, axis=-1)


def _enlarged(values: NDArray[Any], width: int) -> Picture:
    pixels = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    times = max(1, round(width / pixels.shape[1]))
    enlarged: Picture = pixels.repeat(times, axis=0).repeat(times, axis=1)
    return enlarged
