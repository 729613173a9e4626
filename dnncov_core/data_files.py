"""Readers of images and labels: an ``.npz`` file, or a folder with one subfolder of images per class."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, is_zipfile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray
from PIL import Image

from dnncov_core.errors import DataError
from dnncov_core.types import Shape

MODES = {1: "L", 3: "RGB"}
"""Number of channels -> Pillow's name of that kind of image."""
GREY = ("1", "L")
EIGHT_BIT = (*GREY, "LA", "P", "RGB", "RGBA")
UNREADABLE = (OSError, ValueError, EOFError, SyntaxError, KeyError, BadZipFile, zlib.error, struct.error)
"""What NumPy and Pillow raise on a file that is empty, cut off, or something else."""


@dataclass(frozen=True, eq=False)
class Arrays:
    """Images ``(N, ...)`` and labels ``(N,)`` as they were read, unchecked; class names where the source has them."""

    images: NDArray[Any]
    labels: NDArray[Any]
    classes: tuple[str, ...] = ()


def read_npz(path: Path) -> Arrays:
    """The arrays ``images`` and ``labels`` of an ``.npz`` file, never through pickle.

    Raises:
        DataError: no such file, an empty, damaged or other file, a missing array, or an array of Python objects.
    """
    if not path.is_file():
        raise DataError(f"an .npz file at {path}", "no such file", "check the path")
    try:
        if not is_zipfile(path):
            got = f"{path.stat().st_size} bytes that are no whole .npz file"
            raise DataError(f"a readable .npz file at {path}", got, "save it again with numpy.savez")
        with np.load(path, allow_pickle=False) as file:
            return _arrays(file, path)
    except UNREADABLE as error:
        raise _unreadable(f"a readable .npz file at {path}", error) from error


def _arrays(file: NpzFile, path: Path) -> Arrays:
    if missing := {"images", "labels"} - set(file.files):
        expected = f"the arrays images and labels in {path}"
        there = ", ".join(file.files) or "no array"
        raise DataError(expected, there, f"add {' and '.join(sorted(missing))} with numpy.savez")
    return Arrays(_plain(file, "images", path), _plain(file, "labels", path))


def _plain(file: NpzFile, key: str, path: Path) -> NDArray[Any]:
    try:
        return np.asarray(file[key])
    except ValueError as error:
        if "Object arrays" not in str(error):
            raise
        expected = f"{key} as an array of numbers in {path}"
        raise DataError(expected, "Python objects, which are not loaded", "save it with a numeric dtype") from error


def read_folder(folder: Path, channels: int | None = None) -> Arrays:
    """Images uint8 ``(N, C, H, W)`` of a folder with one subfolder per class; labels follow the sorted names.

    Args:
        folder: holds the subfolders. Names that begin with a dot are passed over.
        channels: 1 for grey, 3 for RGB; without it grey if every image is grey, else RGB.

    Raises:
        DataError: no subfolder or no image, a file that is not an image, differing sizes, or other channels.
    """
    subfolders = [entry for entry in _visible(folder) if entry.is_dir()]
    files = [(file, label) for label, subfolder in enumerate(subfolders) for file in _visible(subfolder)]
    if not files:
        got = f"{len(subfolders)} subfolders without images" if subfolders else "no subfolder"
        raise DataError(f"one subfolder of images per class in {folder}", got, "put images into CLASS/IMAGE.png")
    if channels is not None and channels not in MODES:
        raise DataError("a network with 1 or 3 channels for a folder of images", f"{channels}", "use an .npz file")
    paths = [file for file, _ in files]
    images = _stack(paths, MODES[channels] if channels else _common_mode(paths))
    return Arrays(images, np.array([label for _, label in files]), tuple(entry.name for entry in subfolders))


def _visible(folder: Path) -> list[Path]:
    return sorted((entry for entry in folder.iterdir() if not entry.name.startswith(".")), key=lambda path: path.name)


def _common_mode(paths: Sequence[Path]) -> str:
    for path in paths:
        try:
            with Image.open(path) as image:
                if image.mode not in GREY:
                    return "RGB"
        except UNREADABLE as error:
            raise _unreadable(f"an image at {path}", error) from error
    return "L"


def _stack(paths: Sequence[Path], mode: str) -> NDArray[np.uint8]:
    """All images as one uint8 array ``(N, C, H, W)``."""
    first = _read_image(paths[0], mode)
    images = np.empty((len(paths), *first.shape), dtype=np.uint8)
    for row, path in enumerate(paths):
        image = _read_image(path, mode)
        if image.shape != first.shape:
            expected = f"images of one size, {_size(first.shape)} as {paths[0].name}"
            raise DataError(expected, f"{_size(image.shape)} in {path}", "resize or remove it")
        images[row] = image
    return images


def _read_image(path: Path, mode: str) -> NDArray[np.uint8]:
    try:
        with Image.open(path) as image:
            if image.mode not in EIGHT_BIT:
                raise DataError(f"an 8-bit grey or RGB image at {path}", f"mode {image.mode}", "convert it")
            pixels = np.asarray(image.convert(mode), dtype=np.uint8)
    except (*UNREADABLE, Image.DecompressionBombError) as error:
        raise _unreadable(f"an image at {path}", error) from error
    return pixels[None] if pixels.ndim == 2 else np.moveaxis(pixels, -1, 0)


def _size(shape: Shape) -> str:
    _, height, width = shape
    return f"{height} pixels high and {width} wide"


def _unreadable(expected: str, error: BaseException) -> DataError:
    return DataError(expected, f"{type(error).__name__}: {error}", "replace or remove the file")
