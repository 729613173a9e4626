"""The verdict on a proposed pair: it counts only if the network itself, asked afresh, says that it covers."""

from __future__ import annotations

from functools import cached_property

import torch

from dnncov_core.activations import capture, one_thread
from dnncov_core.criteria import CoveringMethod
from dnncov_core.distances import distance
from dnncov_core.features import FeaturePair
from dnncov_core.generators import GRIDS
from dnncov_core.generators.base import Found
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Target, TestPair
from dnncov_core.relations import changes
from dnncov_core.replay import replay
from dnncov_core.types import Bounds, FloatArray


class Judge:
    """Turns what a search found into a test pair with its verdict, or refuses it."""

    def __init__(self, network: Network, method: CoveringMethod, oracle: Oracle) -> None:
        self._network = network.to(device="cpu")
        self._method = method
        self._oracle = oracle

    @cached_property
    def _in_float64(self) -> Network:
        """Made when a pair is judged: whoever only asks whether one holds need not have the weights twice."""
        return self._network.to(dtype=torch.float64)

    def holds(self, pair: FeaturePair, x1: FloatArray, x2: FloatArray) -> bool:
        """Whether the covering method holds on a fresh forward pass, each input alone, on the CPU."""
        return replay(self._network, self._method, pair, x1, x2)

    def flipped(self, target: Target, x1: FloatArray, x2: FloatArray) -> tuple[int, ...] | None:
        """Neurons of a free condition feature: those of its layer that change their sign; None where it names its own.

        Each input is sent alone through the network.
        """
        if target.condition_most is None:
            return None
        layer = target.condition_layer
        with torch.no_grad(), one_thread():
            before, after = (capture(self._network, torch.from_numpy(x)[None], [layer])[layer] for x in (x1, x2))
        return tuple(changes(before, after)[0].nonzero().flatten().tolist())

    def test_pair(self, found: Found) -> TestPair | None:
        """The test pair with its verdict; None if nothing was found or the network does not confirm it."""
        if found.seed is None or found.x2 is None:
            return None
        pair, x1, x2 = FeaturePair.of(found.target), found.seed.x, found.x2
        if not self.holds(pair, x1, x2):
            return None
        verdict = self._oracle.judge(self._network, x1, x2)
        stored = on_8bit_grid(x2, self._network.bounds)
        return TestPair(
            target=found.target,
            seed=found.seed.row,
            x1=x1,
            x2=x2,
            label1=verdict.label1,
            label2=verdict.label2,
            confidence1=verdict.confidence1,
            confidence2=verdict.confidence2,
            distance_inf=distance(x1, x2, "inf"),
            distance_2=distance(x1, x2, "2"),
            distance_1=distance(x1, x2, "1"),
            distance=verdict.distance,
            adversarial=verdict.adversarial,
            holds_float64=replay(self._in_float64, self._method, pair, x1, x2),
            holds_8bit=None if stored is None else self.holds(pair, x1, stored),
            margin=found.attempts[-1].margin,
            flipped=self.flipped(found.target, x1, x2),
        )


def on_8bit_grid(x: FloatArray, bounds: Bounds) -> FloatArray | None:
    """The nearest image of 256 grey levels, as a file would hold it; None for inputs that are not pixels in [0, 1]."""
    grid = GRIDS["8bit"]
    return grid.nearest(x) if grid.fits(bounds) else None
