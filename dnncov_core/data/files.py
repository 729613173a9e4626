"""Readers of images and labels: an ``.npz`` file, or a folder with one subfolder of images per class."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dnncov_core.arrays import npz_array, npz_header, npz_names
from dnncov_core.data.classes import labels_of
from dnncov_core.errors import DataError
from dnncov_core.types import Shape

MODES = {1: "L", 3: "RGB"}
"""Number of channels -> Pillow's name of that kind of image."""
EIGHT_BIT = ("1", "L", "LA", "P", "RGB", "RGBA")
LEAST_SIDE = 16
MOST_OBLONG = 50
"""What a photo must be for its centre, resized, to show anything: pixels of its short side; long side / short side."""
UNREADABLE = (OSError, ValueError, EOFError, SyntaxError, KeyError, struct.error)
"""What Pillow raises on a file that is empty, cut off, or something else."""


@dataclass(frozen=True, eq=False)
class Arrays:
    """Images ``(N, ...)`` and labels ``(N,)`` as they were read, unchecked; class names where the source has them.

    ``labels`` are None where the source has none.
    """

    images: NDArray[Any]
    labels: NDArray[Any] | None
    classes: tuple[str, ...] = ()


def read_npz(path: Path, *, labelled: bool = True) -> Arrays:
    """The arrays ``images`` and ``labels`` of an ``.npz`` file.

    Args:
        path: the file.
        labelled: whether it must have ``labels``.

    Raises:
        DataError: no such file, an empty, damaged or other file, a missing array, or one that is too large or no
            array of numbers.
    """
    there = npz_names(path)
    wanted = ("images", "labels") if labelled else ("images",)
    if missing := set(wanted) - set(there):
        expected = f"the arrays images and labels in {path}" if labelled else f"the array images in {path}"
        got = ", ".join(name[:40] for name in there[:5]) or "no array"
        raise DataError(expected, got, f"add {' and '.join(sorted(missing))} with numpy.savez")
    labels = npz_array(path, "labels") if "labels" in there else None
    return Arrays(npz_array(path, "images"), labels)


def read_folder(
    folder: Path,
    input_shape: Shape,
    *,
    resize: int | None = None,
    classes: Sequence[str] = (),
    labelled: bool = True,
) -> Arrays:
    """Images uint8 ``(N, C, H, W)`` of a folder with one subfolder per class; labels as `labels_of` gives them.

    Args:
        folder: holds the subfolders. Names that begin with a dot are passed over.
        input_shape: ``(C, H, W)`` of the network, C being 1 for grey or 3 for RGB.
        resize: pixels that the short side of a photo is resized to before its centre ``(H, W)`` is cut out; without
            it, images must have that size.
        classes: the network's class names.
        labelled: whether there must be subfolders; else a folder of images alone is read too, without labels.

    Raises:
        DataError: no subfolder or no image, a file that is not an image, another size, other channels, or names that
            do not say which classes they stand for.
    """
    subfolders = [entry for entry in _visible(folder) if entry.is_dir()]
    alone = [] if labelled or subfolders else _visible(folder)
    files = [(file, place) for place, subfolder in enumerate(subfolders) for file in _visible(subfolder)]
    if not files and not alone:
        got = f"{len(subfolders)} subfolders without images" if subfolders else "no subfolder"
        raise DataError(f"one subfolder of images per class in {folder}", got, "put images into CLASS/IMAGE.png")
    if len(input_shape) != 3 or input_shape[0] not in MODES:
        expected = "a network of images with 1 or 3 channels for a folder of images"
        raise DataError(expected, f"inputs of shape {input_shape}", "use an .npz file")
    if alone:
        return Arrays(_stack(alone, input_shape, resize), None)
    labels = labels_of([entry.name for entry in subfolders], classes)
    numbers = np.array(labels.numbers)[[place for _, place in files]]
    return Arrays(_stack([file for file, _ in files], input_shape, resize), numbers, labels.classes)


MOST_COUNTED = 10_000
"""Images of a folder that are counted to describe it."""


def described(path: Path) -> str:
    """Name, kind and number of images of an ``.npz`` file or a folder, as far as these are known without reading them.

    What cannot be read is described by its name and kind; reading it says what is wrong.
    """
    if path.is_dir():
        files = (file for entry in _visible(path) for file in (_visible(entry) if entry.is_dir() else [entry]))
        n = sum(1 for _ in islice(files, MOST_COUNTED + 1))
        return f"{path.name}, a folder of {f'over {MOST_COUNTED:,}' if n > MOST_COUNTED else f'{n:,}'} images"
    try:
        return f"{path.name}, an .npz file of {npz_header(path, 'images').shape[0]:,} images"
    except (DataError, IndexError):
        return f"{path.name}, an .npz file"


def file_names(folder: Path) -> list[str]:
    """The files of a folder of images by row, each as ``CLASS/IMAGE.png``.

    Raises:
        DataError: it cannot be read.
    """
    try:
        return [f"{entry.name}/{file.name}" for entry in _visible(folder) if entry.is_dir() for file in _visible(entry)]
    except OSError as error:
        raise DataError("a folder that can be read", error.strerror or str(error), "correct its permissions") from error


def _visible(folder: Path) -> list[Path]:
    return sorted((entry for entry in folder.iterdir() if not entry.name.startswith(".")), key=lambda path: path.name)


def _stack(paths: Sequence[Path], input_shape: Shape, resize: int | None) -> NDArray[np.uint8]:
    """All images as one uint8 array ``(N, C, H, W)``."""
    reader = _Reader(MODES[input_shape[0]], input_shape[1:], resize)
    first = reader.read(paths[0])
    images = np.empty((len(paths), *first.shape), dtype=np.uint8)
    for row, path in enumerate(paths):
        images[row] = reader.read(path)
    return images


@dataclass(frozen=True)
class _Reader:
    """How each image is read.

    Attributes:
        mode: Pillow's.
        size: height and width in pixels that the network reads.
        resize: pixels that the short side of a photo is resized to; see `read_folder`.
    """

    mode: str
    size: Shape
    resize: int | None

    def read(self, path: Path) -> NDArray[np.uint8]:
        """One image, ``(C, *size)``."""
        try:
            with Image.open(path) as image:
                if image.mode not in EIGHT_BIT:
                    raise DataError(f"an 8-bit grey or RGB image at {path}", f"mode {image.mode}", "convert it")
                pixels = np.asarray(self._fitted(image, path), dtype=np.uint8)
        except (*UNREADABLE, Image.DecompressionBombError) as error:
            raise _unreadable(f"an image at {path}", error) from error
        return pixels[None] if pixels.ndim == 2 else np.moveaxis(pixels, -1, 0)

    def _fitted(self, image: Image.Image, path: Path) -> Image.Image:
        width, height = image.size
        if self.size == (height, width) and self.resize is None:
            return image.convert(self.mode)
        got = f"{_size((height, width))} in {path}"
        if self.resize is None:
            expected = f"images of one size, {_size(self.size)} as the network reads"
            raise DataError(expected, got, "resize or remove it")
        if min(image.size) < LEAST_SIDE or max(image.size) > MOST_OBLONG * min(image.size):
            expected = f"a photo of at least {LEAST_SIDE} pixels a side, at most {MOST_OBLONG} times as long as wide"
            raise DataError(expected, got, "remove it")
        return _centre(image.convert(self.mode), self.resize, self.size)


def _centre(image: Image.Image, short_side: int, size: Shape) -> Image.Image:
    """The photo's centre as torchvision's ImageNet networks were tested on it: bilinear, with antialias."""
    from torchvision.transforms.functional import center_crop, resize

    cut: Image.Image = center_crop(resize(image, [short_side]), list(size))
    return cut


def _size(size: Shape) -> str:
    height, width = size
    return f"{height} pixels high and {width} wide"


def _unreadable(expected: str, error: BaseException) -> DataError:
    return DataError(expected, f"{type(error).__name__}: {error}", "replace or remove the file")
