"""What a mended network is told besides its module, the labels that are mended, and whether all does what it should."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dnncov_core.data import Data
from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from dnncov_core.networks.told import told_of_inputs, told_of_outputs
from dnncov_core.ratios import Ratio
from dnncov_core.readings.check import Check
from dnncov_core.readings.steps import is_vector, usual_range
from dnncov_core.readings.trials import Sample, Trial

UNLIKE = 0.01
"""Share of the sample by which rounding may change the accuracy of what is written."""


def told(network: Network, data: Data, trial: Trial) -> dict[str, Any]:
    """The arguments of `Network` for a mended network, besides its module and its shape, as JSON has them."""
    inputs = told_of_inputs(network, new_bounds(network, data, trial))
    if data.shape != network.input_shape:
        inputs = {name: value for name, value in inputs.items() if name in ("bounds", "output")}
    return inputs | told_of_outputs(network, trial.decision)


def new_bounds(network: Network, data: Data, trial: Trial) -> tuple[ArrayLike, ArrayLike] | None:
    """Smallest and largest values of inputs; None for the network's own, where inputs keep their values and fit them.

    New ones come from the data: a usual range of images, or for a vector, whose numbers mean different things, the
    range that each has in the data.
    """
    families = {step.family for step in trial.steps}
    if trial.inside and "values" not in families and (network.box.ranges is None or "shape" not in families):
        return None
    scale = 255.0 if data.images.dtype == np.uint8 else 1.0
    least, most = data.images.min(axis=0) / scale, data.images.max(axis=0) / scale
    if is_vector(data.shape) and "values" not in families and (least < most).any():
        return least.astype(np.float64), most.astype(np.float64)
    return usual_range(data) or (float(np.floor(least.min())), float(np.ceil(most.max())))


def mended_labels(data: Data, trial: Trial) -> Data:
    """The data with the labels as the network counts them; an input whose label it does not have gets the first."""
    if trial.labels is None or data.labels is None:
        return data
    return replace(data, labels=np.maximum(trial.labels.right(data.labels), 0))


def tried(network: Network, data: Data, check: Check, trial: Trial) -> Ratio:
    """The accuracy of a mended network on the sample of its check.

    Raises:
        NetworkError: it is another than the check found.
    """
    accuracy = next(Sample(network, data, check.rows).trials(())).accuracy
    if abs(accuracy.n - trial.accuracy.n) > 1 + UNLIKE * accuracy.total:
        got = f"{accuracy.display()} from the file"
        raise NetworkError(f"an accuracy of {trial.accuracy.display()}", got, "put the lines into your own factory")
    return accuracy
