"""A network with its activation pattern held fixed: every layer's u is an affine function of what feeds it.

Within a pattern, which includes the winners of each max pooling, the network is a set of affine maps, from the input x
and from the v of earlier layers to the u of a layer, and v is affine in u.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, fx

from dnncov_core.generators.pattern import Matrix, Pattern
from dnncov_core.generators.pooling import Pooling, needed, poolings_of
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.types import IntArray

INPUT = 1


@dataclass(frozen=True)
class AffineMap:
    """value = constant + sum over sources of matrix @ source; matrix is ``(n, s_source)``, constant ``(n,)``."""

    constant: Matrix
    matrices: Mapping[int, Matrix]


@dataclass(frozen=True)
class PoolRows:
    """value[winner] >= value[other] for each window of a max pooling, as indices into its input."""

    values: AffineMap
    winners: IntArray
    others: IntArray


@dataclass(frozen=True)
class AffineNetwork:
    """The affine maps of a fixed pattern: the u of each layer, and the rows that keep the pooling winners."""

    layers: Mapping[int, AffineMap]
    pools: tuple[PoolRows, ...]


class AffineExtractor:
    """Reads affine maps off a network by sending basis vectors through it, in float64 on the CPU.

    Without max pooling the maps are the same for every pattern and are read once.
    """

    def __init__(self, network: Network) -> None:
        self._network = network.to(device="cpu", dtype=torch.float64)
        self._widths = {layer.index: layer.neurons for layer in network.layers}
        self._shapes = {layer.index: layer.shape for layer in network.layers}
        self._without_poolings: AffineNetwork | None = None

    def maps(self, x1: Tensor, pattern: Pattern, last_layer: int) -> AffineNetwork:
        """Maps into every layer up to ``last_layer`` for the pattern of ``x1``, ``(1, *input_shape)``.

        Pooling rows are those that the pattern's layers and ``last_layer`` depend on.
        """
        if self._without_poolings is not None:
            return self._without_poolings
        poolings = poolings_of(self._network, x1, pattern, self._network.depth)
        if not poolings:
            self._without_poolings = self._read({}, self._network.depth, ())
            return self._without_poolings
        return self._read(poolings, last_layer, needed(self._network, poolings, [*pattern.on, last_layer]))

    def _read(self, poolings: Mapping[str, Pooling], last_layer: int, rows_of: Sequence[str]) -> AffineNetwork:
        outputs: dict[int | str, dict[int, Tensor]] = {}
        for source in [INPUT, *range(2, last_layer)]:
            for place, values in self._responses(source, poolings, last_layer).items():
                outputs.setdefault(place, {})[source] = values
        maps = {place: _affine_map(responses) for place, responses in outputs.items()}
        layers = {place: found for place, found in maps.items() if isinstance(place, int)}
        pools = tuple(PoolRows(maps[name], *poolings[name].window_pairs()) for name in rows_of)
        return AffineNetwork(layers, pools)

    def _responses(self, source: int, poolings: Mapping[str, Pooling], last_layer: int) -> dict[int | str, Tensor]:
        """u of each layer, and each pooling's input, for source = 0 and for each of its basis vectors."""
        width = self._widths[source]
        basis = torch.cat([torch.zeros(1, width), torch.eye(width)]).double().reshape(-1, *self._shapes[source])
        seen: dict[int | str, Tensor] = {}

        def activation(layer: int, u: Tensor, apply: Apply) -> Tensor:
            seen[layer] = u.flatten(1)
            return basis if layer == source else torch.zeros_like(u)

        def max_pool(name: str, values: Tensor, node: fx.Node) -> Tensor:
            seen[name] = values.flatten(1)
            return poolings[name].pooled(values)

        start = basis if source == INPUT else torch.zeros(width + 1, *self._shapes[INPUT]).double()
        logits = self._network.run(start, on_activation=activation, on_max_pool=max_pool, last_layer=last_layer)
        if last_layer == self._network.depth:
            seen[last_layer] = logits
        return seen


def _affine_map(responses: Mapping[int, Tensor]) -> AffineMap:
    constant = next(iter(responses.values()))[0]
    matrices = {source: (values[1:] - values[0]).T.numpy() for source, values in responses.items()}
    return AffineMap(constant.numpy(), {source: matrix for source, matrix in matrices.items() if matrix.any()})
