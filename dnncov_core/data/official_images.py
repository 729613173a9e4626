"""The official MNIST and CIFAR-10 images through torchvision, downloaded once into the user's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dnncov_core.data.files import Arrays
from dnncov_core.errors import DataError
from dnncov_core.resources import FAILURES, downloading, home

DIGITS = tuple("0123456789")
CIFAR10_CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")


@dataclass(frozen=True)
class OfficialImages:
    """A data set that torchvision downloads.

    Attributes:
        dataset: the class of torchvision.datasets.
        folder: the folder that its download leaves.
        classes: class names in the order of their numbers.
        embedded: the embedded data to use where it cannot be downloaded.
    """

    dataset: str
    folder: str
    classes: tuple[str, ...]
    embedded: str

    def read(self, *, train: bool) -> Arrays:
        """The training or the test images: uint8 ``(N, channels, height, width)``, labels ``(N,)``.

        Raises:
            DataError: they are not here and cannot be downloaded, or what is here is damaged.
        """
        folder = home() / "data"
        if not (folder / self.folder).exists():
            _download(self, folder)
        try:
            found = _torchvision(self.dataset, folder, train=train, download=False)
            images = np.asarray(found.data)
            images = images[:, None] if images.ndim == 3 else np.moveaxis(images, -1, 1)
            return Arrays(images, np.asarray(found.targets), self.classes)
        except (RuntimeError, ValueError, OSError, AssertionError, KeyError, IndexError) as error:
            expected = f"the {self.dataset} files in {folder / self.folder}"
            raise DataError(expected, f"{error}", "delete that folder and try again") from error


MNIST = OfficialImages("MNIST", "MNIST", DIGITS, "mnist")
"""60,000 training and 10,000 test digits of 28 x 28 grey pixels."""
CIFAR10 = OfficialImages("CIFAR10", "cifar-10-batches-py", CIFAR10_CLASSES, "cifar10-sample")
"""50,000 training and 10,000 test images of 32 x 32 pixels in colour."""


def _download(source: OfficialImages, folder: Path) -> None:
    """Downloads beside the final place and moves it there when all is well, so that nothing is left half done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder, prefix=".download-") as partial:
            with downloading():
                _torchvision(source.dataset, Path(partial), train=True, download=True)
            (Path(partial) / source.folder).rename(folder / source.folder)
    except FAILURES as error:
        expected = f"to download {source.dataset} into {folder}"
        fix = f"connect to the internet and try again, or use the embedded data {source.embedded}"
        raise DataError(expected, f"{error}", fix) from error


def _torchvision(dataset: str, folder: Path, *, train: bool, download: bool) -> Any:
    """The data set as torchvision has it, imported here so that reading other data needs no torch."""
    from torchvision import datasets

    return getattr(datasets, dataset)(str(folder), train=train, download=download)
