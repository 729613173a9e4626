"""The affine parts of a network between its activation layers and max poolings, and their transposes.

The value that arrives at a place is c + sum of A_s v_s over the places s just before it. Places are variables of their
own, so that one evaluation of the network holds all parts; A_s^T m comes from a vector-Jacobian product.
"""

from __future__ import annotations

import torch
from torch import Tensor, fx

from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.proofs.intervals import Place

INPUT = 1
MOST_NUMBERS = 2**23
"""Values of all places held at once."""
MOST_ROWS = 512


class AffineParts:
    """The parts of one network, in float64 on the CPU."""

    def __init__(self, network: Network) -> None:
        network = network.to(device="cpu", dtype=torch.float64)
        self.rows = max(1, min(MOST_ROWS, MOST_NUMBERS // sum(layer.neurons for layer in network.layers)))
        self.activations: dict[int, Apply] = {}
        self.pools: dict[str, fx.Node] = {}
        self.shapes: dict[Place, torch.Size] = {}
        self._leaves: dict[Place, Tensor] = {}
        self._arriving: dict[Place, Tensor] = {}
        self._before: dict[Place, list[Place]] = {}
        with torch.enable_grad():
            x = self._leaf(INPUT, torch.zeros(self.rows, *network.input_shape, dtype=torch.float64))
            self._arriving[network.depth] = network.run(x, on_activation=self._activation, on_max_pool=self._max_pool)
        self.shapes[network.depth] = self._arriving[network.depth].shape[1:]
        self.places: list[Place] = [INPUT, *self._arriving]
        self.constants = {place: values[0].detach().flatten() for place, values in self._arriving.items()}
        self.widths = {place: leaf[0].numel() for place, leaf in self._leaves.items()}

    def sources(self, place: Place) -> list[Place]:
        """The places just before a place, in order of execution."""
        if place not in self._before:
            pulled = self._pull(place, torch.zeros(1, len(self.constants[place])).double(), self._earlier(place))
            self._before[place] = [source for source, found in pulled.items() if found is not None]
        return self._before[place]

    def pull(self, place: Place, coefficients: Tensor) -> dict[Place, Tensor]:
        """A_s^T m for each place s just before this one, ``(m, n_s)``, of at most `rows` m, ``(m, n)``."""
        pulled = self._pull(place, coefficients, self.sources(place))
        return {source: found for source, found in pulled.items() if found is not None}

    def matrix(self, place: Place) -> dict[Place, Tensor]:
        """A_s for each place s just before this one, ``(n, n_s)``."""
        chunks = torch.split(torch.eye(len(self.constants[place]), dtype=torch.float64), self.rows)
        parts = [self.pull(place, chunk) for chunk in chunks]
        return {source: torch.cat([part[source] for part in parts]) for source in self.sources(place)}

    def _pull(self, place: Place, coefficients: Tensor, sources: list[Place]) -> dict[Place, Tensor | None]:
        n, arriving = len(coefficients), self._arriving[place]
        given = torch.zeros_like(arriving)
        given.flatten(1)[:n] = coefficients
        leaves = [self._leaves[source] for source in sources]
        found = torch.autograd.grad(arriving, leaves, given, retain_graph=True, allow_unused=True)
        return {
            source: None if gradient is None else gradient.flatten(1)[:n]
            for source, gradient in zip(sources, found, strict=True)
        }

    def _earlier(self, place: Place) -> list[Place]:
        return self.places[: self.places.index(place)]

    def _leaf(self, place: Place, like: Tensor) -> Tensor:
        self._leaves[place] = torch.zeros_like(like).requires_grad_()
        return self._leaves[place]

    def _activation(self, layer: int, u: Tensor, apply: Apply) -> Tensor:
        self._arriving[layer], self.activations[layer], self.shapes[layer] = u, apply, u.shape[1:]
        return self._leaf(layer, u)

    def _max_pool(self, name: str, values: Tensor, node: fx.Node) -> Tensor:
        self._arriving[name], self.pools[name], self.shapes[name] = values, node, values.shape[1:]
        sizes = node.meta["val"].shape[1:]
        return self._leaf(name, values.new_zeros(len(values), *sizes))
