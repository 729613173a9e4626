"""Features and feature pairs: sets of neurons of one layer, and pairs of them in neighbouring layers (Definition 1)."""

from __future__ import annotations

import itertools
import random
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dnncov_core.errors import ParameterError, SpecificationError
from dnncov_core.partitions import FEATURE_MODES, Computed, Feature, without_maps
from dnncov_core.records import LayerInfo, Named, Target
from dnncov_core.types import BoolArray, Edge, IntArray


@dataclass(frozen=True)
class FeaturePair:
    """A condition feature of layer k and a decision feature of a following layer."""

    condition: Feature
    decision: Feature

    @classmethod
    def of(cls, target: Target) -> FeaturePair:
        """The feature pair of a target."""
        return cls(
            Feature(target.condition_layer, target.condition_neurons, target.condition_most),
            Feature(target.decision_layer, target.decision_neurons),
        )

    def target(self, ordinal: int) -> Target:
        """The target with this pair and place."""
        condition, decision = self.condition, self.decision
        return Target(ordinal, condition.layer, decision.layer, condition.neurons, decision.neurons, condition.most)


SAMPLINGS: dict[str, Named] = {
    "uniform": Named("All pairs alike", "Every feature pair is as likely as any other."),
    "even": Named(
        "Even over layer pairs",
        "A stratified sample: the same number of feature pairs from each layer pair, as far as it has that many, drawn"
        " at random within it.",
    ),
}
"""How a sample is drawn: layers of convolutions have most of the pairs, so a uniform sample may miss small layers."""


LISTED = ("ordinal", "condition_layer", "condition_feature", "decision_layer", "decision_feature")
"""The columns of a list of feature pairs; features are numbered within their layer."""


class FeaturePairs(Computed[FeaturePair]):
    """All feature pairs of a network, computed when asked for, so that millions of them cost nothing.

    The order is by decision layer and condition layer, then by condition feature, then by decision feature.

    Args:
        layers: the network's layers 1..K.
        edges: its pairs of neighbouring layers.
        mode: a key of `FEATURE_MODES`.
        omega: the largest share of a layer that a feature may have.
        decision_layers: only pairs into these layers; empty for all.
        condition_layers: only pairs from these layers; empty for all.

    Raises:
        SpecificationError: a layer that is no decision layer, or that has no features of this mode.
    """

    def __init__(
        self,
        layers: Sequence[LayerInfo],
        edges: Collection[Edge],
        *,
        mode: str = "neuron",
        omega: float = 0.001,
        decision_layers: Collection[int] = (),
        condition_layers: Collection[int] = (),
    ) -> None:
        known = sorted({decision for _, decision in edges})
        for layer in decision_layers:
            if layer not in known:
                raise ParameterError(
                    "layers", f"some of the decision layers {', '.join(map(str, known))}", f"layer {layer}"
                )
        from_all, into_all = not condition_layers, not decision_layers
        chosen = (e for e in edges if (from_all or e[0] in condition_layers) and (into_all or e[1] in decision_layers))
        self.edges = sorted(chosen, key=lambda e: (e[1], e[0]))
        how = FEATURE_MODES[mode]
        if unfit := [k for edge in self.edges for k in edge if not how.fits(layers[k - 1])]:
            raise without_maps(layers, edges, unfit[0])
        self._conditions = {k: how.condition(layers[k - 1], omega) for k, _ in self.edges}
        self._decisions = {decision: how.decision(layers[decision - 1], omega) for _, decision in self.edges}
        self.counts = [len(self._conditions[k]) * len(self._decisions[decision]) for k, decision in self.edges]
        self._starts = list(itertools.accumulate(self.counts, initial=0))
        super().__init__(self._starts[-1], self._pair)

    def range_of(self, edge: Edge) -> tuple[int, int]:
        """The ordinal of the first pair of a layer pair, and how many it has."""
        at = self.edges.index(edge)
        return self._starts[at], self.counts[at]

    def listed(self, edge: Edge, chosen: BoolArray) -> IntArray:
        """Some feature pairs of a layer pair as a list, ``(n, 5)`` with the columns `LISTED`.

        Args:
            edge: the layer pair.
            chosen: whether each is in the list, ``(condition features, decision features)``.
        """
        i, j = np.nonzero(chosen)
        k, layer = (np.full_like(i, number) for number in edge)
        return np.stack([self.range_of(edge)[0] + i * chosen.shape[1] + j, k, i, layer, j], axis=1)

    def among(self, listed: IntArray) -> dict[Edge, IntArray]:
        """The ordinals of a list, ascending, by layer pair; layer pairs without any are left out.

        Args:
            listed: ``(n, 5)``, the columns `LISTED`.

        Raises:
            SpecificationError: a pair that is not there, that has another ordinal, or that is in the list twice.
        """
        ordinals, k, i, layer, j = listed.T
        expected, found = np.full(len(listed), -1), dict[Edge, IntArray]()
        for edge in self.edges:
            here = (k == edge[0]) & (layer == edge[1])
            width = len(self._decisions[edge[1]])
            known = (i >= 0) & (i < len(self._conditions[edge[0]])) & (j >= 0) & (j < width)
            expected = np.where(here & known, self.range_of(edge)[0] + i * width + j, expected)
            if here.any():
                found[edge] = np.unique(ordinals[here])
        fix = "take the list as dnncov measure --open wrote it, with rows left out at most"
        if (wrong := np.flatnonzero(ordinals != expected)).size:
            row = ", ".join(f"{name} {n}" for name, n in zip(LISTED, listed[wrong[0]].tolist(), strict=True))
            raise SpecificationError("test conditions of the network, each by its ordinal", row, fix)
        if len(listed) > (different := sum(map(len, found.values()))):
            raise SpecificationError("each test condition once", f"{len(listed) - different:,} more than once", fix)
        return found

    def _pair(self, place: int) -> FeaturePair:
        at = bisect_right(self._starts, place) - 1
        k, decision = self.edges[at]
        i, j = divmod(place - self._starts[at], len(self._decisions[decision]))
        return FeaturePair(self._conditions[k][i], self._decisions[decision][j])

    def connected(self, connections: Mapping[Edge, IntArray]) -> dict[Edge, IntArray]:
        """Ordinals, ascending, of the neuron pairs (i, j) with i among ``connections[edge][j]``, by layer pair.

        Args:
            connections: condition neurons of each decision neuron, ``(s_l, n)``, -1 for none.
        """
        found: dict[Edge, IntArray] = {}
        for edge, start in zip(self.edges, self._starts, strict=False):
            units = connections[edge]
            j, place = np.nonzero(units >= 0)
            found[edge] = np.sort(start + units[j, place] * len(units) + j)
        return found

    def sample(
        self, n: int | None, random_seed: int, among: Sequence[int] | None = None, *, sampling: str = "uniform"
    ) -> list[int]:
        """Ordinals of n pairs drawn without replacement, in the order drawn; of all of them if n is None or too large.

        Any first part of the order is a sample of the same kind itself, so that the figures of a running campaign are
        unbiased.

        Args:
            n: the number of pairs.
            random_seed: decides the draw.
            among: the ordinals to draw from, ascending; all if left out.
            sampling: a key of `SAMPLINGS`.
        """
        everything = range(len(self)) if among is None else among
        n = len(everything) if n is None else min(n, len(everything))
        rng = random.Random(f"pairs {random_seed}")
        if sampling == "uniform":
            return rng.sample(everything, n)
        bounds = [bisect_left(everything, start) for start in self._starts]
        layers = [everything[first:last] for first, last in itertools.pairwise(bounds)]
        drawn = [rng.sample(layer, min(n, len(layer))) for layer in layers]
        in_turns = itertools.chain.from_iterable(itertools.zip_longest(*drawn))
        return list(itertools.islice((ordinal for ordinal in in_turns if ordinal is not None), n))


def layers_named(text: str | None, among: Collection[int], layers: Sequence[LayerInfo]) -> list[int]:
    """Layers by their numbers, or by the modules that they stand in, separated by commas; none for no text.

    Args:
        text: what a user wrote, such as ``3,features.denseblock1``; a module stands for each layer within it.
        among: the numbers of the layers that can be chosen.
        layers: all layers of the network.

    Raises:
        SpecificationError: something that names none of them.
    """
    found: list[int] = []
    for name in map(str.strip, text.split(",")) if text else ():
        those = [k for k in sorted(among) if name in (str(k), layers[k - 1].name) or _within(layers[k - 1], name)]
        if not those:
            expected = "numbers of layers that feature pairs can have there, or modules that such layers stand in"
            raise SpecificationError(expected, repr(name), "choose some of those that dnncov networks NETWORK lists")
        found += those
    return found


def _within(layer: LayerInfo, module: str) -> bool:
    """Whether a layer is the module's own or that of one of its parts; ``#2`` is the second use of the same module."""
    path, _, _ = layer.name.partition(" #")
    return f"{path}.".startswith(f"{module}.")


def strongest(top_weights: int) -> str:
    """In words, the feature pairs that a campaign with this many top weights asks.

    >>> strongest(10), strongest(1)
    ('the 10 strongest connections into each decision neuron', 'the strongest connection into each decision neuron')
    """
    n = f"{top_weights:,} strongest connections" if top_weights > 1 else "strongest connection"
    return f"the {n} into each decision neuron"
