"""What conditions ask as bounds on affine functions of the input: which of them inputs break, and their rows.

Broken bounds are found by one pass of the network for all conditions together, each with its own pattern held fixed,
and their gradients by one vector-Jacobian product, so that no Jacobian is ever whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, fx

from dnncov_core.generators.pattern import Matrix, Pooling, needed, poolings_of
from dnncov_core.generators.programme import LinearCondition, Requirements
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.types import IntArray

ROWS_A_ROUND = 12
BROKEN = 1e-9
"""A row counts as broken where f misses its bound by more than this; signs keep a margin that is far larger."""


class Rows(NamedTuple):
    """Rows g . d >= h for a step d from x1: of which condition, ``(m,)``, g ``(m, inputs)`` and h ``(m,)``."""

    of: IntArray
    g: Matrix
    h: Matrix


class ConditionRows:
    """All that conditions of the same layers ask, each as bounds on a vector f of affine functions of the input.

    f has u of each layer, winner minus other of each window of a pooling, and the left sides of rows, as many as the
    condition with most of them has. The network is in float64.
    """

    def __init__(self, network: Network, conditions: Sequence[LinearCondition]) -> None:
        self._network, required = network, [condition.required for condition in conditions]
        self._layers, self._last = sorted(required[0].low), conditions[0].pair.decision.layer
        self._x1 = self._stacked([condition.x1 for condition in conditions])
        patterns = [condition.pattern for condition in conditions]
        self._pieces = {
            k: (self._stacked([p.slopes(k) for p in patterns]), self._stacked([p.intercepts(k) for p in patterns]))
            for k in patterns[0].on
        }
        own = [poolings_of(network, x1[None], each, self._last) for x1, each in zip(self._x1, patterns, strict=True)]
        self._poolings = {
            name: Pooling(pooling.node, torch.cat([each[name].winners for each in own]))
            for name, pooling in own[0].items()
        }
        self._windows = {
            name: self._stacked([each[name].window_pairs() for each in own])
            for name in needed(network, self._poolings, self._layers)
        }
        self._low, self._high = self._bounds(required)
        self._coefficients = self._rows_over_u(required)
        self._has_row = np.zeros((*self._low.shape, 2), dtype=bool)

    def broken_by(self, x2: Matrix, numbers: Sequence[int] = (0,)) -> Rows:
        """The rows of the bounds that inputs miss most and that have none yet, at most `ROWS_A_ROUND` a condition.

        Args:
            x2: inputs, ``(n, inputs)``.
            numbers: the condition that each is for.
        """
        of = np.array(numbers)
        x = torch.from_numpy(x2).to(self._x1).reshape(len(x2), *self._x1.shape[1:])
        with torch.no_grad():
            f = self._f(x, self._numbers(of)).cpu().numpy()
        miss = np.stack([self._low[of] - f, f - self._high[of]], axis=2)
        miss[self._has_row[of]] = 0.0
        conditions, worst = [], []
        for condition, own in zip(of, miss.reshape(len(miss), -1), strict=True):
            places = np.flatnonzero(own > BROKEN)
            worst.append(places[np.argsort(-own[places], kind="stable")[:ROWS_A_ROUND]])
            conditions.append(np.full(len(worst[-1]), condition))
        return self._rows(np.concatenate(conditions), *np.divmod(np.concatenate(worst), 2))

    def _rows(self, of: IntArray, places: IntArray, sides: IntArray) -> Rows:
        """The rows of lower (side 0) and upper bounds of places in f; gradients at x1 are those everywhere."""
        self._has_row[of, places, sides] = True
        if not len(of):
            return Rows(of, np.zeros((0, self._x1[0].numel())), np.zeros(0))
        x = self._x1[self._numbers(of)].requires_grad_()
        with torch.enable_grad():
            f = self._f(x, self._numbers(of)).gather(1, self._numbers(places)[:, None])[:, 0]
            (gradients,) = torch.autograd.grad(f.sum(), x)
        sign = np.where(sides == 0, 1.0, -1.0)
        bound = np.where(sides == 0, self._low[of, places], self._high[of, places])
        g = gradients.flatten(1).cpu().numpy() * sign[:, None]
        return Rows(of, g, sign * (bound - f.detach().cpu().numpy()))

    def _f(self, x: Tensor, of: Tensor) -> Tensor:
        """f of a batch, ``(batch, len(f))``, by the network with the patterns of these conditions."""
        u: dict[int, Tensor] = {}
        pooled: dict[str, Tensor] = {}

        def activation(layer: int, values: Tensor, apply: Apply) -> Tensor:
            u[layer] = flat = values.flatten(1)
            if layer not in self._pieces:
                return apply(values)
            slopes, intercepts = self._pieces[layer]
            return (flat * slopes[of] + intercepts[of]).reshape(values.shape)

        def max_pool(name: str, values: Tensor, node: fx.Node) -> Tensor:
            pooled[name] = values.flatten(1)
            return Pooling(node, self._poolings[name].winners[of]).pooled(values)

        last = self._network.run(x, on_activation=activation, on_max_pool=max_pool, last_layer=self._last)
        u.setdefault(self._last, last)
        every = torch.cat([u[layer] for layer in self._layers], dim=1)
        windows = []
        for name, pairs in self._windows.items():
            winners, others = pairs[of].unbind(1)
            windows.append(pooled[name].gather(1, winners) - pooled[name].gather(1, others))
        return torch.cat([every, *windows, (self._coefficients[of] @ every[:, :, None])[:, :, 0]], dim=1)

    def _bounds(self, required: Sequence[Requirements]) -> tuple[Matrix, Matrix]:
        """The least and the largest f of each condition; rows that it has not are at least anything."""
        windows = sum(pairs.shape[2] for pairs in self._windows.values())
        most = max(len(own.rows) for own in required)
        low, high = [], []
        for own in required:
            least = [row.at_least for row in own.rows] + [-np.inf] * (most - len(own.rows))
            low.append(np.concatenate([*(own.low[k] for k in self._layers), np.zeros(windows), least]))
            high.append(np.concatenate([*(own.high[k] for k in self._layers), np.full(windows + most, np.inf)]))
        return np.stack(low), np.stack(high)

    def _rows_over_u(self, required: Sequence[Requirements]) -> Tensor:
        """The coefficients of rows over u of all layers beside each other, ``(conditions, rows, neurons)``."""
        ends = list(itertools.accumulate(len(required[0].low[k]) for k in self._layers))
        start = dict(zip(self._layers, [0, *ends], strict=False))
        found = np.zeros((len(required), max(len(own.rows) for own in required), ends[-1]))
        for matrix, own in zip(found, required, strict=True):
            for coefficients, row in zip(matrix, own.rows, strict=False):
                for (layer, neuron), coefficient in row.coefficients.items():
                    coefficients[start[layer] + neuron] = coefficient
        return self._stacked(found)

    def _stacked(self, arrays: Iterable[Any]) -> Tensor:
        """Arrays of each condition as one tensor on the device of the network."""
        return torch.from_numpy(np.stack(list(arrays))).to(self._network.device)

    def _numbers(self, numbers: Sequence[int] | IntArray) -> Tensor:
        return torch.as_tensor(numbers, dtype=torch.int64, device=self._network.device)
