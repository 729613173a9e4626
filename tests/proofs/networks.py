"""Networks with neurons of constant sign, and the extremes of u by plain means."""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pulp
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram

from dnncov_core.activations import capture
from dnncov_core.networks.exported_program import export_module
from dnncov_core.networks.module_check import check_module
from dnncov_core.networks.network import Network
from dnncov_core.proofs.certificates import prove
from dnncov_core.records import Certificate
from tests.networks_for_tests import PIECEWISE, Fn, piecewise, seeded


def _residual_convolutions(m: nn.ModuleList, x: Tensor) -> Tensor:
    y = torch.relu(m[1](m[0]((x - 0.5) / 0.25)))
    y = torch.relu(m[3](m[2](y)) + y)
    z = torch.cat([torch.nn.functional.max_pool2d(y, 2), torch.nn.functional.avg_pool2d(-y, 2)], dim=1)
    return m[5](torch.nn.functional.silu(m[4](1 - 2 * z.flatten(1))))


def _every_activation(m: nn.ModuleList, x: Tensor) -> Tensor:
    x = torch.tanh(2 * m[0](x))
    x = torch.cat([torch.nn.functional.gelu(3 * m[1](x)), torch.nn.functional.elu(m[1](x) - 1)], dim=1)
    y = torch.nn.functional.mish(2 * x) - torch.nn.functional.softsign(x)
    x = torch.maximum(y - torch.nn.functional.hardswish(3 * x), torch.zeros_like(x)) + torch.nn.functional.softplus(x)
    x = torch.sigmoid(m[2](x).sum(dim=1, keepdim=True) - m[2](x))
    return m[3](torch.nn.functional.hardtanh(4 * x, 0, 6).reshape(-1, 2, 2).mean(dim=2))


OTHERS = {
    "residual convolutions": (
        lambda: Fn(
            _residual_convolutions,
            *(nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2)),
            *(nn.Linear(16, 4), nn.Linear(4, 2)),
        ),
        (1, 4, 4),
    ),
    "every activation": (
        lambda: Fn(_every_activation, nn.Linear(4, 4), nn.Linear(4, 3), nn.Linear(6, 4), nn.Linear(2, 2)),
        (4,),
    ),
}
NAMES = (*PIECEWISE, *OTHERS)


def network(name: str, seed: int = 0, *, spread: float = 1.0, dtype: torch.dtype = torch.float64) -> Network:
    """A network of `NAMES` whose offsets are drawn anew, ``spread`` times a normal number each.

    A name is exported once in each precision, and has other weights each time.
    """
    build, shape = {**PIECEWISE, **OTHERS}[name]

    def shifted() -> nn.Module:
        module = build()
        for part in module.modules():
            if isinstance(part, nn.Linear | nn.Conv2d) and part.bias is not None:
                nn.init.normal_(part.bias, std=spread)
        return module

    module, program = seeded(shifted, seed).to(dtype), copy.copy(_program(name, dtype))
    program._state_dict = module.state_dict()
    made = Network(program, shape)
    check_module(made, module)
    return made


@functools.cache
def _program(name: str, dtype: torch.dtype) -> ExportedProgram:
    build, shape = {**PIECEWISE, **OTHERS}[name]
    return export_module(seeded(build).to(dtype), shape)


def inputs(network: Network, n: int, seed: int) -> Tensor:
    """Inputs of the box: at random, near the corners, and corners."""
    low, high = network.bounds
    rng = torch.Generator().manual_seed(seed)
    drawn = torch.rand(n, network.layers[0].neurons, generator=rng)
    drawn[n // 3 :] = (2 * drawn[n // 3 :] - 0.5).clamp(0, 1)
    drawn[2 * n // 3 :] = drawn[2 * n // 3 :].round()
    return (low + (high - low) * drawn).to(network.dtype).reshape(n, *network.input_shape)


def climbed(network: Network, layer: int, sign: float, steps: int = 15) -> Tensor:
    """Inputs that lead u of each neuron of a layer up (sign +1) or down, by its gradient, ``(s_k, *input_shape)``."""
    low, high = network.bounds
    n = network.layers[layer - 1].neurons
    x = inputs(network, n, seed=layer)
    for step in range(steps):
        x = x.detach().requires_grad_()
        u = capture(network, x, [layer])[layer].u
        (gradient,) = torch.autograd.grad(sign * u.diagonal().sum(), x)
        x = (x + (high - low) / (2 + step) * gradient.sign()).clamp(low, high)
    return x.detach()


def mlp_weights(network: Network) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(W, b) of each linear layer of a plain network, W as (outputs, inputs), in float64."""
    tensors = {node.name: tensor.double().numpy() for node, tensor in network.graph.state.items()}
    names = list(tensors)
    for weight, bias in zip(names[::2], names[1::2], strict=True):
        yield tensors[weight], tensors[bias]


def extremes(network: Network, layer: int, neuron: int) -> tuple[float, float]:
    """Exact least and most u of a neuron of a small ReLU network: a linear programme for each activation pattern."""
    weights = list(mlp_weights(network))
    sizes = [len(bias) for _, bias in weights[: layer - 2]]
    found: list[float] = []
    for pattern in itertools.product([0, 1], repeat=sum(sizes)):
        for sense in (pulp.LpMinimize, pulp.LpMaximize):
            found += _extreme(network, weights[: layer - 1], neuron, pattern, sense)
    return min(found), max(found)


def _extreme(
    network: Network, weights: list[tuple[np.ndarray, np.ndarray]], neuron: int, pattern: tuple[int, ...], sense: int
) -> list[float]:
    problem, signs = pulp.LpProblem("reference", sense), iter(pattern)
    v: list[pulp.LpAffineExpression] = [
        pulp.LpVariable(f"x{i}", *network.box.range_of(i)) + 0 for i in range(network.layers[0].neurons)
    ]
    rows: list[pulp.LpConstraint] = []
    for weight, bias in weights[:-1]:
        u = [pulp.lpSum(w * x for w, x in zip(row, v, strict=True)) + b for row, b in zip(weight, bias, strict=True)]
        on = [next(signs) for _ in u]
        rows += [value >= 0 if active else value <= 0 for value, active in zip(u, on, strict=True)]
        v = [value * active for value, active in zip(u, on, strict=True)]
    weight, bias = weights[-1]
    problem += pulp.lpSum(w * x for w, x in zip(weight[neuron], v, strict=True)) + bias[neuron]
    for row in rows:
        problem += row
    status = problem.solve(pulp.HiGHS(msg=False))
    return [float(pulp.value(problem.objective))] if status == pulp.LpStatusOptimal else []


__all__ = ["NAMES", "climbed", "extremes", "inputs", "network", "piecewise"]


def constant_neurons(network: Network, **asked: Any) -> list[Certificate]:
    """The neurons whose sign is proved to be the same for every input within the network's bounds."""
    return [certificate for step in prove(network, **asked) for certificate in step.certificates]
