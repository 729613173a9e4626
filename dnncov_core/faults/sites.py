"""Where in a network something can be changed: the weights into a layer, and its neurons or channels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, fx

from dnncov_core.faults.fault import Fault
from dnncov_core.networks.network import Network
from dnncov_core.networks.operators import AFFINE_IN_ONE, MOVES, name_of
from dnncov_core.types import FloatArray, IntArray

WEIGHING = AFFINE_IN_ONE - {"mul", "div"}
"""Operators that sum values times weights."""


@dataclass(frozen=True)
class Site:
    """One layer of a network, as mutation operators see it."""

    network: Network
    layer: int

    @cached_property
    def weight_nodes(self) -> tuple[fx.Node, ...]:
        """The matrices and kernels into this layer from the layers just before it, biases and scales left out."""
        into = weights_into(self.network)[self.layer]
        return tuple(node for node in self.network.graph.state if node.name in into)

    @property
    def weights(self) -> FloatArray:
        """All weights into this layer, one after the other, ``(n,)``."""
        return np.concatenate([self._own(node).reshape(-1) for node in self.weight_nodes])

    @property
    def n_weights(self) -> int:
        """How many weights lead into this layer."""
        return sum(math.prod(node.meta["val"].shape) for node in self.weight_nodes)

    @property
    def has_rows(self) -> bool:
        """Whether `weights` are the rows of the linear layer that gives the scores, one after the other."""
        last = self.network.graph.output
        return name_of(last) == "linear" and [[*node.users] for node in self.weight_nodes] == [[last]]

    def with_weights(self, weights: FloatArray) -> Fault:
        """The fault that these are its weights, ``(n,)`` in the order of `weights`."""
        found, start = {}, 0
        for node in self.weight_nodes:
            own = self._own(node)
            found[node] = torch.from_numpy(weights[start : start + own.size].astype(own.dtype).reshape(own.shape))
            start += own.size
        return Fault(self.layer, weights=found)

    def _own(self, node: fx.Node) -> FloatArray:
        own: FloatArray = self.network.graph.state[node].cpu().numpy()
        return own

    @property
    def n_neurons(self) -> int:
        """How many neurons this layer has; behind a convolution, or of tokens, how many channels."""
        return self._shape[self._axis - 1]

    def passing_on(self, sources: IntArray) -> Fault:
        """The fault that each neuron passes on the value of another one, ``(n_neurons,)``, or 0 where that is -1."""
        index, kept = torch.from_numpy(sources.clip(0)), torch.from_numpy(sources >= 0)
        shape = self._beside(len(sources))

        def v(values: Tensor) -> Tensor:
            chosen = values.index_select(self._axis, index.to(values.device))
            return chosen * kept.reshape(shape).to(values.device, values.dtype)

        return Fault(self.layer, v=v)

    def shifted(self, shifts: FloatArray) -> Fault:
        """The fault that u of each neuron is larger by a number, ``(n_neurons,)``; in layer K its score."""
        by = torch.from_numpy(shifts).reshape(self._beside(len(shifts)))
        return Fault(self.layer, u=lambda values: values + by.to(values.device, values.dtype))

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.network.layers[self.layer - 1].shape

    @property
    def _axis(self) -> int:
        """The axis of the neurons, or of the channels, behind that of the batch."""
        return len(self._shape) if self.network.layers[self.layer - 1].channels_last else 1

    def _beside(self, n: int) -> tuple[int, ...]:
        shape = [1] * (len(self._shape) + 1)
        shape[self._axis] = n
        return tuple(shape)


def weights_into(network: Network) -> dict[int, frozenset[str]]:
    """For each layer, the names of the nodes that are weights into it from the layers just before it."""
    marks = {node: node.name for node in network.graph.state if _is_weight(node)}
    return network.graph.directly_into(marks)


def _is_weight(node: fx.Node) -> bool:
    """Whether an operator sums values times these numbers; a bias has one axis."""
    value = node.meta["val"]
    return value.dtype.is_floating_point and value.ndim > 1 and _any_user(node, WEIGHING)


def _any_user(node: fx.Node, names: set[str]) -> bool:
    """Whether one of these operators takes a node's values, moved or not."""
    return any(name_of(user) in names or (name_of(user) in MOVES and _any_user(user, names)) for user in node.users)
