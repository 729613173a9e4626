"""What mends a network's file, as the TOML file beside it that `dnncov_core.networks.companion` reads."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike

from dnncov_core.errors import SpecificationError
from dnncov_core.readings.steps import Step
from dnncov_core.readings.trials import Trial
from dnncov_core.types import FloatArray, Shape

DIGITS = 10
"""Of mean and deviation, which come from a computation in float64."""


def text(name: str, trial: Trial, shape: Shape, bounds: tuple[ArrayLike, ArrayLike] | None) -> str:
    """The text of the TOML file.

    Args:
        name: of the network.
        trial: what is done to inputs and outputs.
        shape: of the data.
        bounds: of the inputs; None where those of the network stay.

    Raises:
        SpecificationError: it takes more than a mean, a deviation, bounds and the sign of the decision.
    """
    if trial.labels is not None or any(step.family != "values" for step in trial.steps):
        expected = "for a TOML file a mend of ranges, of means and deviations, or of the decision"
        raise SpecificationError(expected, ", ".join(trial.causes), "give --apply a Python file, such as fixed.py")
    fields: dict[str, object] = {} if bounds is None else {"bounds": [np.asarray(end).tolist() for end in bounds]}
    if trial.steps:
        mean, deviation = _scaling(trial.steps, shape)
        fields |= {"mean": mean.tolist(), "deviation": deviation.tolist()}
    if trial.decision is not None:
        fields["decision"] = trial.decision
    lines = [f"# What {name} is told about its inputs and outputs; `dnncov check` found it.", ""]
    return "\n".join([*lines, *(f"{key} = {json.dumps(value)}" for key, value in fields.items()), ""])


def _scaling(steps: Sequence[Step], shape: Shape) -> tuple[FloatArray, FloatArray]:
    """The mean and the deviation that do what these affine steps do, as small arrays that broadcast to ``shape``."""
    zero, one = (torch.full((1, *shape), value, dtype=torch.float64) for value in (0.0, 1.0))
    for step in steps:
        zero, one = step.act(zero), step.act(one)
    gain = one - zero
    return _shortened((-zero / gain)[0].numpy()), _shortened((1 / gain)[0].numpy())


def _shortened(numbers: FloatArray) -> FloatArray:
    """Numbers to `DIGITS` digits, one where all along an axis are equal; a single one without axes."""
    short = numbers.round(DIGITS) + 0.0
    for axis in range(short.ndim):
        first = short.take([0], axis)
        short = first if (short == first).all() else short
    return short.reshape(()) if short.size == 1 else short
