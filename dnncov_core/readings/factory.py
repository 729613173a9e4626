"""What mends a network, as a Python file with a factory, or as the TOML file beside the network's own.

Labels that are mended go into an ``.npz`` file beside it.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dnncov_core.data import Data
from dnncov_core.errors import DnncovError, SpecificationError
from dnncov_core.networks.companion import SUFFIX
from dnncov_core.networks.network import Network
from dnncov_core.networks.reference import is_file
from dnncov_core.ratios import Ratio
from dnncov_core.readings import companion
from dnncov_core.readings.check import Check
from dnncov_core.readings.mend import decided, mended_labels, new_bounds, tried
from dnncov_core.readings.trials import Trial
from dnncov_core.registry import open_network

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
    written = _beside(network, name, check, trial) if beside else source(network, name, check, trial)
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
        told=",\n        ".join(_told(network, check.data, trial)),
    )


def _told(network: Network, data: Data, trial: Trial) -> list[str]:
    """The arguments of the mended network besides its module."""
    new = new_bounds(network, data, trial)
    same = "(network.box.low, network.box.high)" if network.box.ranges else repr(network.bounds)
    bounds = same if new is None else repr(tuple(np.asarray(end).tolist() for end in new))
    told = [f"input_shape={data.shape}", f"bounds={bounds}", "output=network.output"]
    if data.shape == network.input_shape:
        told += ["resize=network.resize", "bicubic=network.bicubic", "embedded=network.box.embedded"]
        told += ["features=network.box.features or None", "units=network.box.units or None"]
    means = decided(network, trial).items()
    return [*told, *(f"{name}={'network.classes' if name == 'classes' else repr(value)}" for name, value in means)]


def _beside(network: Network, name: str, check: Check, trial: Trial) -> str:
    """The text of the TOML file beside the network's own.

    Raises:
        SpecificationError: such a file cannot mend it.
    """
    return companion.text(Path(name).name, trial, check.data.shape, new_bounds(network, check.data, trial))
