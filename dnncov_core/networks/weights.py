"""Weights from a file into a module: read without running any code, and fitted name by name."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor, nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks.exported_program import first_line
from dnncov_core.networks.reference import install
from dnncov_core.networks.saved_tensors import GrowingFileError, saved_tensors

StateDict = Mapping[str, Tensor]
SAVED = "the state_dict of a network, as torch.save(module.state_dict(), FILE) writes it"
STALE_SECONDS = 3600.0
"""A partial download that has not grown for so long belongs to nobody any more."""


def read_weights(path: Path) -> StateDict:
    """Tensors by name from a ``.safetensors`` file, or from one of ``torch.save`` with nothing else in it.

    Raises:
        NetworkError: no such file, a damaged one, one with Python objects, which are never opened, or no safetensors
            package for a file of that kind.
    """
    try:
        state = _safetensors(path) if path.suffix == ".safetensors" else _torch(path)
    except NetworkError:
        raise
    except OSError as error:
        raise NetworkError("a file of weights", f"{path}: {error.strerror or error}", "correct the path") from error
    except GrowingFileError as error:
        raise NetworkError(SAVED, f"{path} with {error}", "save it again, as tensors alone") from error
    except UnpicklingError as error:
        raise NetworkError(SAVED, _refused(error, path), "save it again, as tensors alone") from error
    except Exception as error:  # whatever a damaged file makes PyTorch raise
        got = f"{path}, which is damaged: {first_line(error)}"
        raise NetworkError(SAVED, got, "delete that file and get it again") from error
    if not isinstance(state, dict) or not all(isinstance(value, Tensor) for value in state.values()):
        keys = f" of {', '.join(map(str, list(state)[:5]))}" if isinstance(state, dict) else ""
        raise NetworkError(SAVED, f"a {type(state).__name__}{keys} in {path}", "save the state_dict alone")
    return state


def _torch(path: Path) -> Any:
    with path.open("rb") as file:
        return saved_tensors(file)


def _safetensors(path: Path) -> Any:
    try:
        from safetensors.torch import load_file
    except ImportError as error:
        fix = f"{install('.safetensors')}; or give a .pth file"
        raise NetworkError(f"the package safetensors, to read {path}", "no such package", fix) from error
    return load_file(path)


def _refused(error: UnpicklingError, path: Path) -> str:
    named = re.search(r"GLOBAL (\S+)", str(error))
    return f"{path} with the Python object {named[1]}" if named else f"{path}, which is damaged or holds no weights"


def fit(module: nn.Module, state: StateDict, *, name: str, path: Path) -> None:
    """Gives a module, on whatever device, the weights in its own precision.

    Args:
        module: its tensors are replaced.
        state: tensors by name.
        name: the module's, for messages.
        path: where the weights come from, for messages.

    Raises:
        NetworkError: a tensor is missing, superfluous or of another shape; the message names the first.
    """
    own = module.state_dict()
    expected = {key: f"shape {tuple(tensor.shape)}" for key, tensor in own.items()}
    got = {key: _described(tensor) for key, tensor in state.items()}
    differing = [key for key in dict.fromkeys([*own, *state]) if expected.get(key) != got.get(key)]
    differing = [key for key in differing if key in got or not key.endswith("num_batches_tracked")]
    if differing:
        first, more = differing[0], f", and {len(differing) - 1} more that differ" if len(differing) > 1 else ""
        what = f"{first} of {expected.get(first, 'no shape')} in the weights of {name} in {path}"
        fix = f"give a file with the weights of torchvision's {name}"
        raise NetworkError(what, f"{got.get(first, 'none')}{more}", fix)
    counts = {key: torch.zeros((), dtype=tensor.dtype) for key, tensor in own.items() if key not in state}
    own.update(counts | {key: tensor.to(own[key].dtype) for key, tensor in state.items()})
    module.load_state_dict(own, assign=True)  # with the versions of its parts, which MNASNet asks for


def _described(tensor: Tensor) -> str:
    """The shape of a tensor, if it holds real numbers; else of which kind it is."""
    if (
        tensor.layout is torch.strided
        and tensor.device.type == "cpu"
        and not (tensor.is_quantized or tensor.is_complex())
    ):
        return f"shape {tuple(tensor.shape)}"
    return f"a tensor of {tensor.layout}, {tensor.dtype}, {tensor.device}".replace("torch.", "")


def remove_stale_downloads(path: Path) -> None:
    """Removes what downloads of this file left that were killed; one that still grows is left alone."""
    for partial in path.parent.glob(f"{path.name}.*.partial"):
        if time.time() - partial.stat().st_mtime > STALE_SECONDS:
            partial.unlink(missing_ok=True)
