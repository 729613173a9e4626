"""The test oracle: two close inputs must have the same label (the paper's Definition Oracle)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from dnncov_core.activations import one_thread
from dnncov_core.distances import ROUNDINGS, distance
from dnncov_core.networks.network import Network
from dnncov_core.types import FloatArray, Norm


@dataclass(frozen=True)
class Verdict:
    """Labels and confidences (softmax) of x1 and x2, their distance, and whether the pair is adversarial."""

    label1: int
    label2: int
    confidence1: float
    confidence2: float
    distance: float
    adversarial: bool


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
        (label1, confidence1), (label2, confidence2) = (classify(network, x) for x in (x1, x2))
        apart = distance(x1, x2, self.norm, network.box.unit)
        adversarial = label1 != label2 and self.within(apart, x2)
        return Verdict(label1, label2, confidence1, confidence2, apart, adversarial)

    def within(self, apart: float, x2: FloatArray) -> bool:
        """Whether x2 of this precision, so far from x1, is within the bound."""
        return self.bound is None or apart <= self.bound + ROUNDINGS * float(np.finfo(x2.dtype).eps)


def classify(network: Network, x: FloatArray) -> tuple[int, float]:
    """Label and its softmax confidence of one input."""
    with torch.no_grad(), one_thread():
        probabilities = network.scores(network(torch.from_numpy(x)[None]))[0].double().softmax(dim=0)
    label = int(probabilities.argmax())
    return label, float(probabilities[label])
