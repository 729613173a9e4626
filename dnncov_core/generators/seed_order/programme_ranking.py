"""Seeds ranked by a lower bound on the distance at which the linear programme can meet the test condition.

Within a seed's pattern each asked row is g . d >= h, so that ||d||_inf >= h / ||g||_1. The first bound takes the rows
of single neurons, |u| / ||grad_x u||_1, from which all seeds are ranked at once; the norm is a seed's own where |u| is
smallest, a mean elsewhere. For the best of them the rows of the condition, of the decision and of the effect that the
covering method asks for are weighed together, as in directions, within the pattern whose condition signs are flipped.
Where the condition's own change moves the decision the wrong way it has no effect: such seeds come last. Where another
label is wanted, too, the larger of both bounds counts. Gradients are in float32: they order seeds and decide nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dnncov_core.criteria import NO_EFFECT, CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.effects import asks_needed, asks_sufficient
from dnncov_core.criteria.value_function_base import ValueFunction
from dnncov_core.errors import NetworkError
from dnncov_core.features import FeaturePair
from dnncov_core.generators.directions import LinearPart, weighed
from dnncov_core.generators.pattern import IntoLayers, Piece, first_positive, pieces_by_layer
from dnncov_core.generators.seed_order.label_distance import label_distances
from dnncov_core.generators.seed_order.ranking import Pool, Ranked
from dnncov_core.interventions import layers_for, with_condition
from dnncov_core.layer_values import Activations, LayerValues
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.records import Target
from dnncov_core.types import BoolArray, FloatArray, IntArray

BATCH = 512
CANDIDATES = 48
CANDIDATES_WITH_LABELS = 192
"""More of them, since seeds that are near to another label may be far from the test condition."""
KEPT = 2**25
"""Most values of u, in float32, that are kept of a layer."""


class ProgrammeRanking:
    """The ranking of one campaign; distances of neurons are kept once they are known."""

    def __init__(
        self, network: Network, method: CoveringMethod, pool: Pool, most: int, *, labels: bool = False
    ) -> None:
        self._network = network.to(dtype=torch.float32)
        self._into = IntoLayers(self._network.to(device="cpu"))
        self._method, self._pool, self._most, self._labels = method, pool, most, labels
        self._candidates = CANDIDATES_WITH_LABELS if labels else CANDIDATES
        self._flips, self._effect = method.condition is Change.SIGN, method.effect
        self._known: dict[tuple[int, int], FloatArray] = {}
        self._u: dict[tuple[int, int], FloatArray] = {}
        self._rows: dict[tuple[int, int], _DecisionRows] = {}
        self._kept: dict[int, FloatArray] = {}
        self._pieces: dict[int, list[Piece]] | None = None
        with suppress(NetworkError):  # a network that is not piecewise linear: the first bound alone ranks its seeds
            self._pieces = pieces_by_layer(network)

    def __call__(self, targets: Sequence[Target]) -> list[Ranked]:
        """The best places in the pool, the nearest first; the rows of targets of the same layers are weighed together.

        A target's bounds are the same, but for the rounding of float32, whichever are weighed with it.
        """
        first = [self._first_bounds(target) for target in targets]
        orders = [np.argsort(each, kind="stable")[: max(self._most, self._candidates)] for each in first]
        for numbers in self._weighed_together(targets):
            best = np.stack([orders[n][: self._candidates] for n in numbers])
            bounds = self._weighed_bounds([targets[n] for n in numbers], best)
            bounds[np.isinf([first[n][places] for n, places in zip(numbers, best, strict=True)])] = np.inf
            if self._labels:
                bounds = np.maximum(bounds, self._label_distances[best])
            nearest = np.take_along_axis(best, np.argsort(bounds, axis=1, kind="stable"), axis=1)
            for n, places in zip(numbers, nearest, strict=True):
                orders[n][: len(places)] = places
        return [Ranked(order[: self._most]) for order in orders]

    def _weighed_together(self, targets: Sequence[Target]) -> Iterator[Sequence[int]]:
        """The numbers of targets of the same layers and sizes of features, at most `BATCH` candidates at a time."""
        if self._pieces is None or not (self._flips or self._effect != NO_EFFECT):
            return
        alike: dict[object, list[int]] = {}
        for number, target in enumerate(targets):
            kind = target.edge, len(target.condition_neurons), len(target.decision_neurons)
            alike.setdefault(kind, []).append(number)
        size = max(1, BATCH // self._candidates)
        for numbers in alike.values():
            yield from (numbers[start : start + size] for start in range(0, len(numbers), size))

    def _first_bounds(self, target: Target) -> FloatArray:
        """The bound of the rows of single neurons at every seed, ``(pool,)``; infinite where there is no effect."""
        rows = [(target.decision_layer, neuron) for neuron in target.decision_neurons]
        if self._flips:
            rows += [(target.condition_layer, neuron) for neuron in target.condition_neurons]
        first: FloatArray = np.max([self._distances(*row) for row in rows], axis=0)
        if self._effect != NO_EFFECT and self._pieces is not None:
            first[self._without_effect(target)] = np.inf
        return np.maximum(first, self._label_distances) if self._labels else first

    @cached_property
    def _label_distances(self) -> FloatArray:
        """How far each seed is from another label, ``(pool,)``."""
        return np.concatenate([label_distances(self._network, self._inputs(part)) for part in self._in_batches()])

    def _in_batches(self) -> list[IntArray]:
        return np.split(np.arange(self._pool.size), range(BATCH, self._pool.size, BATCH))

    def _without_effect(self, target: Target) -> BoolArray:
        """Seeds from which v of the condition feature moves a decision neuron the wrong way or not at all, ``(pool,)``.

        No seed where a max pooling between decides it, or where a value function leaves open which way is wrong.
        """
        k, layer, neurons = target.condition_layer, target.decision_layer, list(target.condition_neurons)
        assert self._pieces is not None
        if not self._network.graph.is_affine_into(layer):
            return np.zeros(self._pool.size, bool)
        _, weights = self._into(layer, target.decision_neurons, {})
        u = np.stack([self._u_of(k, neuron) for neuron in neurons], axis=1)
        slopes = np.stack([piece.slope[neurons] for piece in self._pieces[k]])
        on = np.searchsorted([piece.low for piece in self._pieces[k][1:]], u, side="right")
        moves = np.where(u >= 0, -1.0, 1.0) if self._flips else slopes[on, np.arange(len(neurons))]
        none = np.zeros(self._pool.size, bool)
        for neuron, weight in zip(target.decision_neurons, weights[k][:, neurons], strict=True):
            rows = self._decision_rows(layer, neuron)
            gains = rows.side[:, None] * weight * moves
            none |= ((gains if self._flips else np.abs(gains)) <= 0).all(axis=1) & rows.only
        return none

    def _distances(self, layer: int, neuron: int) -> FloatArray:
        """|u| / ||grad_x u||_1 of one neuron for every seed, ``(pool,)``; infinite where u is constant.

        Seeds of larger |u| take the mean norm of those with the smallest.
        """
        if (layer, neuron) not in self._known:
            size = np.abs(self._u_of(layer, neuron))
            smallest = np.argsort(size, kind="stable")[:BATCH]
            x = self._inputs(smallest)
            (gradient,) = torch.autograd.grad(self._values(x, [layer])[layer].u[:, neuron].sum(), x)
            norms = gradient.flatten(1).abs().sum(dim=1).cpu().numpy()
            with np.errstate(divide="ignore", invalid="ignore"):
                distances = size / norms.mean()
                distances[smallest] = size[smallest] / norms
            self._known[layer, neuron] = np.nan_to_num(distances, nan=np.inf, posinf=np.inf)
        return self._known[layer, neuron]

    def _u_of(self, layer: int, neuron: int) -> FloatArray:
        """u of one neuron for every seed, ``(pool,)``."""
        if (layer, neuron) not in self._u:
            self._u[layer, neuron] = self._u_of_pool(layer)[:, neuron].copy()
        return self._u[layer, neuron]

    def _u_of_pool(self, layer: int) -> FloatArray:
        """u of a layer for every seed, ``(pool, s_k)``; kept as long as that is small."""
        if layer in self._kept:
            return self._kept[layer]
        with torch.no_grad():
            parts = [self._values(self._inputs(part), [layer])[layer].u.cpu().numpy() for part in self._in_batches()]
        u = np.concatenate(parts)
        if u.size <= KEPT:
            self._kept[layer] = u
        return u

    def _decision_rows(self, layer: int, neuron: int) -> _DecisionRows:
        """What one decision neuron is asked for from every seed; of several alternatives the first."""
        if (layer, neuron) not in self._rows:
            u = self._u_of(layer, neuron)
            if self._method.decision is Change.SIGN:
                every = [(-1.0 if positive else 1.0, 0.0, True) for positive in u >= 0]
            else:
                g2 = self._method.g2.at(layer, [[neuron]])
                every = [_value_row(g2, row, neuron) for row in torch.from_numpy(self._u_of_pool(layer))[:, None]]
            self._rows[layer, neuron] = _DecisionRows(*map(np.array, zip(*every, strict=True)))
        return self._rows[layer, neuron]

    def _weighed_bounds(self, targets: Sequence[Target], places: IntArray) -> FloatArray:
        """The bound of all rows together of each target for its own seeds, ``(targets, n)`` like their places.

        The targets have the same layers and sizes of features. Of several condition neurons the one that is farthest
        from 0 counts; of several decision neurons the one whose bound is largest.
        """
        pair, n = FeaturePair.of(targets[0]), places.shape[1]
        k, layer, layers = pair.condition.layer, pair.decision.layer, layers_for(self._network, pair)
        x = self._inputs(places.ravel())
        conditions = torch.tensor([target.condition_neurons for target in targets]).to(x.device).repeat_interleave(n, 0)
        after = self._values(x, layers, (k, conditions) if self._flips else None)
        asked = [(1.0, after[layer])]
        if self._effect != NO_EFFECT:
            before = self._values(x.detach(), layers)
            chosen = torch.zeros_like(after[k].u, dtype=torch.bool).scatter(1, conditions, True)
            if asks_needed(self._effect):
                asked.append((-1.0, with_condition(self._network, pair, chosen, x, after, before)))
            if asks_sufficient(self._effect):
                asked.append((1.0, with_condition(self._network, pair, chosen, x, before, after)))
        condition = [self._condition_row(x, targets, places, after[k].u)] if self._flips else []
        bounds = []
        for neurons in zip(*(target.decision_neurons for target in targets), strict=True):
            rows = [self._decision_rows(layer, neuron) for neuron in neurons]
            side = self._at([row.side for row in rows], places).to(x)
            least = self._at([row.least for row in rows], places).to(x)
            column = torch.tensor(neurons, device=x.device).repeat_interleave(n)[:, None]
            own = [_row(x, sign * side, values.u.gather(1, column)[:, 0], sign * least) for sign, values in asked]
            bounds.append(weighed([*condition, *own]).bound)
        found: FloatArray = torch.stack(bounds).amax(dim=0).detach().cpu().numpy().reshape(places.shape)
        return found

    def _condition_row(self, x: Tensor, targets: Sequence[Target], places: IntArray, u: Tensor) -> LinearPart:
        """The row of the condition neuron that is farthest from 0 at each seed."""
        farthest = []
        for target, own in zip(targets, places, strict=True):
            neurons = target.condition_neurons
            distances = np.stack([self._distances(target.condition_layer, neuron)[own] for neuron in neurons])
            farthest.append(np.array(neurons)[distances.argmax(axis=0)])
        condition = u.gather(1, torch.from_numpy(np.concatenate(farthest)).to(u.device)[:, None])[:, 0]
        return _row(x, torch.where(condition >= 0, -1.0, 1.0), condition, 0.0)

    @staticmethod
    def _at(of_pool: Sequence[FloatArray], places: IntArray) -> Tensor:
        """Numbers of each target at its own places, one after another."""
        return torch.from_numpy(np.concatenate([each[own] for each, own in zip(of_pool, places, strict=True)]))

    def _inputs(self, places: IntArray) -> Tensor:
        return torch.from_numpy(self._pool.pixels(places)).to(self._network.device, torch.float32).requires_grad_()

    def _values(self, x: Tensor, layers: Collection[int], flip: tuple[int, Tensor] | None = None) -> Activations:
        """Values of these layers; the signs of neurons ``flip = (layer, (batch, neurons))`` are flipped."""
        values: Activations = {}

        def activation(layer: int, u: Tensor, apply: Apply) -> Tensor:
            v = apply(u)
            if flip is not None and layer == flip[0] and self._pieces is not None:
                v = _flipped(u, v, flip[1], self._pieces[layer])
            values[layer] = LayerValues(u.flatten(1), v.flatten(1), u.shape[1:])
            return v

        last = self._network.run(x, on_activation=activation, last_layer=max(layers))
        values.setdefault(self._network.depth, LayerValues(last, last, last.shape[1:]))
        return values


class _DecisionRows(NamedTuple):
    """side * u >= least, ``(pool,)`` each, and whether there is no other way to do what the decision is asked for."""

    side: FloatArray
    least: FloatArray
    only: BoolArray


def _value_row(g2: ValueFunction, u: Tensor, neuron: int) -> tuple[float, float, bool]:
    alternatives = list(g2.alternatives(LayerValues(u, u, (u.shape[1],)), [neuron]))
    for half_space in itertools.chain.from_iterable(alternatives):
        return half_space.coefficients.get(neuron, 0.0), half_space.at_least, list(map(len, alternatives)) == [1]
    return 0.0, 0.0, False


def _flipped(u: Tensor, v: Tensor, neurons: Tensor, pieces: list[Piece]) -> Tensor:
    """v with these neurons of each input, ``(batch, n)``, on the piece beyond u = 0."""
    flat, first = u.flatten(1).gather(1, neurons), first_positive(pieces)
    negative, positive = (
        flat * torch.from_numpy(piece.slope).to(u)[neurons] + torch.from_numpy(piece.intercept).to(u)[neurons]
        for piece in (pieces[first - 1], pieces[first])
    )
    return v.flatten(1).scatter(1, neurons, torch.where(flat >= 0, negative, positive)).reshape(v.shape)


def _row(x: Tensor, side: Tensor, u: Tensor, least: Tensor | float) -> LinearPart:
    """The row side * u >= least."""
    (gradient,) = torch.autograd.grad(u.sum(), x, retain_graph=True)
    return LinearPart(side[:, None] * gradient.flatten(1), least - side * u.detach())
