"""u and v of a layer for a batch of inputs.

They are tensors, but for the Playground's, which are NumPy's arrays, since it need not wait for PyTorch. Both are taken
here, in `relations` and `effect`, and where covering methods and the value functions that the Playground offers are
called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dnncov_core.types import Shape

if TYPE_CHECKING:
    from torch import Tensor

NEAR_ZERO = 1e-5
"""|u| is near zero under this; in a layer that has |u| above 1, under this share of the largest."""


@dataclass(frozen=True)
class LayerValues:
    """u and v of one layer, each ``(batch, s_k)``, and the layer's own shape, such as ``(channels, height, width)``."""

    u: Tensor
    v: Tensor
    shape: Shape


Activations = dict[int, LayerValues]
"""Values by the paper's layer number."""


def library_of(values: Tensor) -> Any:
    """PyTorch, or NumPy for its arrays: what both call by one name works with either."""
    if isinstance(values, np.ndarray):
        return np
    import torch

    return torch


def near_zero(u: Tensor) -> Tensor:
    """Which values u of a layer are near zero: in another batch, or on another machine, their signs may be others."""
    size = abs(u)
    return size < NEAR_ZERO * size.max().clip(min=1)
