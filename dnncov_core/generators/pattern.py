"""Activation patterns: the linear piece that each neuron is on, for one input, with the condition's signs flipped."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dnncov_core.activations import Activations
from dnncov_core.errors import NetworkError
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.types import IntArray

Matrix = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Piece:
    """Where low <= u <= high, v = slope * u + intercept."""

    low: float
    high: float
    slope: float
    intercept: float


def pieces_of(kind: str, apply: Apply) -> list[Piece]:
    """The linear pieces of an activation function, from the left; the first is where the sign is -1.

    Raises:
        NetworkError: the function is not piecewise linear.
    """
    if kind == "relu6":
        return [Piece(-math.inf, 0, 0, 0), Piece(0, 6, 1, 0), Piece(6, math.inf, 0, 6)]
    if kind in ("relu", "leaky_relu"):
        slope = -float(apply(torch.tensor(-1.0, dtype=torch.float64)))
        return [Piece(-math.inf, 0, slope + 0.0, 0), Piece(0, math.inf, 1, 0)]
    raise NetworkError(
        "piecewise-linear activations (relu, leaky_relu, relu6) for linear programming",
        kind,
        "choose another generator for this network",
    )


def pieces_by_layer(network: Network) -> dict[int, list[Piece]]:
    """The pieces of each activation layer.

    Raises:
        NetworkError: an activation function that is not piecewise linear.
    """
    found: dict[int, list[Piece]] = {}

    def note(layer: int, u: Tensor, apply: Apply) -> Tensor:
        found[layer] = pieces_of(network.layers[layer - 1].kind, apply)
        return apply(u)

    in_float64 = network.to(device="cpu", dtype=torch.float64)
    in_float64.run(torch.zeros(1, *network.input_shape), on_activation=note)
    return found


@dataclass(frozen=True)
class Pattern:
    """The piece that each neuron of each fixed layer is on: an index into that layer's pieces, ``(s_k,)``."""

    pieces: Mapping[int, list[Piece]]
    on: Mapping[int, IntArray]
    flipped: Mapping[int, IntArray] = field(default_factory=dict)

    def slopes(self, layer: int) -> Matrix:
        """dv/du of each neuron, ``(s_k,)``."""
        return np.array([piece.slope for piece in self.pieces[layer]])[self.on[layer]]

    def intercepts(self, layer: int) -> Matrix:
        """v - slope * u of each neuron, ``(s_k,)``."""
        return np.array([piece.intercept for piece in self.pieces[layer]])[self.on[layer]]


def pattern_of(
    pieces: Mapping[int, list[Piece]],
    values: Activations,
    layers: Collection[int],
    flip: tuple[int, Collection[int]] | None,
) -> Pattern:
    """The pattern of one input on ``layers``, with the signs of neurons ``flip = (layer, neurons)`` changed.

    A neuron that becomes active is put on the piece next to u = 0.
    """
    on: dict[int, IntArray] = {}
    for layer in layers:
        u = values[layer].u[0].double().cpu().numpy()
        inner_bounds = [piece.low for piece in pieces[layer][1:]]
        on[layer] = np.sum([u >= bound for bound in inner_bounds], axis=0).astype(np.int64)
    flipped: dict[int, IntArray] = {}
    if flip is not None:
        layer, neurons = flip
        chosen = np.array(sorted(neurons), np.int64)
        on[layer][chosen] = np.where(on[layer][chosen] > 0, 0, 1)
        flipped[layer] = chosen
    return Pattern(pieces, on, flipped)
