"""How training images are varied: random moves and mirrors, drawn from torch's global generator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn


class Augmentation(Protocol):
    """Varies a batch ``(batch, channels, height, width)``; as a text it says how, for a network's card."""

    def __call__(self, images: Tensor) -> Tensor: ...


@dataclass(frozen=True)
class BatchShift:
    """Moves the whole batch by one random offset; digits have an empty border, so nothing is cut off.

    Attributes:
        pixels: the furthest move in each direction.
    """

    pixels: int = 1

    def __call__(self, images: Tensor) -> Tensor:
        down, right = torch.randint(-self.pixels, self.pixels + 1, (2,)).tolist()
        return images.roll((down, right), dims=(-2, -1))

    def __str__(self) -> str:
        return f"each moved by up to {self.pixels} pixel"


@dataclass(frozen=True)
class ShiftAndFlip:
    """Moves each image by a random offset of its own, reflected at the border, and mirrors every second one.

    Attributes:
        pixels: the furthest move in each direction.
    """

    pixels: int = 4

    def __call__(self, images: Tensor) -> Tensor:
        height, width = images.shape[-2:]
        padded = nn.functional.pad(images, (self.pixels,) * 4, mode="reflect")
        windows = padded.unfold(2, height, 1).unfold(3, width, 1)
        down, right = torch.randint(2 * self.pixels + 1, (2, len(images)))
        moved = windows[torch.arange(len(images)), :, down, right]
        mirrored = torch.randint(2, (len(images), 1, 1, 1)).bool()
        return torch.where(mirrored, moved.flip(-1), moved)

    def __str__(self) -> str:
        return f"each image moved by up to {self.pixels} pixels and mirrored at random"
