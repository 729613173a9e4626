"""Structural similarity of feature maps as a value function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dnncov_core.criteria.value_function_base import Compared, ValueFunction
from dnncov_core.errors import SpecificationError
from dnncov_core.types import Shape

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.layer_values import LayerValues


@dataclass(frozen=True)
class SSIM(ValueFunction):
    """Structural similarity of whole feature maps is at most d (Wang et al. 2004, uniform window of up to 7 x 7).

    The mean of SSIM over all windows that lie within the map, averaged over the feature's maps; the dynamic range L
    is that of the map over both inputs, K1 = 0.01 and K2 = 0.03.
    """

    name: ClassVar[str] = "ssim"
    words: ClassVar[str] = "the structural similarity of the feature maps is at most d"
    of_whole_features: ClassVar[bool] = True
    d: float = 0.5

    def __call__(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        return self.similarity(before, after, neurons) <= self.d

    def compared(self, layer: int, before: LayerValues, after: LayerValues, neurons: tuple[int, ...]) -> Compared:
        return "structural similarity", float(self.similarity(before, after, neurons)[0]), "≤", self.d, "d"

    def similarity(self, before: LayerValues, after: LayerValues, neurons: Sequence[int]) -> Tensor:
        """The structural similarity itself, ``(batch,)``."""
        height, width = _map_size(before.shape, neurons)
        a, b = (values.u[:, list(neurons)] for values in (before, after))
        a, b = (u.reshape(len(u), -1, height, width) for u in (a, b))
        return _ssim(a, b, window=(min(7, height), min(7, width))).mean(dim=1)


def _map_size(shape: Shape, neurons: Sequence[int]) -> tuple[int, int]:
    if len(shape) == 3:
        _, height, width = shape
        area = height * width
        whole = [i for start in neurons[::area] if start % area == 0 for i in range(start, start + area)]
        if list(neurons) == whole:
            return height, width
        height, width, channels = shape
        if len(neurons) == height * width and list(neurons) == list(range(neurons[0], math.prod(shape), channels)):
            return height, width  # one map of a layer whose channels come last
    raise SpecificationError(
        "a feature of whole feature maps for ssim",
        f"{len(neurons)} neurons of a layer of shape {shape}",
        "choose another value function or feature",
    )


def _ssim(a: Tensor, b: Tensor, window: tuple[int, int]) -> Tensor:
    """Mean SSIM of each map, ``(batch, maps, height, width)`` to ``(batch, maps)``."""

    def mean(x: Tensor) -> Tensor:
        return x.unfold(-2, window[0], 1).unfold(-2, window[1], 1).mean(dim=(-1, -2))

    low, high = a.minimum(b).amin(dim=(-1, -2)), a.maximum(b).amax(dim=(-1, -2))
    scale = (high - low).where(high > low, high.new_ones(()))[..., None, None]
    c1, c2 = (0.01 * scale) ** 2, (0.03 * scale) ** 2
    centre = a.mean(dim=(-1, -2), keepdim=True)  # variances are differences of squares: kept small, they stay exact
    a, b = a - centre, b - centre
    var_a, var_b = mean(a * a) - mean(a) ** 2, mean(b * b) - mean(b) ** 2
    cov = mean(a * b) - mean(a) * mean(b)
    mean_a, mean_b = mean(a) + centre, mean(b) + centre
    ssim = (2 * mean_a * mean_b + c1) * (2 * cov + c2) / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))
    return ssim.mean(dim=(-1, -2))
