"""Small networks, and hypothesis strategies that draw them with integer weights so that u = 0 occurs often."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from torch import Tensor, nn

from dnncov_core.criteria import CoveringMethod
from dnncov_core.features import FeaturePair
from dnncov_core.layer_values import Activations, LayerValues
from dnncov_core.networks.network import Network
from tests import reference

TOY = ([[4, 0, -1], [1, -2, 1]], [[2, 3, -1], [-7, 6, 4], [1, -5, 9]])
"""The paper's example network: W1 and W2 as (inputs, outputs); the output layer is the identity over layer 3."""


class Fn(nn.Module):
    """A module whose forward is a function of its submodules and the batch."""

    def __init__(self, forward: Callable[[nn.ModuleList, Tensor], Any], *modules: nn.Module) -> None:
        super().__init__()
        self.function = forward
        self.m = nn.ModuleList(modules)

    def forward(self, x: Tensor) -> Tensor:
        return self.function(self.m, x)


class Dense(nn.Module):
    """Layers that each take the values of all before them, so that every two layers are a layer pair."""

    def __init__(self, inputs: int, sizes: Sequence[int], dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        before = itertools.accumulate(sizes, initial=inputs)
        layers = [nn.Linear(n, size, dtype=dtype) for n, size in zip(before, [*sizes, 2], strict=False)]
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor) -> Tensor:
        for layer in list(self.layers)[:-1]:
            x = torch.cat([x, layer(x).relu()], dim=1)
        return self.layers[-1](x)


def linear(weight: np.ndarray, bias: np.ndarray | None = None) -> nn.Linear:
    """A float64 linear layer of a weight written (inputs, outputs)."""
    layer = nn.Linear(*weight.shape, bias=bias is not None, dtype=torch.float64)
    layer.weight.data = torch.from_numpy(np.array(weight, np.float64).T.copy())
    if bias is not None:
        layer.bias.data = torch.from_numpy(np.array(bias, np.float64))
    return layer


def mlp_of(weights: Sequence[np.ndarray], biases: Sequence[np.ndarray] | None = None) -> nn.Sequential:
    """A ReLU network of weights written (inputs, outputs)."""
    modules: list[nn.Module] = []
    for place, weight in enumerate(weights):
        modules += [linear(weight, None if biases is None else biases[place]), nn.ReLU()]
    return nn.Sequential(*modules[:-1])


def toy_network() -> Network:
    """The paper's example up to layer 3, with an output layer behind it."""
    weights = [*map(np.array, TOY), np.eye(3)]
    return Network(mlp_of(weights), (2,), (-10.0, 10.0))


def seeded(module: Callable[[], nn.Module], seed: int = 0) -> nn.Module:
    """A module with weights drawn from a seed, in eval mode, batch norm statistics included."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = module()
        for part in made.modules():
            if isinstance(part, nn.modules.batchnorm._BatchNorm) and part.running_mean is not None:
                nn.init.normal_(part.running_mean)
                nn.init.uniform_(part.running_var, 0.5, 2.0)
                nn.init.normal_(part.weight)
    return made.eval()


def random_mlp(sizes: Sequence[int], seed: int = 0, dtype: torch.dtype = torch.float64) -> nn.Module:
    """A ReLU network of these layer sizes, input and output included, over a flattened input."""

    def build() -> nn.Module:
        modules: list[nn.Module] = [nn.Flatten()]
        for n_inputs, n_outputs in itertools.pairwise(sizes):
            modules += [nn.Linear(n_inputs, n_outputs, dtype=dtype), nn.ReLU()]
        return nn.Sequential(*modules[:-1])

    return seeded(build, seed)


@dataclass(frozen=True)
class Drawn:
    """A small random ReLU network and two batches of inputs, all of integers."""

    weights: list[np.ndarray]
    x1: np.ndarray
    x2: np.ndarray

    @property
    def sizes(self) -> list[int]:
        return [weight.shape[1] for weight in self.weights]

    def reference(self) -> tuple[list[list[list[float]]], list[list[list[float]]]]:
        """u by input and layer, for both batches."""
        return tuple([reference.forward(x, self.weights) for x in xs] for xs in (self.x1, self.x2))

    def activations(self) -> tuple[Activations, Activations]:
        """What the product's `capture` gives, without the cost of exporting each drawn network."""
        return tuple(_values([reference.forward(x, self.weights) for x in xs]) for xs in (self.x1, self.x2))


def _values(layers_by_input: list[list[list[float]]]) -> Activations:
    found: Activations = {}
    for place in range(len(layers_by_input[0])):
        u = torch.tensor([layers[place] for layers in layers_by_input], dtype=torch.float64)
        found[place + 2] = layer_values(u)
    return found


def layer_values(u: Tensor, shape: tuple[int, ...] | None = None) -> LayerValues:
    """A ReLU layer's values for these u, ``(batch, s_k)``."""
    return LayerValues(u, u.relu(), shape or tuple(u.shape[1:]))


def profile(method: CoveringMethod, pairs: Sequence[FeaturePair], before: Activations, after: Activations) -> Tensor:
    """Which input pair covers which feature pair: ``(batch, len(pairs))`` of bool."""
    return torch.stack([method.holds(pair, before, after) for pair in pairs], dim=1)


@st.composite
def drawn_networks(draw: st.DrawFn, batches: tuple[int, int] | None = None) -> Drawn:
    """Networks of 2 to 4 weight matrices and up to 4 neurons a layer; weights and inputs are small integers or -0.0.

    They have two outputs or more, since a network with one has no classes.
    """
    sizes = [*draw(st.lists(st.integers(1, 4), min_size=2, max_size=4)), draw(st.integers(2, 4))]
    numbers = st.sampled_from([-2.0, -1.0, -1.0, -0.0, 0.0, 1.0, 1.0, 3.0])

    def matrix(rows: int, columns: int) -> np.ndarray:
        flat = draw(st.lists(numbers, min_size=rows * columns, max_size=rows * columns))
        return np.array(flat).reshape(rows, columns)

    weights = [matrix(rows, columns) for rows, columns in itertools.pairwise(sizes)]
    n1, n2 = batches or (draw(st.integers(1, 4)),) * 2
    return Drawn(weights, matrix(n1, sizes[0]), matrix(n2, sizes[0]))


def features(size: int) -> st.SearchStrategy[tuple[int, ...]]:
    """A feature of a layer with this many neurons, singletons often."""
    several = st.sets(st.integers(0, size - 1), min_size=1).map(lambda chosen: tuple(sorted(chosen)))
    return st.one_of(st.integers(0, size - 1).map(lambda i: (i,)), several)


# Piecewise-linear networks for linear programming, by name: how to build one, and its input shape


def _two_convolutions(activation: nn.Module, pooling: nn.Module, n_flat: int) -> Callable[[], nn.Module]:
    return lambda: nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1),
        activation,
        pooling,
        nn.Conv2d(2, 2, 2),
        activation,
        nn.Flatten(),
        nn.Linear(n_flat, 4),
        activation,
        nn.Linear(4, 3),
    )


def _residual(m: nn.ModuleList, x: Tensor) -> Tensor:
    y = m[0](x).relu()
    y = torch.relu(m[1](y) + y)
    z = torch.cat([torch.relu(m[2](y)), m[0](x).clamp(0, 6)], dim=1)
    return m[3](z)


def _branches(m: nn.ModuleList, x: Tensor) -> Tensor:
    """Two branches, each with its own max pooling, that meet in the logits only."""
    a, b = (torch.relu(m[i](x)) for i in (0, 1))
    a, b = (torch.nn.functional.max_pool2d(y, 2) for y in (a, b))
    a = torch.relu(m[2](a.flatten(1)))
    b = torch.relu(m[3](b.flatten(1)))
    return m[4](torch.cat([a, b], dim=1))


def _normalised(m: nn.ModuleList, x: Tensor) -> Tensor:
    y = torch.nn.functional.max_pool2d((x - 0.5) / 0.25, 2, stride=1)
    return m[2](torch.relu(m[1](torch.nn.functional.avg_pool2d(m[0](y).relu(), 2).flatten(1))))


def _several_pieces(m: nn.ModuleList, x: Tensor) -> Tensor:
    """A slope for each channel, and functions of three and four pieces."""
    y = m[3](m[0](x).view(-1, 4, 1) + torch.tensor([0.0, 0.2], dtype=x.dtype)).mean(dim=2)
    y = torch.nn.functional.hardtanh(m[1](2 * y))
    z = torch.cat([torch.nn.functional.hardsigmoid(m[2](4 * y)), m[2](y).clamp(-0.5, 0.7)], dim=1)
    return m[4](z[:, :4] + z[:, 4:])


PIECEWISE: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "mlp": (lambda: random_mlp((5, 6, 5, 3), 3), (5,)),
    "leaky": (
        lambda: nn.Sequential(nn.Linear(5, 6), nn.LeakyReLU(0.3), nn.Linear(6, 4), nn.LeakyReLU(0.1), nn.Linear(4, 3)),
        (5,),
    ),
    "relu6": (
        lambda: nn.Sequential(nn.Linear(5, 6), _Times(9), nn.ReLU6(), nn.Linear(6, 4), nn.ReLU6(), nn.Linear(4, 3)),
        (5,),
    ),
    "several pieces": (
        lambda: Fn(_several_pieces, *(nn.Linear(n, 4) for n in (5, 4, 4)), nn.PReLU(4, 0.3), nn.Linear(4, 3)),
        (5,),
    ),
    "max pooling": (_two_convolutions(nn.ReLU(), nn.MaxPool2d(2), 2), (1, 4, 5)),
    "overlapping padded pooling": (_two_convolutions(nn.ReLU(), nn.MaxPool2d(3, 2, 1), 8), (1, 5, 6)),
    "dilated ceil pooling": (
        _two_convolutions(nn.LeakyReLU(0.2), nn.MaxPool2d(2, 2, 0, 2, ceil_mode=True), 4),
        (1, 5, 6),
    ),
    "residual and cat": (lambda: Fn(_residual, *(nn.Linear(4, 4) for _ in range(3)), nn.Linear(8, 3)), (4,)),
    "branches with pooling": (
        lambda: Fn(_branches, *(nn.Conv2d(1, 2, 2) for _ in "ab"), *(nn.Linear(4, 3) for _ in "ab"), nn.Linear(6, 2)),
        (1, 4, 5),
    ),
    "pooling of the input": (
        lambda: Fn(_normalised, nn.Conv2d(1, 2, 2), nn.Linear(2, 4), nn.Linear(4, 3)),
        (1, 4, 4),
    ),
}


class _Times(nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor


@functools.cache
def piecewise(name: str, seed: int = 0, bounds: tuple[ArrayLike, ArrayLike] = (0.0, 1.0)) -> Network:
    """A network of `PIECEWISE` in float64, exported once a process."""
    build, shape = PIECEWISE[name]
    return Network(seeded(build, seed).double(), shape, bounds)


def save_network(network: Network, path: Path) -> None:
    """Writes a ``.pt2`` file that says the network's bounds, classes and resize too."""
    box = network.box
    bounds = network.bounds if box.ranges is None else (box.low.tolist(), box.high.tolist())
    extra = {"bounds": bounds, "classes": network.classes, "resize": network.resize}
    extra |= {"features": list(box.features) or None, "units": list(box.units) or None}
    torch.export.save(network.program, path, extra_files={"dnncov.json": json.dumps(extra)})
