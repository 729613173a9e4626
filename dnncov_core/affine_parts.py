"""The affine parts of a network between its activation layers and max poolings, and their transposes.

The value that arrives at a stage is c + sum of A_s v_s over the stages s just before it. What each stage gives is a
variable of its own, so that one evaluation of the network holds all parts, and the same parts serve every input;
A_s^T m comes from a vector-Jacobian product.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, fx

from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network

INPUT = 1
Stage = int | str
"""A layer by its number, or a max pooling by its node's name."""
MOST_NUMBERS = 2**23
"""Values of all stages held at once."""
MOST_ROWS = 512


def flat(apply: Apply, shape: Sequence[int]) -> Apply:
    """An activation function of a layer of this shape, on values ``(..., n)``."""
    return lambda u: apply(u.reshape(-1, *shape)).reshape(u.shape)


class AffineParts:
    """The parts of one network, in float64 on the CPU; ``activations`` work on values ``(m, n)``."""

    def __init__(self, network: Network) -> None:
        network = network.to(device="cpu", dtype=torch.float64)
        self.rows = max(1, min(MOST_ROWS, MOST_NUMBERS // sum(layer.neurons for layer in network.layers)))
        self.activations: dict[int, Apply] = {}
        self.pools: dict[str, fx.Node] = {}
        self.shapes: dict[Stage, torch.Size] = {}
        self._leaves: dict[Stage, Tensor] = {}
        self._arriving: dict[Stage, Tensor] = {}
        self._before: dict[Stage, list[Stage]] = {}
        self._matrices: dict[Stage, dict[Stage, Tensor]] = {}
        with torch.enable_grad():
            x = self._leaf(INPUT, torch.zeros(self.rows, *network.input_shape, dtype=torch.float64))
            self._arriving[network.depth] = network.run(x, on_activation=self._activation, on_max_pool=self._max_pool)
        self.shapes[network.depth] = self._arriving[network.depth].shape[1:]
        self.stages: list[Stage] = [INPUT, *self._arriving]
        self.constants = {stage: values[0].detach().flatten() for stage, values in self._arriving.items()}
        self.widths = {stage: leaf[0].numel() for stage, leaf in self._leaves.items()}

    def sources(self, stage: Stage) -> list[Stage]:
        """The stages just before a stage, in order of execution."""
        if stage not in self._before:
            earlier = self.stages[: self.stages.index(stage)]
            pulled = self._pull(stage, torch.zeros(1, len(self.constants[stage])).double(), earlier)
            self._before[stage] = [source for source, found in pulled.items() if found is not None]
        return self._before[stage]

    def pull(self, stage: Stage, coefficients: Tensor) -> dict[Stage, Tensor]:
        """A_s^T m for each stage s just before this one, ``(m, n_s)``, of at most `rows` m, ``(m, n)``."""
        pulled = self._pull(stage, coefficients, self.sources(stage))
        return {source: found for source, found in pulled.items() if found is not None}

    def matrix(self, stage: Stage) -> dict[Stage, Tensor]:
        """A_s for each stage s just before this one, ``(n, n_s)``; read once."""
        if stage not in self._matrices:
            chunks = torch.split(torch.eye(len(self.constants[stage]), dtype=torch.float64), self.rows)
            parts = [self.pull(stage, chunk) for chunk in chunks]
            self._matrices[stage] = {s: torch.cat([part[s] for part in parts]) for s in self.sources(stage)}
        return dict(self._matrices[stage])

    def _pull(self, stage: Stage, coefficients: Tensor, sources: list[Stage]) -> dict[Stage, Tensor | None]:
        n, arriving = len(coefficients), self._arriving[stage]
        given = torch.zeros_like(arriving)
        given.flatten(1)[:n] = coefficients
        leaves = [self._leaves[source] for source in sources]
        found = torch.autograd.grad(arriving, leaves, given, retain_graph=True, allow_unused=True)
        return {
            source: None if gradient is None else gradient.flatten(1)[:n]
            for source, gradient in zip(sources, found, strict=True)
        }

    def _leaf(self, stage: Stage, like: Tensor) -> Tensor:
        self._leaves[stage] = torch.zeros_like(like).requires_grad_()
        return self._leaves[stage]

    def _activation(self, layer: int, u: Tensor, apply: Apply) -> Tensor:
        self._arriving[layer], self.shapes[layer] = u, u.shape[1:]
        self.activations[layer] = flat(apply, u.shape[1:])
        return self._leaf(layer, u)

    def _max_pool(self, name: str, values: Tensor, node: fx.Node) -> Tensor:
        self._arriving[name], self.pools[name], self.shapes[name] = values, node, values.shape[1:]
        sizes = node.meta["val"].shape[1:]
        return self._leaf(name, values.new_zeros(len(values), *sizes))
