"""What a network's file does not say, from a TOML file beside it: ``model.onnx.toml`` beside ``model.onnx``.

Its fields are the arguments of `Network`, and ``mean`` and ``deviation`` of inputs in units that the module does not
take: it gets (x - mean) / deviation. Nothing of the file is run as code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from dnncov_core.outside_text import toml_value
from dnncov_core.types import FloatArray

SUFFIX = ".toml"
"""Follows the whole name of the network's file."""
SCALING = ("mean", "deviation")
TOLD = (
    *("resize", "bicubic", "features", "units", "embedded", "output", "decision", "threshold"),
    *("tolerance", "quantities", "quantity_units", *SCALING),
)
"""What a network's file, or the one beside it, may say besides bounds and classes."""
MOST_BYTES = 2**24


def companion(path: Path) -> dict[str, Any]:
    """What the file beside a network's file says, for `Network` to check; empty where there is none.

    Raises:
        NetworkError: it cannot be read, is no TOML, or has a field that it cannot have.
    """
    beside = path.with_name(path.name + SUFFIX)
    known = ("bounds", "classes", *TOLD, *(["input_shape"] if path.suffix == ".onnx" else []))
    try:
        with beside.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES:,} bytes")
        fields: dict[str, Any] = toml_value(content.decode("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        got = f"{beside.name}: {getattr(error, 'strerror', None) or error}"
        raise NetworkError("a readable TOML file beside the network's", got, "correct or remove it") from error
    if unknown := sorted(fields.keys() - set(known)):
        got = f"{', '.join(unknown)} in {beside.name}"
        raise NetworkError(f"some of the fields {', '.join(known)}", got, "correct their names")
    return fields


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
