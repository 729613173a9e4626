"""Convolution, pooling, padding and resizing of ONNX, which writes paddings otherwise than PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

Numbers = Sequence[int]
CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
AVERAGES: dict[int, Any] = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
MAXIMA = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
PAD_MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}
INTERPOLATIONS = {
    ("nearest", "asymmetric", "floor"): "nearest",
    ("nearest", "half_pixel", "round_prefer_floor"): "nearest-exact",
    ("linear", "half_pixel"): "linear",
    ("linear", "pytorch_half_pixel"): "linear",
    ("linear", "align_corners"): "linear",
    ("cubic", "half_pixel"): "cubic",
    ("cubic", "pytorch_half_pixel"): "cubic",
    ("cubic", "align_corners"): "cubic",
}
"""Mode, transformation of coordinates, and rounding of nearest ones, where PyTorch has the same."""
MODES = {("linear", 1): "linear", ("linear", 2): "bilinear", ("linear", 3): "trilinear", ("cubic", 2): "bicubic"}


class _Window:
    """Stride, dilation and padding in each dimension, as attributes say them."""

    def __init__(
        self,
        x: Tensor,
        kernel: Numbers,
        *,
        auto_pad: str = "NOTSET",
        ceil_mode: int = 0,
        dilations: Numbers = (),
        kernel_shape: Numbers = (),
        pads: Numbers = (),
        strides: Numbers = (),
    ) -> None:
        n = len(kernel)
        self.kernel, self.ceil = list(kernel), bool(ceil_mode)
        self.strides, self.dilations = list(strides or [1] * n), list(dilations or [1] * n)
        self.pads = list(pads or [0] * 2 * n)
        if auto_pad.startswith("SAME"):
            spans = [(k - 1) * dilation + 1 for k, dilation in zip(kernel, self.dilations, strict=True)]
            sizes = zip(x.shape[2:], spans, self.strides, strict=True)
            totals = [max((-(-size // stride) - 1) * stride + span - size, 0) for size, span, stride in sizes]
            less, more = [total // 2 for total in totals], [total - total // 2 for total in totals]
            self.pads = more + less if auto_pad == "SAME_LOWER" else less + more

    def padded(self, x: Tensor, value: float = 0.0, *, most: Numbers | None = None) -> tuple[Tensor, list[int]]:
        """x and the padding that is left to the operator, which takes no more than ``most``, on both sides alike."""
        n = len(self.kernel)
        before, after = self.pads[:n], self.pads[n:]
        if before == after and (most is None or all(b <= m for b, m in zip(before, most, strict=True))):
            return x, before
        return _around(x, self.pads, value), [0] * n


def _around(x: Tensor, pads: Numbers, value: float = 0.0, mode: str = "constant") -> Tensor:
    """x with padding around its last dimensions; outer ones without any are left alone, as some modes need it."""
    n = len(pads) // 2
    pairs = [(pads[d], pads[n + d]) for d in reversed(range(n))]
    while pairs and pairs[-1] == (0, 0):
        pairs.pop()
    return F.pad(x, [number for pair in pairs for number in pair], mode, value if mode == "constant" else None)


def convolution(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, group: int = 1, **told: Any) -> Tensor:
    """``Conv``; padding that differs before and after becomes an operator of its own."""
    window = _Window(x, weight.shape[2:], **told)
    x, padding = window.padded(x)
    return CONVOLUTIONS[x.ndim - 2](x, weight, bias, window.strides, padding, window.dilations, group)


def transposed_convolution(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, *, group: int = 1, output_padding: Numbers = (), **told: Any
) -> Tensor:
    """``ConvTranspose`` with padding that is written out."""
    window, n = _Window(x, weight.shape[2:], **told), x.ndim - 2
    if told.get("auto_pad", "NOTSET") != "NOTSET":
        raise ValueError(f"auto_pad = {told['auto_pad']} is not supported")
    extra = list(output_padding or [0] * n)
    if window.pads[:n] == window.pads[n:]:
        return TRANSPOSED[n](x, weight, bias, window.strides, window.pads[:n], extra, group, window.dilations)
    whole = TRANSPOSED[n](x, weight, bias, window.strides, [0] * n, extra, group, window.dilations)
    return _around(whole, [-number for number in window.pads])


def max_pool(x: Tensor, *, kernel_shape: Numbers, **told: Any) -> Tensor:
    """``MaxPool``, its first output."""
    window = _Window(x, kernel_shape, **told)
    x, padding = window.padded(x, float("-inf"), most=[k // 2 for k in kernel_shape])
    return MAXIMA[x.ndim - 2](x, window.kernel, window.strides, padding, window.dilations, window.ceil)


def average_pool(x: Tensor, *, kernel_shape: Numbers, count_include_pad: int = 0, **told: Any) -> Tensor:
    """``AveragePool``, without dilations."""
    window, pool = _Window(x, kernel_shape, **told), AVERAGES[x.ndim - 2]
    if any(dilation != 1 for dilation in window.dilations):
        raise ValueError("dilations are not supported")
    y, padding = window.padded(x, most=[k // 2 for k in kernel_shape])
    mean: Tensor = pool(y, window.kernel, window.strides, padding, window.ceil, bool(count_include_pad))
    if y is x or count_include_pad:
        return mean
    ones = _around(torch.ones(1, 1, *x.shape[2:], dtype=x.dtype, device=x.device), window.pads)
    shares: Tensor = pool(ones, window.kernel, window.strides, 0, window.ceil)
    return mean / shares


def pad(
    x: Tensor, pads: Numbers, value: float | None = None, axes: Numbers | None = None, mode: str = "constant"
) -> Tensor:
    """``Pad`` of all dimensions, or of ``axes``."""
    n, every = len(pads) // 2, [0] * 2 * x.ndim
    for i, axis in enumerate(range(n) if axes is None else axes):
        every[axis % x.ndim], every[axis % x.ndim + x.ndim] = pads[i], pads[n + i]
    return _around(x, every, value or 0.0, PAD_MODES[mode])


def resize(
    x: Tensor,
    *,
    sizes: Numbers = (),
    scales: Sequence[float] = (),
    roi: Sequence[float] = (),
    mode: str = "nearest",
    coordinate_transformation_mode: str = "half_pixel",
    nearest_mode: str = "round_prefer_floor",
) -> Tensor:
    """``Resize`` where PyTorch has the same; the first two dimensions stay."""
    way = (mode, coordinate_transformation_mode, nearest_mode)[: 3 if mode == "nearest" else 2]
    if way not in INTERPOLATIONS:
        raise ValueError(f"{', '.join(way)} is not supported")
    n = x.ndim - 2
    wanted = list(sizes) or [int(size * scale) for size, scale in zip(x.shape[-n:], scales[-n:], strict=True)]
    aligned = None if mode == "nearest" else coordinate_transformation_mode == "align_corners"
    kind = INTERPOLATIONS[way]
    return F.interpolate(x, wanted[-n:], mode=MODES.get((kind, n), kind), align_corners=aligned)


def upsample(x: Tensor, scales: Sequence[float], mode: str = "nearest") -> Tensor:
    """``Upsample`` of older files."""
    return resize(x, scales=scales, mode=mode, coordinate_transformation_mode="asymmetric", nearest_mode="floor")
