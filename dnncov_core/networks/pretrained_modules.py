"""The ImageNet networks of torchvision: its structures, weights, transforms and class names, for pixels in [0, 1]."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torchvision.models import get_model, get_model_weights
from torchvision.transforms import InterpolationMode

from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from dnncov_core.networks.pretrained import PRETRAINED, weights_file
from dnncov_core.networks.weights import StateDict, fit, read_weights, remove_stale_downloads
from dnncov_core.resources import FAILURES, downloading

WITH_MORE = ("googlenet", "inception_v3")
"""Networks with classifiers that only their training needs."""
COMPUTED = ("regnet_y_400mf",)
"""Networks whose structure is computed from values of tensors, of which the meta device has none."""
TRAINING_ONLY = ("aux1.", "aux2.", "AuxLogits.")
"""What the names of these classifiers' weights begin with."""
HALVES = (0.5,) * 3, (0.5,) * 3
"""Mean and deviation for those networks: torchvision's ``transform_input`` takes back its own normalisation first."""
DENSE = re.compile(r"(denselayer\d+\.(?:norm|conv))\.([12]\.)")
"""Older names in the weights of DenseNet: ``norm.1.weight`` of what is ``norm1.weight`` now."""


class PixelSpace(nn.Module):
    """A module for normalised inputs, made one for pixels: ``(x - mean) / std`` of each channel comes first."""

    mean: Tensor
    std: Tensor

    def __init__(self, net: nn.Module, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__()
        self.net = net
        self.register_buffer("mean", torch.tensor(mean)[:, None, None])
        self.register_buffer("std", torch.tensor(std)[:, None, None])

    def forward(self, x: Tensor) -> Tensor:
        """Logits of a batch ``(batch, channels, height, width)`` in pixel space."""
        return self.net((x - self.mean) / self.std)  # type: ignore[no-any-return]


def load_pretrained(name: str, file: Path | None = None) -> Network:
    """A network of torchvision with its ImageNet weights.

    Args:
        name: one of `pretrained.PRETRAINED`.
        file: the weights; without it those of torchvision, downloaded unless they are here already.

    Raises:
        NetworkError: the weights cannot be downloaded or read, or are those of another network.
    """
    path = _fetched(name) if file is None else file
    state = read_weights(path)
    return in_pixel_space(name, fitted(name, state, path))


def structure(name: str) -> nn.Module:
    """torchvision's module with random weights, without what only its training needs."""
    options = {"aux_logits": False, "init_weights": False} if name in WITH_MORE else {}
    return get_model(name, weights=None, **options)  # type: ignore[no-any-return]


def fitted(name: str, state: StateDict, path: Path) -> nn.Module:
    """torchvision's module with weights from a file, of which it takes no more memory."""
    with torch.device("cpu" if name in COMPUTED else "meta"):
        net = structure(name)
    known = {DENSE.sub(r"\1\2", key): tensor for key, tensor in state.items() if not key.startswith(TRAINING_ONLY)}
    fit(net, known, name=name, path=path)
    return net


def in_pixel_space(name: str, net: nn.Module) -> Network:
    """The canonical network of torchvision's module, with the transforms and the class names of its weights."""
    weights = weights_of(name)
    transforms = weights.transforms()
    (crop,), (resize,) = transforms.crop_size, transforms.resize_size
    mean, std = HALVES if name in WITH_MORE else (transforms.mean, transforms.std)
    bicubic = transforms.interpolation is InterpolationMode.BICUBIC
    photos = {"resize": resize, "bicubic": bicubic}
    return Network(PixelSpace(net, mean, std), (3, crop, crop), classes=weights.meta["categories"], **photos)


def weights_of(name: str) -> Any:
    """torchvision's description of the weights: ``url``, ``transforms()`` and ``meta``."""
    return get_model_weights(name)[PRETRAINED[name].weights]


def _fetched(name: str) -> Path:
    """The file of the weights, downloaded beside its final place first, so that it is whole as soon as it is there."""
    path, weights = weights_file(name), weights_of(name)
    if path.is_file():
        return path
    try:
        remove_stale_downloads(path)
        with downloading():
            weights.get_state_dict(model_dir=str(path.parent), progress=True, check_hash=True, weights_only=True)
    except FAILURES as error:
        expected = f"to download the weights of {name} ({PRETRAINED[name].megabytes} MB) from {weights.url}"
        fix = f"connect to the internet and try again, or get that file elsewhere and name it: {name}=FILE"
        raise NetworkError(expected, f"{error}", fix) from error
    return path
