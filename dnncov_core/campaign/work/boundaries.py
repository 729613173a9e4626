"""The largest u of the targets' neurons over reference data, for neuron boundaries."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch

from dnncov_core.activations import capture
from dnncov_core.data import Data
from dnncov_core.networks.memory import parts
from dnncov_core.networks.network import Network
from dnncov_core.records import Target

Boundaries = dict[tuple[int, int], float]
"""The largest u by (layer, neuron)."""


def measured(network: Network, data: Data, targets: Iterable[Target]) -> Boundaries:
    """The largest u of each neuron that the targets name over all inputs of the data."""
    wanted: dict[int, set[int]] = {}
    for target in targets:
        wanted.setdefault(target.condition_layer, set()).update(target.condition_neurons)
        wanted.setdefault(target.decision_layer, set()).update(target.decision_neurons)
    neurons = {layer: np.array(sorted(those), np.int64) for layer, those in wanted.items()}
    highest = {layer: np.full(len(those), -np.inf) for layer, those in neurons.items()}
    for part in parts(network, len(data)):
        with torch.no_grad():
            values = capture(network, torch.from_numpy(data.pixels(part)), neurons)
        for layer, those in neurons.items():
            u = values[layer].u.amax(dim=0).double().cpu().numpy()
            highest[layer] = np.maximum(highest[layer], u[those])
    return {
        (layer, int(neuron)): float(u)
        for layer, those in neurons.items()
        for neuron, u in zip(those, highest[layer], strict=True)
    }
