"""Mistakes of people who bring a network and data, to be planted in one that is right; and the words that name each.

In the tests it is the network of `templates`, small enough that all of them take seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
CIFAR10 = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)
NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TEXT = sorted(range(12), key=str)
Images = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Mistake:
    """What somebody did to a network or its data, and a part of each cause that must be named first.

    ``module`` gets a batch before the network does, ``after`` gets its logits; ``data`` changes images in [0, 1],
    ``(N, C, H, W)``, and labels. ``shape`` is that of the wrong network.
    """

    channels: int
    named: tuple[str, ...]
    module: Callable[[Tensor], Tensor] = lambda x: x
    after: Callable[[Tensor], Tensor] = lambda y: y
    data: Callable[[Images, Labels], tuple[Images, Labels]] = lambda x, y: (x, y)
    shape: Callable[[int], tuple[int, ...]] | None = None
    classes: list[str] | None = None


def to_channels(pair: tuple[float, ...]) -> NDArray[np.float64]:
    return np.array(pair).reshape(3, 1, 1)


def normalised(x: Tensor, pair: tuple[tuple[float, ...], tuple[float, ...]]) -> Tensor:
    mean, deviation = (x.new_tensor(each).view(3, 1, 1) for each in pair)
    return (x - mean) / deviation


def undone(x: Tensor, pair: tuple[tuple[float, ...], tuple[float, ...]]) -> Tensor:
    mean, deviation = (x.new_tensor(each).view(3, 1, 1) for each in pair)
    return x * deviation + mean


class Wrong(nn.Module):
    """A network as somebody uses it wrongly."""

    def __init__(self, module: nn.Module, mistake: Mistake) -> None:
        super().__init__()
        self.network, self.before, self.after = module, mistake.module, mistake.after

    def forward(self, x: Tensor) -> Tensor:
        return self.after(self.network(self.before(x)))


def templates(channels: int, size: int = 6, n: int = 80) -> tuple[nn.Module, Images, Labels]:
    """A network that gives the class of the nearest of ten random images, and noisy copies of these in [0, 1]."""
    rng = np.random.default_rng(channels)
    shades = np.linspace(0.3, 1.0, 10).reshape(10, 1, 1, 1)
    centres = shades * rng.random((10, channels, size, size))
    if channels == 3:
        centres[:, 1] = 0.5  # what is green says nothing
    labels = np.arange(n) % 10
    images = (centres[labels] + 0.03 * rng.standard_normal((n, channels, size, size))).clip(0, 1)
    flat = torch.from_numpy(centres.reshape(10, -1)).float()
    nearest, same = nn.Linear(flat.shape[1], 10), nn.Linear(10, 10, bias=False)
    nearest.weight.data, nearest.bias.data, same.weight.data = flat, 100 - flat.square().sum(1) / 2, torch.eye(10)
    return nn.Sequential(nn.Flatten(), nearest, nn.ReLU(), same), images, labels


def padded(y: Tensor) -> Tensor:
    """Two classes more, which nothing has."""
    return torch.nn.functional.pad(y, (0, 2), value=-1e3)


MISTAKES: dict[str, Mistake] = {
    "data in 0..255": Mistake(3, ("values in [0, 1]",), data=lambda x, y: (x * 255, y)),
    "data in -1..1": Mistake(3, ("values in [0, 1]",), data=lambda x, y: (x * 2 - 1, y)),
    "network of 0..255": Mistake(3, ("values in [0, 255]",), module=lambda x: x / 255),
    "network of -1..1": Mistake(3, ("values in [-1, 1]",), module=lambda x: (x + 1) / 2),
    "ImageNet's mean forgotten": Mistake(3, ("ImageNet's",), module=lambda x: undone(x, IMAGENET)),
    "CIFAR-10's mean forgotten": Mistake(3, ("CIFAR-10's",), module=lambda x: undone(x, CIFAR10)),
    "normalised twice": Mistake(3, ("normalised twice",), module=lambda x: normalised(x, CIFAR10)),
    "normalised data": Mistake(
        3,
        ("normalised twice",),
        data=lambda x, y: ((x - to_channels(CIFAR10[0])) / to_channels(CIFAR10[1]), y),
    ),
    "reshaped, not permuted": Mistake(
        3, ("reshaped, not permuted",), data=lambda x, y: (x.transpose(0, 2, 3, 1).reshape(x.shape), y)
    ),
    "network that reads channels last": Mistake(
        3,
        ("the network reads its values as channels last",),
        module=lambda x: x.reshape(-1, x.shape[2], x.shape[3], 3).permute(0, 3, 1, 2),
    ),
    "channels first for a network of channels last": Mistake(
        3,
        ("values are read channels last",),
        module=lambda x: x.permute(0, 3, 1, 2),
        shape=lambda size: (size, size, 3),
    ),
    "images transposed": Mistake(3, ("height and width",), data=lambda x, y: (x.transpose(0, 1, 3, 2).copy(), y)),
    "blue first": Mistake(3, ("blue, green, red",), data=lambda x, y: (x[:, ::-1].copy(), y)),
    "labels from 1": Mistake(1, ("labels count from 1",), data=lambda x, y: (x, y + 1)),
    "labels in another order": Mistake(
        1, ("another order",), data=lambda x, y: (x, np.array([3, 7, 1, 9, 0, 2, 8, 6, 5, 4])[y])
    ),
    "labels sorted as text": Mistake(1, ("sorted as text",), after=padded, data=lambda x, y: (x, np.argsort(TEXT)[y])),
    "labels by the alphabet": Mistake(
        1, ("by the alphabet",), data=lambda x, y: (x, np.argsort(np.argsort(NAMES))[y]), classes=NAMES
    ),
    "logits negated": Mistake(1, ("the smallest output decides",), after=lambda y: -y),
    "grey data for a network of colours": Mistake(
        1, ("with colours",), module=lambda x: x.mean(1, keepdim=True), shape=lambda size: (3, size, size)
    ),
    "colours for a network of grey": Mistake(1, ("takes grey images",), data=lambda x, y: (np.repeat(x, 3, axis=1), y)),
    "light and dark exchanged": Mistake(1, ("light and dark",), data=lambda x, y: (1 - x, y)),
    "Caffe: blue first, 0..255 less means": Mistake(
        3,
        ("Caffe", "blue, green, red"),
        module=lambda x: ((x + x.new_tensor([103.939, 116.779, 123.68]).view(3, 1, 1)) / 255).flip(1),
    ),
    "0..255, transposed": Mistake(
        3,
        ("values in [0, 1]", "height and width"),
        data=lambda x, y: (x.transpose(0, 1, 3, 2) * 255, y),
    ),
    "labels from 1, in another range": Mistake(
        3,
        ("labels count from 1", "values in [-1, 1]"),
        module=lambda x: (x + 1) / 2,
        data=lambda x, y: (x, y + 1),
    ),
}
