"""Which inputs of a suite a network has right, and a mutant of it, which is evaluated only from its fault on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dnncov_core.activations import capture
from dnncov_core.data import Data
from dnncov_core.errors import DataError
from dnncov_core.faults.fault import Fault, FaultyNetwork
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.types import BoolArray, IntArray

SAMPLE = 250
"""Inputs at most that go through at the same time; those that a strength is judged by before all others."""
KEPT_BYTES = 2**29
"""For values of layers and inputs that are kept between two mutants."""


@dataclass(frozen=True)
class Answers:
    """A network, and the suite that it answers.

    The inputs are taken in an order drawn once and for all, so that the first of them are a sample of all.

    Raises:
        DataError: the suite does not say what is right.
    """

    network: Network
    suite: Data

    def __post_init__(self) -> None:
        if self.suite.truth(targets=bool(self.network.quantities)) is None:
            what = "targets" if self.network.quantities else "labels"
            fix = f"give data with {what}, which say where the network is right"
            raise DataError(f"a suite with {what}", f"none in {self.suite.name}", fix)

    def __len__(self) -> int:
        return len(self.suite)

    @cached_property
    def parts(self) -> Sequence[IntArray]:
        """Row numbers of each batch; every input is in one, and however large they are, one ends with the sample."""
        order = np.random.default_rng(0).permutation(len(self))
        size = min(SAMPLE, next(batches(self.network, max(1, len(self)))).stop)
        blocks = [order[start : start + SAMPLE] for start in range(0, len(self), SAMPLE)]
        return [block[start : start + size] for block in blocks for start in range(0, len(block), size)]

    @cached_property
    def right(self) -> BoolArray:
        """Whether the network has each input right, ``(inputs,)``."""
        found = np.zeros(len(self), bool)
        for at, rows in enumerate(self.parts):
            found[rows] = self._agrees(self.network(self._inputs(at)), rows)
        return found

    def of(self, fault: Fault) -> Iterator[tuple[IntArray, BoolArray]]:
        """Row numbers of each batch, and whether the network with a fault has them right; NaN is wrong."""
        faulty = FaultyNetwork(self.network, fault)
        kept = self._kept_before(fault)
        for at, rows in enumerate(self.parts):
            given = {layer: self._values[layer][at] for layer in kept}
            with torch.no_grad():
                yield rows, self._agrees(faulty.run(self._inputs(at), given=given), rows)

    def _agrees(self, outputs: Tensor, rows: IntArray) -> BoolArray:
        truth = self.suite.truth(targets=bool(self.network.quantities))
        assert truth is not None
        finite = torch.isfinite(outputs).all(dim=1).cpu().numpy()
        found: BoolArray = self.network.decision.agrees(outputs, truth[rows]) & finite
        return found

    def _inputs(self, at: int) -> Tensor:
        """The inputs of a batch, in the network's precision; kept where they take little memory."""
        if self._pixels is not None:
            return self._pixels[at]
        return self._read(at)

    def _read(self, at: int) -> Tensor:
        x = torch.from_numpy(self.suite.pixels(self.parts[at]))
        return x.to(self.network.device, self.network.dtype)

    @cached_property
    def _pixels(self) -> Sequence[Tensor] | None:
        small = self._bytes_of(1) <= KEPT_BYTES / 2
        return [self._read(at) for at in range(len(self.parts))] if small else None

    @cached_property
    def _values(self) -> Mapping[int, Sequence[Tensor]]:
        """v of layers for each batch: those that fit, from the last layer on, since the first of them save least."""
        layers, left = [], KEPT_BYTES
        for layer in range(self.network.depth - 1, 1, -1):
            if (n_bytes := self._bytes_of(layer)) > left:
                break
            layers.append(layer)
            left -= n_bytes
        found: dict[int, list[Tensor]] = {layer: [] for layer in layers}
        for at in range(len(self.parts) if layers else 0):
            with torch.no_grad():
                values = capture(self.network, self._inputs(at), layers)
            for layer in layers:
                found[layer].append(values[layer].v)
        return found

    def _kept_before(self, fault: Fault) -> list[int]:
        """The layers that are kept and that a fault leaves as they are."""
        if fault.inputs is not None:
            return []
        graph = self.network.graph
        into = graph.directly_into({node: node.name for node in fault.weights})
        changed = {fault.layer} | {layer for layer, names in into.items() if names}
        return [k for k in self._values if k not in changed and not graph.ancestors[k] & changed]

    def _bytes_of(self, layer: int) -> int:
        return len(self) * self.network.layers[layer - 1].neurons * torch.finfo(self.network.dtype).bits // 8
