"""The official MNIST and CIFAR-10 images through torchvision, downloaded once into the user's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dnncov_core.data.files import Arrays
from dnncov_core.downloads import FAILURES, downloading
from dnncov_core.errors import DataError
from dnncov_core.resources import home

DIGITS = tuple("0123456789")
CIFAR10_CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")


@dataclass(frozen=True)
class _Source:
    """A class of torchvision.datasets, the folder that its download leaves, and the embedded data to use without it."""

    dataset: str
    folder: str
    classes: tuple[str, ...]
    embedded: str


MNIST = _Source("MNIST", "MNIST", DIGITS, "mnist")
CIFAR10 = _Source("CIFAR10", "cifar-10-batches-py", CIFAR10_CLASSES, "cifar10-sample")


def read_mnist(*, train: bool) -> Arrays:
    """The 60,000 training or 10,000 test digits: uint8 ``(N, 1, 28, 28)``, labels ``(N,)``.

    Raises:
        DataError: they are not here and cannot be downloaded, or what is here is damaged.
    """
    return _read(MNIST, train=train)


def read_cifar10(*, train: bool) -> Arrays:
    """The 50,000 training or 10,000 test images of CIFAR-10: uint8 ``(N, 3, 32, 32)``, labels ``(N,)``.

    Raises:
        DataError: they are not here and cannot be downloaded, or what is here is damaged.
    """
    return _read(CIFAR10, train=train)


def _read(source: _Source, *, train: bool) -> Arrays:
    folder = home() / "data"
    if not (folder / source.folder).exists():
        _download(source, folder)
    try:
        found = _torchvision(source.dataset, folder, train=train, download=False)
        images = np.asarray(found.data)
        images = images[:, None] if images.ndim == 3 else np.moveaxis(images, -1, 1)
        return Arrays(images, np.asarray(found.targets), source.classes)
    except (RuntimeError, ValueError, OSError, AssertionError, KeyError, IndexError) as error:
        damaged = folder / source.folder
        expected = f"the {source.dataset} files in {damaged}"
        raise DataError(expected, f"{error}", "delete that folder and try again") from error


def _download(source: _Source, folder: Path) -> None:
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
