"""Whether a pair of inputs covers a feature pair: the network itself is asked again."""

from __future__ import annotations

import torch

from dnncov_core.activations import capture, one_thread
from dnncov_core.criteria import CoveringMethod
from dnncov_core.features import FeaturePair
from dnncov_core.networks.network import Network
from dnncov_core.types import FloatArray


def replay(network: Network, method: CoveringMethod, pair: FeaturePair, x1: FloatArray, x2: FloatArray) -> bool:
    """Whether the covering method holds for (x1, x2), both ``input_shape``, each sent alone through the network.

    Raises:
        NumericsError: a NaN or an infinite value on the way.
    """
    layers = (pair.condition.layer, pair.decision.layer)
    with torch.no_grad(), one_thread():
        before, after = (capture(network, torch.from_numpy(x)[None], layers) for x in (x1, x2))
    return bool(method.holds(pair, before, after)[0])
