"""What mends a network, as a ``.pt2`` file, which loads without running code; and labels that are mended."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from dnncov_core.data import Data
from dnncov_core.errors import NetworkError
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.network import Network
from dnncov_core.readings.check import Check, leaves
from dnncov_core.readings.steps import Step, usual_range
from dnncov_core.readings.trials import Sample, Trial

UNLIKE = 0.01
"""Share of the sample by which rounding may change the accuracy of what is written."""


class Mended(nn.Module):
    """A network after what its inputs need."""

    def __init__(self, network: Network, steps: tuple[Step, ...]) -> None:
        super().__init__()
        self.network = network.program.module()
        self.steps = steps

    def forward(self, x: Tensor) -> Any:
        for step in self.steps:
            x = step.act(x)
        return self.network(x.contiguous())


def save_mended(network: Network, check: Check, trial: Trial, path: Path) -> Network:
    """Writes the network that takes inputs as the data have them, and tries it on the sample of the check.

    Args:
        network: as it was checked.
        check: of it, with the data.
        trial: what mends it, one of the check's.
        path: a ``.pt2`` file.

    Raises:
        NetworkError: it cannot be built, or has another accuracy than it should.
    """
    told = _told(network, check.data, trial)
    mended = Network(Mended(network, trial.steps), check.data.shape, **told)
    torch.export.save(mended.program, path, extra_files={"dnncov.json": json.dumps(told)})
    data = mended_labels(check.data, trial)
    accuracy = next(Sample(mended, data, check.rows).trials(())).accuracy
    if abs(accuracy.n - trial.accuracy.n) > 1 + UNLIKE * accuracy.total:
        got = f"{accuracy.display()} once it was written"
        raise NetworkError(f"an accuracy of {trial.accuracy.display()}", got, "put the lines into your own factory")
    return mended


def mended_labels(data: Data, trial: Trial) -> Data:
    """The data with the labels as the network counts them; an input whose label it does not have gets the first."""
    if trial.labels is None or data.labels is None:
        return data
    return replace(data, labels=np.maximum(trial.labels.right(data.labels), 0))


def _told(network: Network, data: Data, trial: Trial) -> dict[str, Any]:
    """What `Network` is told of the mended network, as JSON has it."""
    low, high = bounds_of(network, data, trial)
    told: dict[str, Any] = {"bounds": [np.asarray(low).tolist(), np.asarray(high).tolist()], "output": network.output}
    if data.shape == network.input_shape:
        told |= {"resize": network.resize, "features": network.box.features or None, "units": network.box.units or None}
    if not isinstance(network.decision, LabelDecision):
        parts = {"tolerance": "tolerance", "quantities": "name", "quantity_units": "unit"}
        return {**told, "classes": None} | {
            name: [getattr(each, of) for each in network.quantities] for name, of in parts.items()
        }
    told["classes"] = list(network.classes)
    rule = trial.decision or network.decision.rule
    if rule != "threshold":
        return told | {"decision": rule}
    limit = network.decision.threshold
    return told | {"threshold": 1 / (1 + math.exp(-limit)) if network.graph.ends_with("sigmoid") else limit}


def bounds_of(network: Network, data: Data, trial: Trial) -> tuple[ArrayLike, ArrayLike]:
    """Smallest and largest values of inputs: the network's own where they stay as they are and the data are within.

    Else they come from the data: a usual range of images, or for a vector, whose numbers mean different things, the
    range that each has in the data.
    """
    if not any(step.family in ("values", "shape") for step in trial.steps) and not leaves(network, data):
        return (network.box.low, network.box.high) if network.box.ranges else network.bounds
    scale = 255.0 if data.images.dtype == np.uint8 else 1.0
    least, most = data.images.min(axis=0) / scale, data.images.max(axis=0) / scale
    is_vector = sum(size > 1 for size in data.shape) == 1
    if is_vector and not any(step.family == "values" for step in trial.steps) and (least < most).any():
        return least.astype(np.float64), most.astype(np.float64)
    return usual_range(data) or (float(np.floor(least.min())), float(np.ceil(most.max())))
