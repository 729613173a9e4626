"""The network that a file holds once it is told what the file does not say; with a layer before it that scales."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks.companion import SCALING
from dnncov_core.networks.network import Network
from dnncov_core.types import FloatArray


def told_network(read: Callable[..., Network], told: Mapping[str, Any]) -> Network:
    """The network that ``read`` makes of its file when it is told these fields; with a layer before it that scales.

    Raises:
        NetworkError: a field does not fit the network.
    """
    fields = {name: value for name, value in told.items() if name not in SCALING}
    given = {name: told[name] for name in SCALING if told.get(name) is not None}
    if not given:
        return read(**fields)
    mean, deviation = (_numbers(name, given.get(name, usual)) for name, usual in zip(SCALING, (0.0, 1.0), strict=True))
    if not deviation.all():
        raise NetworkError("deviation, numbers other than 0", "0", "correct it")
    of_module = {name: fields.pop(name) for name in ("input_shape", "output") if name in fields}
    try:
        ends = [(_numbers("bounds", end) - mean) / deviation for end in fields.get("bounds", (0.0, 1.0))]
        inner = read(**of_module, bounds=(np.minimum(*ends).min(), np.maximum(*ends).max()))
        for numbers in (mean, deviation):
            np.broadcast_to(numbers, inner.input_shape)
    except (TypeError, ValueError) as error:
        expected = "bounds, mean and deviation, each a number, or as many as the inputs have"
        raise NetworkError(expected, str(error), "change their sizes") from error
    scaled = _Scaled(inner, mean, deviation)
    return Network(scaled, inner.input_shape, output=inner.output, **fields)


def _numbers(name: str, given: object) -> FloatArray:
    try:
        numbers: FloatArray = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if not np.isfinite(numbers).all():
        raise NetworkError(f"{name}, finite numbers", repr(given), "correct them")
    return numbers


class _Scaled(nn.Module):
    """A network of inputs in their own units."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, network: Network, mean: FloatArray, deviation: FloatArray) -> None:
        super().__init__()
        self.network = network.program.module()
        for name, numbers in zip(SCALING, (mean, deviation), strict=True):
            self.register_buffer(name, torch.from_numpy(numbers).to(network.dtype))

    def forward(self, x: Tensor) -> Any:
        return self.network(((x - self.mean) / self.deviation).contiguous())
