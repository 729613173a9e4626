"""The verdict on a proposed pair: it counts only if the network itself, asked afresh, says that it covers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import torch

from dnncov_core.activations import side_by_side
from dnncov_core.box import Box
from dnncov_core.criteria import CoveringMethod
from dnncov_core.distances import distance
from dnncov_core.errors import NumericsError
from dnncov_core.features import FeaturePair
from dnncov_core.generators import GRIDS
from dnncov_core.generators.base import Found
from dnncov_core.interventions import layers_for
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Target, TestPair
from dnncov_core.replay import Replay, replay
from dnncov_core.types import FloatArray


class Judge:
    """Turns what a search found into a test pair with its verdict, or refuses it.

    Args:
        network: the network; it is asked on the CPU.
        method: the covering method, with the effect that it asks for.
        oracle: the norm and the bound within which labels must agree.
        labels: whether a pair counts only if it is adversarial.
    """

    def __init__(self, network: Network, method: CoveringMethod, oracle: Oracle, *, labels: bool = False) -> None:
        self._network = network.to(device="cpu")
        self._method = method
        self._oracle = oracle
        self._labels = labels

    @cached_property
    def _in_float64(self) -> Network:
        """Made when a pair is judged: whoever only asks whether one holds need not have the weights twice."""
        return self._network.to(dtype=torch.float64)

    def holds(self, pair: FeaturePair, x1: FloatArray, x2: FloatArray) -> bool:
        """Whether the covering method holds on a fresh forward pass, each input alone, on the CPU."""
        return replay(self._network, self._method, pair, x1, x2)

    def all(self, found: Iterable[Found]) -> Iterator[tuple[Found, TestPair | None]]:
        """Each of what a search found with its test pair; of a large network several are judged at the same time."""

        def judged(each: Found) -> tuple[Found, TestPair | None]:
            return each, self.test_pair(each)

        _ = self._in_float64  # once, before several ask for it
        return side_by_side(self._network, judged, found)

    def test_pair(self, found: Found) -> TestPair | None:
        """The test pair with its verdict; None if nothing was found or the network does not confirm it."""
        if found.seed is None or found.x2 is None:
            return None
        x1, x2, unit = found.seed.x, found.x2, self._network.box.unit
        try:
            replays = self.replays(found.target, x1, x2)
        except NumericsError:  # outputs that are no numbers: the search looks only as far as the decision
            return None
        if not replays.own.covers(FeaturePair.of(found.target)):
            return None
        verdict = self._oracle.of_replay(replays.own)
        if self._labels and not verdict.adversarial:
            return None
        return TestPair(
            target=found.target,
            seed=found.seed.row,
            x1=x1,
            x2=x2,
            label1=verdict.label1,
            label2=verdict.label2,
            confidence1=verdict.confidence1,
            confidence2=verdict.confidence2,
            distance_inf=distance(x1, x2, "inf", unit),
            distance_2=distance(x1, x2, "2", unit),
            distance_1=distance(x1, x2, "1", unit),
            distance=verdict.distance,
            adversarial=verdict.adversarial,
            margin=found.attempts[-1].margin,
            outputs=np.array([verdict.outputs1, verdict.outputs2]) if self._network.quantities else None,
            **replays.judgement(found.target),
        )

    def with_effects(self, pair: TestPair) -> TestPair:
        """A test pair of an earlier version, with its effects."""
        return replace(pair, **self.replays(pair.target, pair.x1, pair.x2).judgement(pair.target))

    def replayed(self, target: Target, x1: FloatArray, x2: FloatArray) -> Replay:
        """What the network says of two inputs, as far as a target needs it, with the outputs."""
        layers = {*layers_for(self._network, FeaturePair.of(target)), self._network.depth}
        return Replay(self._network, self._method, x1, x2, layers)

    def replays(self, target: Target, x1: FloatArray, x2: FloatArray) -> Replays:
        """The two inputs in each precision, as far as a target needs it."""
        layers = layers_for(self._network, FeaturePair.of(target))
        return Replays(self._network, self._in_float64, self._method, x1, x2, layers)


class Replays:
    """Two inputs as the network sees them: in its own precision, in float64, and with x2 rounded to 8 bits.

    Args:
        network: on the CPU.
        in_float64: the same in float64.
        method: the covering method.
        x1: the seed, ``input_shape``.
        x2: the other input.
        layers: of which values are kept, all if left out; in the network's own precision the outputs, too.
    """

    def __init__(
        self,
        network: Network,
        in_float64: Network,
        method: CoveringMethod,
        x1: FloatArray,
        x2: FloatArray,
        layers: Collection[int] | None = None,
    ) -> None:
        self._network, self._double, self._method, self._x1, self._x2 = network, in_float64, method, x1, x2
        self._layers = layers
        self.own = Replay(network, method, x1, x2, None if layers is None else {*layers, network.depth})

    @cached_property
    def _in_float64(self) -> Replay:
        return Replay(self._double, self._method, self._x1, self._x2, self._layers)

    @cached_property
    def _rounded(self) -> Replay | None:
        stored = on_8bit_grid(self._x2, self._network.box)
        if stored is None:
            return None
        return Replay(self._network, self._method, self._x1, stored, self._layers, self.own.before)

    def judgement(self, target: Target) -> dict[str, Any]:
        """What the network says of a target: fields of the test pair of these inputs, by name."""
        features = FeaturePair.of(target)
        effect = self.own.effect(features)
        holds_float64, needed_float64, sufficient_float64 = _seen(self._in_float64, features)
        holds_8bit, needed_8bit, sufficient_8bit = _seen(self._rounded, features)
        return {
            "holds_float64": bool(holds_float64),
            "holds_8bit": holds_8bit,
            "flipped": None if target.condition_most is None else self.own.changed(target.condition_layer),
            "needed": effect.needed,
            "sufficient": effect.sufficient,
            "effect_share": effect.share,
            "needed_float64": needed_float64,
            "sufficient_float64": sufficient_float64,
            "needed_8bit": needed_8bit,
            "sufficient_8bit": sufficient_8bit,
        }


def _seen(replayed: Replay | None, features: FeaturePair) -> tuple[bool | None, bool | None, bool | None]:
    """Whether the covering method's definition holds, whether the decision needs the condition, whether that suffices.

    Nothing has an effect where the definition does not hold. An effect that the campaign asks for is judged apart.
    """
    if replayed is None:
        return None, None, None
    if not replayed.holds(features):
        return False, False, False
    effect = replayed.effect(features)
    return True, effect.needed, effect.sufficient


def on_8bit_grid(x: FloatArray, box: Box) -> FloatArray | None:
    """The nearest image of 256 grey levels, as a file would hold it; None for inputs that have no such levels."""
    grid = GRIDS["8bit"]
    return grid.nearest(x, box) if grid.fits(box) else None
