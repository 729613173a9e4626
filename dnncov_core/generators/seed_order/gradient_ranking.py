"""Seeds ranked by how near their decision is to changing, for gradient search on networks of any size.

To first order the decision changes at the L-infinity distance h / ||grad_x u||_1, h being what it lacks at x1. All
seeds go through the network once for all targets of a campaign; the gradient is taken for the dozen seeds of least h,
and for the others their mean norm stands in; both for fewer seeds, evenly spaced in the pool, where the budget of
passes is small. Where another label is looked for too, the larger of its own distance and the decision's counts. Where
the condition feature is named, how near it is to changing its sign counts as much; and where it has to show an effect,
seeds at which that moves the decision the wrong way, or a value change does not move it, to first order, come last.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.effects import NO_EFFECT
from dnncov_core.generators.seed_order.label_distance import label_distances
from dnncov_core.generators.seed_order.ranking import Pool, Ranked, RankingParameters
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.memory import fitting_batch, for_gradients
from dnncov_core.networks.network import Network
from dnncov_core.records import Target
from dnncov_core.types import FloatArray, IntArray

CANDIDATES = 12
MOST_KEPT = 2**26
"""Values of u, of all seeds and all neurons that targets name; of a larger pool fewer seeds are ranked."""


class GradientRanking:
    """The ranking of one campaign, by a network on the device of the search; ``parameters`` name all its targets."""

    def __init__(self, network: Network, method: CoveringMethod, pool: Pool, parameters: RankingParameters) -> None:
        self._network, self._method, self._pool = for_gradients(network), method, pool
        self._targets, self._most, self._labels = parameters.targets, parameters.most, parameters.labels
        self._passes, self._batch = parameters.passes, fitting_batch(self._network)
        self._passes_a_seed = 4 if self._labels else 1

    def __call__(self, targets: Sequence[Target]) -> list[Ranked]:
        """The best places in the pool for each target, the nearest first."""
        lacking = [self._lacking(target) for target in targets]
        candidates = [np.argsort(h, kind="stable")[: min(CANDIDATES, self._passes // 8)] for h in lacking]
        gradients = self._gradients(targets, candidates)
        passes = self._shared_passes + 2 * len(candidates[0])
        parts = zip(targets, lacking, candidates, *gradients, strict=True)
        return [Ranked(self._order(*each), passes) for each in parts]

    def _order(
        self, target: Target, lacking: FloatArray, candidates: IntArray, norms: FloatArray, weights: FloatArray
    ) -> IntArray:
        size = norms[norms > 0].mean() if (norms > 0).any() else 1.0
        distances = lacking / size
        with np.errstate(divide="ignore", invalid="ignore"):
            distances[candidates] = np.nan_to_num(lacking[candidates] / norms, nan=np.inf, posinf=np.inf)
        if self._labels:
            distances = np.maximum(distances, self._label_distances)
        if self._method.condition is Change.SIGN and target.condition_most is None:
            condition = self._largest(target.condition_layer, target.condition_neurons)
            distances = _of_median(distances) + _of_median(condition)
            if self._method.effect != NO_EFFECT:
                moved = -_signs(self._of(target.condition_layer, target.condition_neurons)) @ weights.mean(axis=0)
                distances[moved * self._direction(target) < 0] = np.inf
        elif self._method.effect != NO_EFFECT and target.condition_most is None:
            distances[candidates[(weights == 0).all(axis=1)]] = np.inf
        return self._ranked[np.argsort(distances, kind="stable")[: self._most]]

    def _direction(self, target: Target) -> FloatArray:
        """Which way u of the first decision neuron has to go at each seed, ``(ranked,)``; 0 where it may go either."""
        u = torch.from_numpy(self._of(target.decision_layer, target.decision_neurons[:1]))
        if self._method.decision is Change.SIGN:
            return -_signs(u.numpy()[:, 0])
        g2, u2 = self._method.g2.at(target.decision_layer, [target.decision_neurons[:1]]), u.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(g2.shortfall(u, u2).sum(), u2)
        found: FloatArray = -gradient.sign().numpy()[:, 0]
        return found

    @cached_property
    def _shared_passes(self) -> int:
        """What one target pays for sending all seeds through the network."""
        return -(-len(self._ranked) * self._passes_a_seed // max(1, len(self._targets)))

    @cached_property
    def _columns(self) -> dict[int, IntArray]:
        """The neurons whose u is needed, by layer."""
        wanted: dict[int, set[int]] = {}
        for target in self._targets:
            wanted.setdefault(target.decision_layer, set()).update(target.decision_neurons)
            wanted.setdefault(target.condition_layer, set()).update(target.condition_neurons)
        return {layer: np.array(sorted(neurons), np.int64) for layer, neurons in wanted.items()}

    @cached_property
    def _ranked(self) -> IntArray:
        """Places of the seeds that are ranked, ascending; evenly spaced, since data may be in the order of classes."""
        kept = MOST_KEPT // max(1, sum(map(len, self._columns.values())))
        affordable = self._passes // 4 * len(self._targets) // self._passes_a_seed
        n = max(1, min(self._pool.size, kept, affordable))
        return np.arange(n) * self._pool.size // n

    def _in_batches(self) -> list[IntArray]:
        """Numbers of the ranked seeds, as many at a time as go through the network at once."""
        return np.split(np.arange(len(self._ranked)), range(self._batch, len(self._ranked), self._batch))

    @cached_property
    def _u(self) -> dict[int, FloatArray]:
        """u of these neurons for every ranked seed, ``(ranked, len(columns))`` by layer."""
        parts: dict[int, list[FloatArray]] = {layer: [] for layer in self._columns}
        for numbers in self._in_batches():
            with torch.no_grad():
                u, _ = self._run(self._inputs(numbers), self._columns)
            for layer, columns in self._columns.items():
                parts[layer].append(u[layer][:, torch.from_numpy(columns).to(u[layer].device)].double().cpu().numpy())
        return {layer: np.concatenate(part) for layer, part in parts.items()}

    def _lacking(self, target: Target) -> FloatArray:
        """What the decision lacks at each seed, ``(ranked,)``; infinite where x2 would have to change its sign."""
        if self._method.decision is Change.SIGN:
            return self._largest(target.decision_layer, target.decision_neurons)
        u = torch.from_numpy(self._of(target.decision_layer, target.decision_neurons))
        lacking = self._method.g2.at(target.decision_layer, [target.decision_neurons]).shortfall
        extremes = (u, torch.where(u >= 0, 1.0, -1.0) * torch.finfo(u.dtype).max, torch.zeros_like(u))
        possible = torch.stack([lacking(u, extreme) <= 0 for extreme in extremes]).any(dim=0)
        found: FloatArray = lacking(u, u).clamp(min=0).where(possible, torch.inf).numpy()
        return found

    def _largest(self, layer: int, neurons: tuple[int, ...]) -> FloatArray:
        """The largest |u| of some neurons at each seed, ``(ranked,)``."""
        found: FloatArray = np.abs(self._of(layer, neurons)).max(axis=1)
        return found

    def _of(self, layer: int, neurons: tuple[int, ...]) -> FloatArray:
        places = np.searchsorted(self._columns[layer], neurons)
        found: FloatArray = self._u[layer][:, places]
        return found

    def _gradients(self, targets: Sequence[Target], candidates: Sequence[IntArray]) -> tuple[FloatArray, FloatArray]:
        """`_gradients_at` each target's candidates, ``(targets, candidates)`` and ``(targets, candidates, n)``."""
        each = len(candidates[0])
        repeated = [target for target in targets for _ in range(each)]
        numbers = np.concatenate(candidates)
        found = [
            self._gradients_at(repeated[start : start + self._batch], numbers[start : start + self._batch])
            for start in range(0, len(numbers), self._batch)
        ]
        norms, weights = (np.concatenate(part).reshape(len(targets), each, -1) for part in zip(*found, strict=True))
        return norms[:, :, 0], weights

    def _gradients_at(self, targets: Sequence[Target], numbers: IntArray) -> tuple[FloatArray, FloatArray]:
        """||grad_x u||_1 of the first decision neuron, ``(batch,)``; its weights by the condition's, ``(batch, n)``."""
        x, (k, layer) = self._inputs(numbers).requires_grad_(), targets[0].edge
        u, by = self._run(x, (k, layer))
        decided, named = (
            torch.tensor(neurons, dtype=torch.long, device=x.device)
            for neurons in zip(*((each.decision_neurons[:1], each.condition_neurons) for each in targets), strict=True)
        )
        by_x, by_condition = torch.autograd.grad(u[layer].gather(1, decided).sum(), (x, by[k]))
        norms, weights = by_x.flatten(1).abs().sum(dim=1), by_condition.flatten(1).gather(1, named)
        return norms.double().cpu().numpy(), weights.double().cpu().numpy()

    @cached_property
    def _label_distances(self) -> FloatArray:
        """To first order the distance at which each seed's label changes, ``(ranked,)``."""
        found = [label_distances(self._network, self._inputs(numbers)) for numbers in self._in_batches()]
        return np.concatenate(found)

    def _inputs(self, numbers: IntArray) -> Tensor:
        """These of the ranked seeds, ``(len(numbers), *input_shape)``."""
        pixels = self._pool.pixels(self._ranked[numbers])
        return torch.from_numpy(pixels).to(self._network.device, self._network.dtype)

    def _run(self, x: Tensor, layers: Collection[int]) -> tuple[dict[int, Tensor], dict[int, Tensor]]:
        """u, ``(batch, s_k)``, of some layers, and what gradients are taken by.

        That is v where conditions change their sign, else u itself.
        """
        u: dict[int, Tensor] = {}
        by: dict[int, Tensor] = {}

        def activation(layer: int, values: Tensor, apply: Apply) -> Tensor:
            applied = apply(values)
            if layer in layers:
                u[layer], by[layer] = values.flatten(1), applied if self._method.condition is Change.SIGN else values
            return applied

        logits = self._network.run(x, on_activation=activation, last_layer=max(layers))
        u.setdefault(max(layers), logits)
        return u, by


def _of_median(distances: FloatArray) -> FloatArray:
    """Distances in units of their median, of those that are finite and above 0."""
    usual = distances[np.isfinite(distances) & (distances > 0)]
    return distances / np.median(usual) if usual.size else distances


def _signs(u: FloatArray) -> FloatArray:
    return np.where(u >= 0, 1.0, -1.0)
