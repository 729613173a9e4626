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
from dnncov_core.data.tables import TABLES, feature_names
from dnncov_core.errors import NetworkError
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.network import Network
from dnncov_core.readings.check import Check
from dnncov_core.readings.steps import Step, usual_range
from dnncov_core.readings.trials import Sample, Trial
from dnncov_core.registry import place_of
from dnncov_core.types import Shape

UNLIKE = 0.01
"""Share of the sample by which rounding may change the accuracy of what is written."""


class Mended(nn.Module):
    """A network after what its inputs need.

    Args:
        network: takes what the last step gives.
        shape: of one input, on which the first step works.
        steps: what is done to inputs.
    """

    def __init__(self, network: Network, shape: Shape, steps: tuple[Step, ...]) -> None:
        super().__init__()
        self.network = network.program.module()
        self.shape, self.steps = shape, steps

    def forward(self, x: Tensor) -> Any:
        x = x.reshape(-1, *self.shape)
        for step in self.steps:
            x = step.act(x)
        return self.network(x.contiguous())


def save_mended(network: Network, check: Check, trial: Trial, path: Path) -> Network:
    """Writes the network that takes inputs as the data have them, and tries it on the sample of the check.

    Where the shape of inputs changes anyway, grey pictures get their channel, as other networks of pictures have it;
    and the rows of a table become vectors, whose numbers have the names of its columns.

    Args:
        network: as it was checked.
        check: of it, with the data.
        trial: what mends it, one of the check's.
        path: a ``.pt2`` file.

    Raises:
        NetworkError: it cannot be built, or has another accuracy than it should.
    """
    told, shape = _told(network, check.data, trial), check.data.shape
    taken = _taken_shape(check.data, trial)
    if len(taken) == 1 and len(shape) > 1:
        others = [each.name for each in network.quantities]
        told["features"] = list(feature_names(Path(place_of(check.data.name)), others))
        told["bounds"] = [np.reshape(end, -1).tolist() if np.ndim(end) else end for end in told["bounds"]]
    mended = Network(Mended(network, shape, trial.steps), taken, **told)
    torch.export.save(mended.program, path, extra_files={"dnncov.json": json.dumps(told)})
    data = mended_labels(check.data, trial)
    data = replace(data, images=data.images.reshape(-1, *mended.input_shape))
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
        box = network.box
        told |= {"resize": network.resize, "features": box.features or None, "units": box.units or None}
        told |= {"embedded": True} if box.embedded else {}
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
    """Smallest and largest values of inputs: the network's own where inputs keep their values and are within them.

    Else they come from the data: a usual range of images, or for a vector, whose numbers mean different things, the
    range that each has in the data.
    """
    families = {step.family for step in trial.steps}
    if trial.inside and "values" not in families:
        if network.box.ranges is None:
            return network.bounds
        if "shape" not in families:
            return network.box.low, network.box.high
    scale = 255.0 if data.images.dtype == np.uint8 else 1.0
    least, most = data.images.min(axis=0) / scale, data.images.max(axis=0) / scale
    if _is_vector(data.shape) and "values" not in families and (least < most).any():
        return least.astype(np.float64), most.astype(np.float64)
    return usual_range(data) or (float(np.floor(least.min())), float(np.ceil(most.max())))


def _taken_shape(data: Data, trial: Trial) -> Shape:
    """The shape of inputs of the mended network."""
    if _is_vector(data.shape):
        return (max(data.shape),) if Path(place_of(data.name)).suffix in TABLES else data.shape
    has_no_channel = len(data.shape) == 2 and any(step.family == "shape" for step in trial.steps)
    return (1, *data.shape) if has_no_channel else data.shape


def _is_vector(shape: Shape) -> bool:
    return sum(size > 1 for size in shape) == 1
