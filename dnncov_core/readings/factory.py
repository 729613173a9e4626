"""What mends a network, as a Python file with a factory, or as the TOML file beside the network's own.

Labels that are mended go into an ``.npz`` file beside it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import ArrayLike

from dnncov_core.data import Data
from dnncov_core.errors import DnncovError, SpecificationError
from dnncov_core.networks.companion import SUFFIX, text_of
from dnncov_core.networks.network import Network
from dnncov_core.networks.reference import is_file
from dnncov_core.ratios import Ratio
from dnncov_core.readings.check import Check
from dnncov_core.readings.mend import mended_labels, new_bounds, told, tried
from dnncov_core.readings.steps import Step
from dnncov_core.readings.trials import Trial
from dnncov_core.registry import open_network
from dnncov_core.types import FloatArray, Shape

DIGITS = 10
"""Of mean and deviation, which come from a computation in float64."""
FILE = '''"""{name}, mended for the data {data}: `dnncov check` found {after} instead of {before}.

{causes}
"""

import torch
from torch import nn

from dnncov_core import Network
from dnncov_core.registry import open_network


class Mended(nn.Module):
    """The network, after what its inputs need."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network.program.module()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
{lines}        return self.network(x.contiguous())


def build() -> Network:
    """The network that takes inputs as the data have them."""
    network, _ = open_network({name!r})
    return Network(
        Mended(network),
        {told},
    )
'''


@dataclass(frozen=True)
class Mend:
    """What was written.

    Attributes:
        files: the Python or the TOML file, and the ``.npz`` file if labels are mended.
        network: how the mended network is referred to.
        data: how the data for it are referred to.
        accuracy: of the two, on the sample of the check.
    """

    files: tuple[str, ...]
    network: str
    data: str
    accuracy: Ratio


def check_place(path: Path, network: str) -> None:
    """Refuses a file that is there, or that can neither be a Python module nor belong to the network's own file.

    Raises:
        SpecificationError: it is such a file.
    """
    if path.suffix == SUFFIX and is_file(network):
        if path != Path(network + SUFFIX) or path.exists():
            expected = f"for --apply {network}{SUFFIX}, a file that is not there yet"
            raise SpecificationError(expected, str(path), "choose it, or a Python file such as fixed.py")
        return
    there = next((each for each in (path, path.with_suffix(".npz")) if each.exists()), None)
    names = path.with_suffix("").parts if path.name else ()
    if path.suffix != ".py" or path.is_absolute() or not all(each.isidentifier() for each in names):
        expected = "for --apply a Python file in or below the working folder, such as fixed.py, or model.onnx.toml"
        raise SpecificationError(expected, str(path), "choose another name")
    if there is not None:
        raise SpecificationError("for --apply a file that is not there yet", str(there), "choose another name")
    if not path.parent.is_dir():
        raise SpecificationError("for --apply a folder that exists", str(path.parent), "make it, or choose another")


def apply(network: Network, name: str, check: Check, path: Path) -> Mend:
    """Writes what mends a network and its data, and tries it; nothing is left where it does not do what it should.

    Args:
        network: the network.
        name: how it is referred to.
        check: of it.
        path: the Python file, relative to the working folder, or the TOML file beside the network's.

    Raises:
        SpecificationError: there is nothing to mend, or the file cannot be written.
        NetworkError: the mended network cannot be built, or has another accuracy than it should.
    """
    check_place(path, name)
    trial = next(iter(check.mended), check.as_it_is)
    if trial is None or (not check.mended and check.inside):
        raise SpecificationError("a reading that mends the network, for --apply", "none", "leave --apply out")
    files, data, beside = [path], check.data, path.suffix == SUFFIX
    bounds = new_bounds(network, data, trial)
    written = (
        companion_text(Path(name).name, trial, data.shape, bounds) if beside else source(network, name, check, trial)
    )
    try:
        path.write_text(written, encoding="utf-8")
        if trial.labels is not None and data.labels is not None:
            files.append(path.with_suffix(".npz"))
            data = mended_labels(data, trial)
            np.savez_compressed(files[-1], images=data.images, labels=np.array(data.labels))
        accuracy = tried(open_network(name)[0] if beside else _built(path), data, check, trial)
    except (OSError, DnncovError) as error:
        for file in files:
            file.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise SpecificationError(
                "for --apply a file that can be written", str(error.strerror), "change it"
            ) from error
        raise
    reference = name if beside else f"{'.'.join(path.with_suffix('').parts)}:build"
    return Mend(tuple(map(str, files)), reference, str(files[1]) if len(files) > 1 else data.name, accuracy)


def _built(path: Path) -> Network:
    """The network of a Python file that was written."""
    spec = importlib.util.spec_from_file_location("mended", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    built: Network = module.build()
    return built


def source(network: Network, name: str, check: Check, trial: Trial) -> str:
    """The text of the Python file."""
    causes = trial.causes or ("the data leave the bounds that the network has",)
    now = check.as_it_is
    return FILE.format(
        name=name,
        data=check.data.name,
        after=trial.accuracy.display(),
        before="inputs that do not fit" if now is None else now.accuracy.display(),
        causes="\n".join(f"- {cause}" for cause in causes),
        lines="".join(f"        # {step.cause}\n        x = {step.code}\n" for step in trial.steps),
        told=",\n        ".join(_arguments(network, check.data, trial)),
    )


def _arguments(network: Network, data: Data, trial: Trial) -> Iterator[str]:
    """The arguments of the mended network besides its module, as Python."""
    yield f"input_shape={data.shape}"
    for name, value in told(network, data, trial).items():
        yield f"{name}={'network.classes' if name == 'classes' and value else repr(value)}"


def companion_text(name: str, trial: Trial, shape: Shape, bounds: tuple[ArrayLike, ArrayLike] | None) -> str:
    """The text of the TOML file beside a network's own, which `dnncov_core.networks.companion` reads.

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
    return text_of(fields, comment=f"What {name} is told about its inputs and outputs; `dnncov check` found it.")


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
