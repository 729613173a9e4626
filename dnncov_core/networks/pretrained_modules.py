"""The ImageNet networks of torchvision: its structures, weights, transforms and class names, for pixels in [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torchvision.models import get_model, get_model_weights

from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from dnncov_core.networks.pretrained import PRETRAINED, weights_file
from dnncov_core.networks.weights import fit, read_weights, remove_stale_downloads
from dnncov_core.resources import FAILURES, downloading


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
    with torch.device("meta"):
        net = get_model(name, weights=None)
    fit(net, state, name=name, path=path)
    return in_pixel_space(name, net)


def in_pixel_space(name: str, net: nn.Module) -> Network:
    """The canonical network of torchvision's module, with the transforms and the class names of its weights."""
    weights = weights_of(name)
    transforms = weights.transforms()
    (crop,), (resize,) = transforms.crop_size, transforms.resize_size
    module = PixelSpace(net, transforms.mean, transforms.std)
    return Network(module, (3, crop, crop), classes=weights.meta["categories"], resize=resize)


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
