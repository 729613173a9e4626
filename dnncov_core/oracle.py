"""The test oracle: two close inputs must have the same label (the paper's Definition Oracle)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dnncov_core.activations import one_thread
from dnncov_core.distances import ROUNDINGS, distance
from dnncov_core.networks.network import Network
from dnncov_core.replay import Replay
from dnncov_core.types import FloatArray, Norm


@dataclass(frozen=True)
class Verdict:
    """Labels, confidences (softmax) and outputs of x1 and x2, their distance, and whether the pair is adversarial."""

    label1: int
    label2: int
    confidence1: float
    confidence2: float
    distance: float
    adversarial: bool
    outputs1: tuple[float, ...]
    outputs2: tuple[float, ...]


@dataclass(frozen=True)
class Oracle:
    """Labels must agree within ``bound`` of the L^p distance, p = ``norm``; without a bound, everywhere.

    Inputs that are exactly the bound apart are within it, though their own precision rounds them: 8 grey levels are
    within 8/255.
    """

    norm: Norm = "inf"
    bound: float | None = None

    def judge(self, network: Network, x1: FloatArray, x2: FloatArray) -> Verdict:
        """The verdict on two inputs of shape ``input_shape``, each sent alone through the network."""
        return self.verdict(network, (x1, outputs_of(network, x1)), (x2, outputs_of(network, x2)))

    def verdict(self, network: Network, before: tuple[FloatArray, Tensor], after: tuple[FloatArray, Tensor]) -> Verdict:
        """The verdict on two inputs, each with its outputs ``(1, n)`` when it went through the network alone."""
        (x1, y1), (x2, y2) = before, after
        (label1, confidence1), (label2, confidence2) = network.decision.verdict(y2, y1)
        apart = distance(x1, x2, self.norm, network.box.unit)
        adversarial = label1 != label2 and self.within(apart, x2)
        outputs = (tuple(y[0].double().tolist()) for y in (y1, y2))
        return Verdict(label1, label2, confidence1, confidence2, apart, adversarial, *outputs)

    def of_replay(self, replayed: Replay) -> Verdict:
        """The verdict on the inputs of a replay that keeps the outputs."""
        return self.verdict(replayed.network, *replayed.with_outputs)

    def within(self, apart: float, x2: FloatArray) -> bool:
        """Whether x2 of this precision, so far from x1, is within the bound."""
        return self.bound is None or apart <= self.bound + ROUNDINGS * float(np.finfo(x2.dtype).eps)


def outputs_of(network: Network, x: FloatArray) -> Tensor:
    """The outputs of one input that goes through the network alone, ``(1, n)``."""
    with torch.no_grad(), one_thread():
        return network(torch.from_numpy(x)[None])
