"""Values of each activation layer for a batch of inputs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from dnncov_core.errors import NumericsError
from dnncov_core.layer_values import Activations, LayerValues, near_zero
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.types import IntArray

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
LARGE = 2**16
"""Neurons from which one input keeps a thread busy for so long that others gain by going through beside it."""


def capture(
    network: Network,
    x: Tensor,
    layers: Collection[int] | None = None,
    *,
    given: Mapping[int, Tensor] | None = None,
) -> Activations:
    """Pre-activation u and activation v of the asked layers for a batch of inputs.

    Args:
        network: the canonical network.
        x: inputs in pixel space, ``(batch, *input_shape)``.
        layers: numbers among 2..K, all if left out. For the output layer K both u and v are the logits. Evaluation
            stops at the last one.
        given: v of some layers, ``(batch, s_k)``, which are taken as they are instead of evaluated.

    Raises:
        NumericsError: a NaN or an infinite u; it is no sign and never coverage.
    """
    wanted = range(2, network.depth + 1) if layers is None else layers
    values: Activations = {}

    def record(layer: int, u: Tensor, apply: Apply) -> Tensor:
        v = apply(u)
        if layer in wanted:
            values[layer] = _layer_values(network, layer, u, v)
        return v

    last = network.run(x, on_activation=record, last_layer=max(wanted), given=given)
    if network.depth in wanted:
        values[network.depth] = _layer_values(network, network.depth, last, last)
    return values


def take_own_signs(
    network: Network, x: Tensor, values: Activations, rows: IntArray, tell: Callable[[int], None] = lambda rows: None
) -> None:
    """Gives some inputs of a batch, in place, the sign that each has when it is sent through the network alone.

    An input with a value near zero goes through alone once more, since a batch may round it to the other side; it takes
    the values of the layers that have one.

    Args:
        network: the network.
        x: the batch, ``(batch, *input_shape)``.
        values: what `capture` gave for it.
        rows: places of the inputs in the batch.
        tell: told of how many inputs more this is done.

    Raises:
        NumericsError: a NaN or an infinite u.
    """
    near = torch.stack([near_zero(each.u).any(dim=1) for each in values.values()], dim=1).cpu().numpy()[rows]
    layers, alone = np.array([*values]), near.any(axis=1)
    tell(int((~alone).sum()))
    asked = {int(row): layers[those].tolist() for row, those in zip(rows[alone], near[alone], strict=True)}
    for row, own in _alone(network, x, asked):
        for layer, each in own.items():
            values[layer].u[row], values[layer].v[row] = each.u[0], each.v[0]
        tell(1)


def _alone(network: Network, x: Tensor, asked: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, Activations]]:
    """Rows of a batch, each with its values of the layers that are asked of it when it goes through alone."""

    def captured(row: int) -> tuple[int, Activations]:
        with torch.no_grad(), one_thread():
            return row, capture(network, x[row : row + 1], asked[row])

    return side_by_side(network, captured, asked)


def side_by_side(network: Network, ask: Callable[[Asked], Answer], questions: Iterable[Asked]) -> Iterator[Answer]:
    """Answers to questions that each send inputs through the network alone, on one thread, in the questions' order.

    On one thread, values near 0 have the same sign however many cores a machine has or lends. A large network on the
    CPU is asked as many questions at the same time as PyTorch has threads.
    """
    large = sum(layer.neurons for layer in network.layers) >= LARGE and network.device.type == "cpu"
    threads, left = torch.get_num_threads() if large else 1, iter(questions)
    if threads < 2:
        yield from map(ask, left)
        return
    with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        while some := [*itertools.islice(left, threads)]:
            yield from pool.map(ask, some)


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch on one thread: values near 0 then have the same sign however many cores a machine has or lends."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _layer_values(network: Network, layer: int, u: Tensor, v: Tensor) -> LayerValues:
    if not math.isfinite(u.sum().item()) and not bool(torch.isfinite(u).all()):  # a sum is one look, and may overflow
        bad = int((~torch.isfinite(u)).sum())
        name = network.layers[layer - 1].name
        got = f"{bad} NaN or infinite in layer {layer} ({name})"
        raise NumericsError("finite values of u", got, "check input and weights")
    return LayerValues(u.flatten(1), v.flatten(1), network.layers[layer - 1].shape)
