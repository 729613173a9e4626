"""Suites drawn from one pool of inputs, which has gone through the network once: its values are kept in files.

Processes that measure such suites beside each other share the files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dnncov_core.data import Data
from dnncov_core.layer_values import Activations, LayerValues
from dnncov_core.networks.network import Network
from dnncov_core.suites.streams import Suite, Tell
from dnncov_core.types import IntArray


@dataclass(frozen=True, eq=False)
class Values:
    """u and v of all layers from 2 on for the inputs of a pool, read from files; each ``(inputs, s_k)``."""

    u: Mapping[int, NDArray[Any]]
    v: Mapping[int, NDArray[Any]]

    @classmethod
    def written(cls, pool: Suite, folder: Path, tell: Tell) -> None:
        """Sends the pool through the network, and writes its values into files of an empty folder.

        Raises:
            NumericsError: a NaN or an infinite u.
        """
        layers, dtype = pool.network.layers[1:], str(pool.network.dtype).removeprefix("torch.")
        files = {
            (layer.index, name): np.lib.format.open_memmap(
                folder / f"{name}{layer.index}.npy", "w+", dtype, (len(pool), layer.neurons)
            )
            for layer in layers
            for name in ("u", "v")
        }
        for part in pool.parts:
            x, values = pool.capture(part, [layer.index for layer in layers])
            pool.take_own_signs(x, values, np.arange(len(x)), lambda rows: None)
            for (layer, name), file in files.items():
                file[part] = getattr(values[layer], name).cpu().numpy()
            tell(part.stop - part.start)

    @classmethod
    def read(cls, network: Network, folder: Path) -> Values:
        """The values in files of a folder."""
        u, v = (
            {layer.index: np.load(folder / f"{name}{layer.index}.npy", mmap_mode="r") for layer in network.layers[1:]}
            for name in ("u", "v")
        )
        return cls(u, v)

    @staticmethod
    def size(network: Network, inputs: int) -> int:
        """Bytes of the files."""
        return 2 * inputs * sum(layer.neurons for layer in network.layers[1:]) * network.dtype.itemsize


@dataclass(frozen=True)
class RememberedSuite(Suite):
    """Some inputs of a pool, whose values are known.

    Attributes:
        values: of the pool.
        rows: of these inputs in the pool, ``(inputs,)``.
    """

    values: Values
    rows: IntArray

    def capture(self, part: slice, layers: Collection[int]) -> tuple[Tensor, Activations]:
        rows, device = self.rows[part], self.network.device
        found: Activations = {}
        for layer in layers:
            u, v = (torch.from_numpy(known[layer][rows]).to(device) for known in (self.values.u, self.values.v))
            found[layer] = LayerValues(u, v, self.network.layers[layer - 1].shape)
        return torch.from_numpy(self.data.pixels(part)), found

    def take_own_signs(self, x: Tensor, values: Activations, rows: IntArray, tell: Callable[[int], None]) -> None:
        tell(len(rows))  # the pool's are known


def some_of(data: Data, rows: IntArray) -> Data:
    """Some inputs of data, with their labels."""
    labels = None if data.labels is None else data.labels[rows]
    targets = None if data.targets is None else data.targets[rows]
    return replace(data, images=data.images[rows], labels=labels, targets=targets)
