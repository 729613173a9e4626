"""How the networks of each data set are trained: their images, their recipe, and the words for their cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch

from dnncov_core.box import Box
from dnncov_core.data import check_for_network, load_data
from dnncov_core.data.files import Arrays
from dnncov_core.data.official_images import CIFAR10, MNIST
from dnncov_core.networks.zoo import EMBEDDED
from dnncov_core.types import Shape
from tests.training.trainable import in_words
from tests.training.trainer import BatchShift, LabelledImages, Recipe, ShiftAndFlip

BOUNDS = (0.0, 1.0)


@dataclass(frozen=True)
class Course:
    """The networks of one data set and how they are trained.

    Attributes:
        title: the data set's name in words.
        shape: the shape of one image, (channels, height, width).
        networks: their embedded names.
        campaign_data: the embedded data that campaigns on them begin with.
        least_accuracy: a network below it on the test images is not written.
        download: reads the training or the test images through torchvision.
        remark: what follows the structure in a network's description, from its name.
    """

    title: str
    shape: Shape
    classes: tuple[str, ...]
    networks: tuple[str, ...]
    campaign_data: str
    recipe: Recipe
    least_accuracy: float
    download: Callable[..., Arrays] = field(repr=False)
    remark: Callable[[str], str] = field(default=lambda name: "", repr=False)

    def read(self, file: Path | None, *, train: bool) -> LabelledImages:
        """The images of an ``.npz`` file, or without one the training or test images through torchvision.

        Raises:
            DataError: the images cannot be read or downloaded, or do not fit this data set's shape, [0, 1] and labels.
        """
        if file is None:
            arrays = self.download(train=train)
            return LabelledImages(torch.tensor(arrays.images), torch.tensor(arrays.labels))
        data = load_data(file, self.shape)
        check_for_network(data, Box(self.shape, BOUNDS), len(self.classes))
        return LabelledImages(torch.tensor(data.images), torch.tensor(data.labels))

    def images(self, n: int, part: str, encoding: str) -> str:
        """Which images, for a card: ``10,000 CIFAR-10 test images (JPEG, quality 75)``."""
        return f"{n:,} {self.title} {part} images" + (f" ({encoding})" if encoding else "")

    def describe(self, name: str, images: str, recipe: Recipe) -> str:
        """Structure, data and training of one network in words."""
        return f"{in_words(EMBEDDED[name])}{self.remark(name)}. Trained on {images}: {recipe}; last epoch kept."


COURSES: dict[str, Course] = {
    "mnist": Course(
        title="MNIST",
        shape=(1, 28, 28),
        classes=MNIST.classes,
        networks=tuple(f"mnist-n{number}" for number in range(1, 11)),
        campaign_data="mnist",
        recipe=Recipe(epochs=20, learning_rate=0.05, augmentation=BatchShift(1)),
        least_accuracy=0.97,
        download=MNIST.read,
        remark=lambda name: f", the structure of {name.removeprefix('mnist-').upper()} in the paper",
    ),
    "cifar10": Course(
        title="CIFAR-10",
        shape=(3, 32, 32),
        classes=CIFAR10.classes,
        networks=("cifar10-cnn",),
        campaign_data="cifar10-sample",
        recipe=Recipe(epochs=24, learning_rate=0.1, augmentation=ShiftAndFlip(4), weight_decay=5e-4, bfloat16=True),
        least_accuracy=0.8,
        download=CIFAR10.read,
    ),
}
"""Data set -> how its networks are trained.

Plain momentum leaves almost no neuron without a sign change over the images; Adam left up to a quarter of a layer.
"""
