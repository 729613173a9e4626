"""Seeds ranked by a lower bound on the distance at which the linear programme can meet the test condition.

Within a seed's pattern each asked row is g . d >= h, so that ||d||_inf >= h / ||g||_1. The first bound takes the rows
of single neurons, |u| / ||grad_x u||_1, from which all seeds are ranked at once; the norm is a seed's own where |u| is
smallest, a mean elsewhere. For the best of them the condition's and the decision's rows are weighed together, as in
directions, the decision's row within the pattern whose condition signs are flipped. Gradients are in float32: they
order seeds and decide nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import torch
from torch import Tensor

from dnncov_core.activations import LayerValues
from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.errors import NetworkError
from dnncov_core.generators.directions import LinearPart, weighed
from dnncov_core.generators.pattern import Piece, pieces_by_layer
from dnncov_core.generators.seed_order.ranking import Pool, Ranked
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.records import Target
from dnncov_core.types import FloatArray, IntArray

BATCH = 512
CANDIDATES = 48
KEPT = 2**25
"""Most values of u, in float32, that are kept of a layer."""


class ProgrammeRanking:
    """The ranking of one campaign; distances of neurons are kept once they are known."""

    def __init__(self, network: Network, method: CoveringMethod, pool: Pool, most: int) -> None:
        self._network = network.to(dtype=torch.float32)
        self._method, self._pool, self._most = method, pool, most
        self._known: dict[tuple[int, int], FloatArray] = {}
        self._kept: dict[int, FloatArray] = {}
        self._pieces: dict[int, list[Piece]] | None = None
        with suppress(NetworkError):  # a network that is not piecewise linear: the first bound alone ranks its seeds
            self._pieces = pieces_by_layer(network)

    def __call__(self, targets: Sequence[Target]) -> list[Ranked]:
        """The best places in the pool, the nearest first."""
        return [Ranked(self._nearest(target)) for target in targets]

    def _nearest(self, target: Target) -> IntArray:
        rows = [(target.decision_layer, neuron) for neuron in target.decision_neurons]
        if self._method.condition is Change.SIGN:
            rows += [(target.condition_layer, neuron) for neuron in target.condition_neurons]
        first = np.max([self._distances(*row) for row in rows], axis=0)
        order = np.argsort(first, kind="stable")[: max(self._most, CANDIDATES)]
        if self._method.condition is Change.SIGN and self._pieces is not None:
            best = order[:CANDIDATES]
            order[: len(best)] = best[np.argsort(self._two_row_bounds(target, best), kind="stable")]
        return order[: self._most]

    def _distances(self, layer: int, neuron: int) -> FloatArray:
        """|u| / ||grad_x u||_1 of one neuron for every seed, ``(pool,)``; infinite where u is constant.

        Seeds of larger |u| take the mean norm of those with the smallest.
        """
        if (layer, neuron) not in self._known:
            size = np.abs(self._u_of_pool(layer)[:, neuron])
            smallest = np.argsort(size, kind="stable")[:BATCH]
            norms = self._norms(layer, neuron, smallest)
            with np.errstate(divide="ignore", invalid="ignore"):
                distances = size / norms.mean()
                distances[smallest] = size[smallest] / norms
            self._known[layer, neuron] = np.nan_to_num(distances, nan=np.inf, posinf=np.inf)
        return self._known[layer, neuron]

    def _norms(self, layer: int, neuron: int, places: IntArray) -> FloatArray:
        x = self._inputs(places)
        (gradient,) = torch.autograd.grad(self._u(x, [layer], target=None)[layer][:, neuron].sum(), x)
        found: FloatArray = gradient.flatten(1).abs().sum(dim=1).cpu().numpy()
        return found

    def _u_of_pool(self, layer: int) -> FloatArray:
        """u of a layer for every seed, ``(pool, s_k)``; kept as long as that is small."""
        if layer in self._kept:
            return self._kept[layer]
        with torch.no_grad():
            starts = range(0, self._pool.size, BATCH)
            places = [np.arange(start, min(start + BATCH, self._pool.size)) for start in starts]
            parts = [self._u(self._inputs(part), [layer], target=None)[layer].cpu().numpy() for part in places]
        u = np.concatenate(parts)
        if u.size <= KEPT:
            self._kept[layer] = u
        return u

    def _two_row_bounds(self, target: Target, places: IntArray) -> FloatArray:
        """The two-row bound of these seeds, ``(len(places),)``, for the condition neuron that is farthest from 0."""
        k, decision = target.condition_layer, target.decision_layer
        neurons = list(target.condition_neurons)
        distances = np.stack([self._distances(k, neuron)[places] for neuron in neurons])
        x = self._inputs(places)
        farthest = torch.from_numpy(np.array(neurons)[distances.argmax(axis=0)]).to(x.device)
        before = self._u(x.detach(), [decision], target=None)[decision].detach()
        u = self._u(x, [k, decision], target)
        at = torch.arange(len(places), device=x.device)
        condition = u[k][at, farthest]
        first = _row(x, torch.where(condition >= 0, -1.0, 1.0), condition, 0.0)
        bounds = []
        for neuron in target.decision_neurons:
            sign, least = self._decision_row(before, decision, neuron)
            bounds.append(weighed([first, _row(x, sign, u[decision][:, neuron], least)]).bound)
        found: FloatArray = torch.stack(bounds).amax(dim=0).cpu().numpy()
        return found

    def _decision_row(self, before: Tensor, layer: int, neuron: int) -> tuple[Tensor, Tensor | float]:
        """sign * u >= least is what the decision neuron is asked for, from its u at x1, ``(batch,)``."""
        if self._method.decision is Change.SIGN:
            return torch.where(before[:, neuron] >= 0, -1.0, 1.0), 0.0
        rows = [self._value_row(before[b : b + 1], layer, neuron) for b in range(len(before))]
        signs, least = zip(*rows, strict=True)
        return torch.tensor(signs, device=before.device), torch.tensor(least, device=before.device)

    def _value_row(self, u: Tensor, layer: int, neuron: int) -> tuple[float, float]:
        values = LayerValues(u, u, (u.shape[1],))
        for alternative in self._method.g2.at(layer, [[neuron]]).alternatives(values, [neuron]):
            for half_space in alternative:
                return half_space.coefficients.get(neuron, 0.0), half_space.at_least
        return 0.0, 0.0

    def _inputs(self, places: IntArray) -> Tensor:
        return torch.from_numpy(self._pool.pixels(places)).to(self._network.device, torch.float32).requires_grad_()

    def _u(self, x: Tensor, layers: Sequence[int], target: Target | None) -> dict[int, Tensor]:
        """u of these layers, ``(batch, s_k)``, with the target's condition signs flipped."""
        u: dict[int, Tensor] = {}

        def activation(layer: int, values: Tensor, apply: Apply) -> Tensor:
            u[layer] = values.flatten(1)
            if target is None or layer != target.condition_layer or self._pieces is None:
                return apply(values)
            return _flipped(values, apply(values), list(target.condition_neurons), self._pieces[layer])

        last = self._network.run(x, on_activation=activation, last_layer=max(layers))
        u.setdefault(max(layers), last)
        return u


def _flipped(u: Tensor, v: Tensor, neurons: list[int], pieces: list[Piece]) -> Tensor:
    """v with these neurons on the piece beyond u = 0."""
    flat, negative, positive = u.flatten(1)[:, neurons], pieces[0], pieces[1]
    beyond = torch.where(
        flat >= 0, negative.slope * flat + negative.intercept, positive.slope * flat + positive.intercept
    )
    index = torch.tensor(neurons, device=u.device).expand(len(u), -1)
    return v.flatten(1).scatter(1, index, beyond).reshape(v.shape)


def _row(x: Tensor, sign: Tensor, u: Tensor, least: Tensor | float) -> LinearPart:
    """The row sign * u >= least."""
    (gradient,) = torch.autograd.grad(u.sum(), x, retain_graph=True)
    return LinearPart(sign[:, None] * gradient.flatten(1), least - sign * u.detach())
