"""Readers of inputs and labels: an ``.npz`` file, or a folder with one subfolder of images per class."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dnncov_core.arrays import npz_array, npz_header, npz_names
from dnncov_core.data.archives import LITTER as ADDED
from dnncov_core.data.archives import Folder, folder_of
from dnncov_core.data.classes import MOST_NAMED, labels_of
from dnncov_core.data.image_files import MODES, Photos, named_like_images, read_images
from dnncov_core.errors import DataError, DnncovError, give_network
from dnncov_core.types import Shape

DATA_FILES = "an .npz, .csv or .parquet file, or a folder or ZIP of images"
"""What data may be, for messages."""
NPZ_INPUTS = ("images", "inputs")
"""Names of the inputs in an ``.npz`` file, of which it has one."""
PAIRS = ("x1", "x2", "label1")
"""Names of the arrays in an ``.npz`` file of test pairs, as this program writes it, that are read as data."""
LITTER = ("thumbs.db", "desktop.ini", *map(str.lower, ADDED))
"""What operating systems leave in folders."""


@dataclass(frozen=True, eq=False)
class Arrays:
    """Images ``(N, ...)`` and labels ``(N,)`` as they were read, unchecked; class names where the source has them.

    ``labels``, and the ``targets`` of a regression, ``(N, n)``, are None where the source has none.
    """

    images: NDArray[Any]
    labels: NDArray[Any] | None
    classes: tuple[str, ...] = ()
    targets: NDArray[Any] | None = None


def read_npz(path: Path, *, labelled: bool = True) -> Arrays:
    """The arrays ``images``, or ``inputs``, and ``labels`` or ``targets`` of an ``.npz`` file; or its test pairs.

    Args:
        path: the file.
        labelled: whether it must have ``labels``.

    Raises:
        DataError: no such file, an empty, damaged or other file, a missing array, or one that is too large or no
            array of numbers.
    """
    there = npz_names(path)
    if has_pairs(path):
        return of_pairs(npz_array(path, "x1"), npz_array(path, "x2"), npz_array(path, "label1", kinds="integers"))
    key = _inputs_of(path, there)
    wanted = (key, "labels") if labelled else (key,)
    if missing := set(wanted) - set(there):
        expected = f"the arrays images and labels in {path}" if labelled else f"the array images in {path}"
        got = ", ".join(name[:40] for name in there[:5]) or "no array"
        fix = f"add {' and '.join(sorted(missing))} with numpy.savez"
        if missing == {"labels"} and "targets" in there:
            fix += f"; or, where outputs are numbers and no classes, {give_network('their tolerance')}"
        raise DataError(expected, got, fix)
    labels = npz_array(path, "labels", kinds="integers") if "labels" in there else None
    targets = npz_array(path, "targets") if "targets" in there else None
    return Arrays(npz_array(path, key), labels, targets=targets)


def has_pairs(path: Path) -> bool:
    """Whether an ``.npz`` file holds test pairs in place of inputs with labels.

    Raises:
        DataError: no such file, or a damaged one.
    """
    there = npz_names(path)
    return {*PAIRS} <= {*there} and not {*NPZ_INPUTS} & {*there}


def of_pairs(x1: NDArray[Any], x2: NDArray[Any], label1: NDArray[Any]) -> Arrays:
    """Every different x1 and x2 of test pairs, ``(n, *shape)`` each, with the label of x1: of x2, it is the right one.

    Raises:
        DataError: as many x1, x2 and labels as each other there are not.
    """
    if not (x1.ndim > 1 and x1.shape == x2.shape and label1.shape == x1.shape[:1]):
        raise DataError(
            "as many x1, x2 and label1, of one shape", f"{x1.shape}, {x2.shape}, {label1.shape}", "export anew"
        )
    inputs, labels = np.stack((x1, x2), 1).reshape(-1, *x1.shape[1:]), np.repeat(label1, 2)
    _, first = np.unique(inputs.reshape(len(inputs), -1), axis=0, return_index=True)
    first.sort()
    return Arrays(inputs[first], labels[first])


def _inputs_of(path: Path, there: Sequence[str]) -> str:
    """The name of the inputs; the first one it may have where there are none."""
    known = [name for name in NPZ_INPUTS if name in there]
    if len(known) > 1:
        raise DataError(f"either images or inputs in {path}", "both", "leave one of them out")
    return known[0] if known else NPZ_INPUTS[0]


def read_folder(
    folder: Folder,
    input_shape: Shape,
    photos: Photos,
    *,
    classes: Sequence[str] = (),
    labelled: bool = True,
) -> Arrays:
    """Images uint8 ``(N, C, H, W)`` of a folder with one subfolder per class; labels as `labels_of` gives them.

    Args:
        folder: holds the subfolders. Names that begin with a dot are passed over, and so are files beside the
            subfolders that are no images.
        input_shape: ``(C, H, W)`` of the network, C being 1 for grey or 3 for RGB.
        photos: how photos are fitted to it.
        classes: the network's class names.
        labelled: whether there must be subfolders; else a folder of images alone is read too, without labels.

    Raises:
        DataError: no subfolder or no image, images beside the subfolders, a file that is not an image, another size,
            other channels, or names that do not say which classes they stand for.
    """
    subfolders = _subfolders(folder)
    alone = [] if labelled or subfolders else _visible(folder)
    if subfolders:
        _check_beside(folder)
    files = [(file, place) for place, subfolder in enumerate(subfolders) for file in _visible(subfolder)]
    if not files and not alone:
        got = f"{len(subfolders)} subfolders without images" if subfolders else "no subfolder"
        raise DataError(f"one subfolder of images per class in {folder}", got, "put images into CLASS/IMAGE.png")
    if len(input_shape) != 3 or input_shape[0] not in MODES:
        expected = "a network of images with 1 or 3 channels for a folder of images"
        raise DataError(expected, f"inputs of shape {input_shape}", "use an .npz, .csv or .parquet file")
    if alone:
        return Arrays(read_images(alone, input_shape, photos), None)
    labels = labels_of([entry.name for entry in subfolders], classes)
    numbers = np.array(labels.numbers)[[place for _, place in files]]
    return Arrays(read_images([file for file, _ in files], input_shape, photos), numbers, labels.classes)


def is_unsorted(path: Path) -> bool:
    """Whether this is a folder of images, also in a ZIP, without a subfolder for each class."""
    folder = folder_of(path)
    return folder is not None and not _subfolders(folder) and bool(named_like_images(_visible(folder)))


def _check_beside(folder: Folder) -> None:
    """Refuses images that belong to no subfolder, whose class nobody knows."""
    images = [entry for entry in named_like_images(_visible(folder)) if not entry.is_dir()]
    if images:
        got = f"{len(images):,} beside them, such as {images[0].name}"
        fix = "move each into the subfolder of its class, or out of the folder"
        raise DataError(f"images in the subfolders of {folder} alone", got, fix)


MOST_COUNTED = 10_000
"""Images of a folder that are counted to describe it."""


def described(path: Path) -> str:
    """Name, kind and number of images of an ``.npz`` file or a folder, as far as these are known without reading them.

    What cannot be read is described by its name and kind; reading it says what is wrong.
    """
    try:
        folder = folder_of(path)
        if folder is not None:
            files = (file for entry in _subfolders(folder) or [folder] for file in _visible(entry))
            n = sum(1 for _ in islice(files, MOST_COUNTED + 1))
            kind = "folder" if path.is_dir() else "ZIP"
            many = f"over {MOST_COUNTED:,}" if n > MOST_COUNTED else f"{n:,}"
            return f"{path.name}, a {kind} of {many} images"
        if path.suffix == ".npz" and has_pairs(path):
            return f"{path.name}, an .npz file of {npz_header(path, 'x1').shape[0]:,} test pairs"
        key = _inputs_of(path, npz_names(path) if path.suffix == ".npz" else ())
        return f"{path.name}, an .npz file of {npz_header(path, key).shape[0]:,} {key}"
    except (DnncovError, IndexError):
        return f"{path.name}, {'a folder' if path.is_dir() else f'a {path.suffix} file'.replace('a .npz', 'an .npz')}"


def inputs_of(path: Path) -> int | None:
    """How many inputs an ``.npz`` file has; None for other data, which have to be read for that."""
    if path.suffix != ".npz":
        return None
    try:
        return npz_header(path, _inputs_of(path, npz_names(path))).shape[0]
    except (DnncovError, IndexError):
        return None


def class_order(folder: Folder, classes: Sequence[str]) -> str:
    """A sentence on subfolders that are taken for a network's classes in their order; empty if their names decide."""
    with suppress(DataError):
        names = [entry.name for entry in _subfolders(folder)]
        if names and classes and labels_of(names, classes).classes != tuple(classes):
            pairs = [f"{name} is {known}" for name, known in islice(zip(names, classes, strict=True), MOST_NAMED)]
            more = ", and so on" if len(names) > MOST_NAMED else ""
            return f"No subfolder of {folder.name} has a class's name; by their order, {', '.join(pairs)}{more}."
    return ""


def file_names(folder: Folder) -> list[str]:
    """The files of a folder of images by row, each as ``CLASS/IMAGE.png``.

    Raises:
        DataError: it cannot be read.
    """
    return [f"{entry.name}/{file.name}" for entry in _subfolders(folder) for file in _visible(entry)]


def _subfolders(folder: Folder) -> list[Folder]:
    return [entry for entry in _visible(folder) if entry.is_dir()]


def _visible(folder: Folder) -> list[Folder]:
    """The entries of a folder by name, but for hidden ones and those that the operating system leaves."""
    entries: list[Folder] = []
    try:
        entries += folder.iterdir()
    except OSError as error:
        raise DataError("a folder that can be read", error.strerror or str(error), "correct its permissions") from error
    entries.sort(key=lambda entry: entry.name)
    return [entry for entry in entries if not entry.name.startswith(".") and entry.name.lower() not in LITTER]
