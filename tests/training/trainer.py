"""Trains a classifier for a fixed number of epochs; the last epoch's weights are kept, whatever test images say.

Training images are varied by random moves and mirrors, drawn from torch's global generator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

Report = Callable[[str], None]


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


@dataclass(frozen=True)
class Recipe:
    """How a network is trained: gradient descent with momentum, its learning rate falling by a cosine to 0.

    Attributes:
        augmentation: how each batch is varied.
        bfloat16: layers are computed in bfloat16, their weights and the loss kept in float32.
        seed: decides initial weights, order and augmentation.
    """

    epochs: int
    learning_rate: float
    augmentation: Augmentation
    batch: int = 128
    momentum: float = 0.9
    weight_decay: float = 0.0
    bfloat16: bool = False
    seed: int = 0

    def __str__(self) -> str:
        decay = f", weight decay {self.weight_decay}" if self.weight_decay else ""
        return (
            f"{self.epochs} epochs of gradient descent (learning rate {self.learning_rate} with cosine decay, momentum "
            f"{self.momentum}{decay}, batches of {self.batch}, {self.augmentation}), seed {self.seed}"
        )


@dataclass(frozen=True)
class LabelledImages:
    """Images ``(N, channels, height, width)``, uint8 or float in [0, 1], and labels int64 ``(N,)`` as tensors."""

    images: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    def pixels(self, rows: Tensor | slice) -> Tensor:
        """Float32 images ``(len(rows), channels, height, width)`` in [0, 1]."""
        chosen = self.images[rows]
        return chosen.float() / 255 if chosen.dtype == torch.uint8 else chosen.float()


def train(module: nn.Module, data: LabelledImages, recipe: Recipe, report: Report = print) -> None:
    """Trains ``module`` in place from its present weights and leaves it in eval mode.

    Args:
        module: ``(batch, channels, height, width)`` in [0, 1] to logits.
        data: the training images.
        recipe: epochs, optimiser, augmentation; its seed decides order and augmentation.
        report: receives one line after each epoch.
    """
    torch.manual_seed(recipe.seed)
    optimizer = torch.optim.SGD(
        module.parameters(), lr=recipe.learning_rate, momentum=recipe.momentum, weight_decay=recipe.weight_decay
    )
    n_steps = recipe.epochs * -(-len(data) // recipe.batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_steps)
    module.train()
    for epoch in range(1, recipe.epochs + 1):
        total = 0.0
        for rows in torch.split(torch.randperm(len(data)), recipe.batch):
            images = recipe.augmentation(data.pixels(rows))
            with torch.autocast("cpu", torch.bfloat16, enabled=recipe.bfloat16):
                logits = module(images)
            loss = nn.functional.cross_entropy(logits.float(), data.labels[rows])
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
            schedule.step()
            total += loss.item() * len(rows)
        report(f"epoch {epoch}/{recipe.epochs}: mean loss {total / len(data):.4f}")
    module.eval()


def n_correct(module: nn.Module, data: LabelledImages) -> int:
    """How many images ``module`` gives their own label."""
    with torch.no_grad():
        batches = [slice(start, start + 1000) for start in range(0, len(data), 1000)]
        return sum(int((module(data.pixels(b)).argmax(1) == data.labels[b]).sum()) for b in batches)
