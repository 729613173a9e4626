"""Pictures in files: opened as few kinds of files, judged before they are decoded, and turned as they were taken."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from dnncov_core.data.archives import Folder
from dnncov_core.errors import DataError
from dnncov_core.types import Shape

MODES = {1: "L", 3: "RGB"}
"""Number of channels -> Pillow's name of that kind of image."""
EIGHT_BIT = ("1", "L", "LA", "P", "RGB", "RGBA")
LEAST_SIDE = 16
MOST_OBLONG = 50
"""What a photo must be for its centre, resized, to show anything: pixels of its short side; long side / short side."""
MOST_PIXELS = 10**8
"""What a photo may have before it is resized: decoded, so many take 300 MB."""
FORMATS = ("BMP", "GIF", "JPEG", "JPEG2000", "PNG", "PPM", "TIFF", "WEBP")
"""Kinds of files that are opened as images. Pillow knows more, and starts another program for some of them."""
SEVERAL = "MPO"
"""The kind of files with several pictures whose first one is the photo; others are films or pages."""


def named_like_images(paths: Iterable[Folder]) -> list[Folder]:
    """Those that have the ending of an image's name."""
    Image.init()
    return [path for path in paths if Image.EXTENSION.get(path.suffix.lower()) in FORMATS]


@dataclass(frozen=True)
class Photos:
    """How photos of any size are made inputs.

    Attributes:
        resize: pixels that the short side is resized to before the centre of the input's height and width is cut out;
            without it, images must have that size.
        bicubic: by bicubic interpolation, not by bilinear; both with antialias.
    """

    resize: int | None = None
    bicubic: bool = False


def read_images(paths: Sequence[Folder], input_shape: Shape, photos: Photos) -> NDArray[np.uint8]:
    """Images of files as one uint8 array ``(N, C, H, W)``.

    Args:
        paths: at least one.
        input_shape: ``(C, H, W)``, C being 1 for grey or 3 for RGB.
        photos: how photos are fitted to it.

    Raises:
        DataError: a file that is no image, or one of another size or kind; the message names it.
    """
    reader = _Reader(MODES[input_shape[0]], input_shape[1:], photos)
    first = reader.read(paths[0])
    images = np.empty((len(paths), *first.shape), dtype=np.uint8)
    for row, path in enumerate(paths):
        images[row] = first if row == 0 else reader.read(path)
    return images


@dataclass(frozen=True)
class _Reader:
    """How each image is read.

    Attributes:
        mode: Pillow's.
        size: height and width in pixels that the network reads.
        photos: how photos are fitted.
    """

    mode: str
    size: Shape
    photos: Photos

    def read(self, path: Folder) -> NDArray[np.uint8]:
        """One image, ``(C, *size)``, upright."""
        if not path.is_file():
            raise DataError(f"an image at {path}", "a folder, or no file that can be read", "replace or remove it")
        try:
            with (
                warnings.catch_warnings(action="ignore"),
                path.open("rb") as file,
                Image.open(file, formats=FORMATS) as image,
            ):
                _check_kind(image, path)
                if self.photos.resize is not None or sorted(image.size) == sorted(self.size):  # others are not decoded
                    _turn_upright(image, path)
                self._check_size(image.size[::-1], path)
                pixels = np.asarray(self._fitted(image.convert(self.mode)), dtype=np.uint8)
        except DataError:
            raise
        except UnidentifiedImageError as error:
            got = f"a file of another kind than those that are read ({', '.join(FORMATS)}), or a damaged one"
            fix = "convert it, or move it out of its folder; beside the class folders it is passed over"
            raise DataError(f"an image at {path}", got, fix) from error
        except Exception as error:  # whatever a damaged image makes Pillow raise
            got = f"a damaged one ({type(error).__name__}: {error})"
            raise DataError(f"an image at {path}", got, "replace or remove the file") from error
        return pixels[None] if pixels.ndim == 2 else np.moveaxis(pixels, -1, 0)

    def _check_size(self, size: Shape, path: Folder) -> None:
        """Refuses an image of this height and width."""
        got = f"{_size(size)} in {path}"
        if self.photos.resize is None and size != self.size:
            expected = f"images of one size, {_size(self.size)} as the network reads"
            raise DataError(expected, got, "resize or remove it")
        if self.photos.resize is not None and not LEAST_SIDE <= min(size) <= max(size) <= MOST_OBLONG * min(size):
            expected = f"a photo of at least {LEAST_SIDE} pixels a side, at most {MOST_OBLONG} times as long as wide"
            raise DataError(expected, got, "remove it")

    def _fitted(self, image: Image.Image) -> Image.Image:
        return image if self.photos.resize is None else _centre(image, self.photos, self.size)


def _check_kind(image: Image.Image, path: Folder) -> None:
    """Refuses what is no single image of a byte for each channel, before it is decoded."""
    if image.width * image.height > MOST_PIXELS:
        got = f"{image.width:,} x {image.height:,} pixels in {path}"
        raise DataError(f"a photo of at most {MOST_PIXELS:,} pixels", got, "make it smaller, or remove it")
    deep = any(";16" in str(part) for part in getattr(image, "tile", ()))
    if image.mode not in EIGHT_BIT or deep:
        got = "16 bits a channel" if deep else f"mode {image.mode}"
        raise DataError(f"an 8-bit grey or RGB image at {path}", got, "convert it")
    if getattr(image, "is_animated", False) and image.format != SEVERAL:
        raise DataError(f"one image at {path}", "several in one file", "save the one that counts alone")


def _turn_upright(image: Image.Image, path: Folder) -> None:
    """Turns an image in place as its camera was held."""
    image.load()
    try:
        ImageOps.exif_transpose(image, in_place=True)
    except Exception as error:  # whatever broken notes make Pillow raise
        got = f"notes of the camera (EXIF) that cannot be read: {type(error).__name__}: {error}"
        raise DataError(f"an image at {path} that says which side is up", got, "save it again without them") from error


def _centre(image: Image.Image, photos: Photos, size: Shape) -> Image.Image:
    """The photo's centre as torchvision's ImageNet networks were tested on it, with antialias."""
    from torchvision.transforms import InterpolationMode
    from torchvision.transforms.functional import center_crop, resize

    by = InterpolationMode.BICUBIC if photos.bicubic else InterpolationMode.BILINEAR
    cut: Image.Image = center_crop(resize(image, [photos.resize], by), list(size))
    return cut


def _size(size: Shape) -> str:
    height, width = size
    return f"{height} pixels high and {width} wide"
