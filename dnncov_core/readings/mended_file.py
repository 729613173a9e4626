"""What mends a network, as a ``.pt2`` file, which loads without running code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dnncov_core.data import Data
from dnncov_core.data.tables import TABLES, feature_names
from dnncov_core.networks.network import Network
from dnncov_core.readings.check import Check
from dnncov_core.readings.mend import mended_labels, told, tried
from dnncov_core.readings.steps import Step, is_vector
from dnncov_core.readings.trials import Trial
from dnncov_core.registry import place_of
from dnncov_core.types import Shape


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
    mended = _written(network, check.data, trial, path)
    data = mended_labels(check.data, trial)
    tried(mended, replace(data, images=data.images.reshape(-1, *mended.input_shape)), check, trial)
    return mended


def save_with_their_bounds(network: Network, data: Data, path: Path) -> Network:
    """Writes the network with the bounds of data without labels, which have its shape and leave its own bounds.

    Raises:
        NetworkError: it cannot be built.
    """
    return _written(network, data, Trial((), None, None, inside=False, correct=np.zeros(0, bool), least=0.0), path)


def _written(network: Network, data: Data, trial: Trial, path: Path) -> Network:
    arguments, shape = told(network, data, trial), data.shape
    taken = _taken_shape(data, trial)
    if len(taken) == 1 and len(shape) > 1:
        others = [each.name for each in network.quantities]
        arguments["features"] = list(feature_names(Path(place_of(data.name)), others))
        arguments["bounds"] = [np.reshape(end, -1).tolist() if np.ndim(end) else end for end in arguments["bounds"]]
    mended = Network(Mended(network, shape, trial.steps), taken, **arguments)
    torch.export.save(mended.program, path, extra_files={"dnncov.json": json.dumps(arguments)})
    return mended


def _taken_shape(data: Data, trial: Trial) -> Shape:
    """The shape of inputs of the mended network."""
    if is_vector(data.shape):
        return (max(data.shape),) if Path(place_of(data.name)).suffix in TABLES else data.shape
    has_no_channel = len(data.shape) == 2 and any(step.family == "shape" for step in trial.steps)
    return (1, *data.shape) if has_no_channel else data.shape
