"""Images in files: pixels as other programs show them, and one clear line for each file that is none."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from torchvision.transforms import InterpolationMode
from torchvision.transforms._presets import ImageClassification

from dnncov_core.data import load_data
from dnncov_core.errors import DataError
from tests.data.made import Write, assert_refused, folder, picture

# Photos of any size


def photo(path: Path, height: int, width: int, mode: str = "RGB") -> Path:
    """A picture with edges in it, whose pixels show how it was resized."""
    levels = np.random.default_rng(height).integers(0, 256, (height // 3 + 1, width // 3 + 1, 3), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.kron(levels, np.ones((3, 3, 1), np.uint8))[:height, :width]
    Image.fromarray(pixels).convert(mode).save(path)
    return path


@pytest.mark.parametrize(
    ("mode", "interpolation"), [*((mode, "bilinear") for mode in ("RGB", "L", "P", "RGBA")), ("RGB", "bicubic")]
)
def test_photos_have_the_pixels_that_torchvision_s_own_transforms_give(
    tmp_path: Path, mode: str, interpolation: str
) -> None:
    numbers = {"mean": (0.0,) * 3, "std": (1.0,) * 3, "interpolation": InterpolationMode(interpolation)}
    transforms = ImageClassification(crop_size=224, resize_size=256, **numbers)
    sizes = [(300, 500), (501, 333), (256, 256), (224, 224), (97, 100), (16, 800), (255, 257)]
    photos = [photo(tmp_path / "cat" / f"{i}.png", *size, mode) for i, size in enumerate(sizes)]
    data = load_data(tmp_path, (3, 224, 224), resize=256, bicubic=interpolation == "bicubic")
    assert (data.images.dtype, data.shape) == (np.uint8, (3, 224, 224))
    for path, pixels in zip(photos, data.pixels(slice(None)), strict=True):
        expected = transforms(Image.open(path).convert("RGB")).numpy()
        np.testing.assert_array_equal(pixels.astype(np.float32), expected)


def test_grey_photos_of_another_height_than_width(tmp_path: Path) -> None:
    photo(tmp_path / "cat" / "a.png", 90, 60)
    assert load_data(tmp_path, (1, 17, 29), resize=29).images.shape == (1, 1, 17, 29)


@pytest.mark.parametrize(("height", "width"), [(1, 300), (300, 1), (15, 15), (20, 1001)])
def test_a_photo_that_shows_nothing_is_refused_by_its_name(tmp_path: Path, height: int, width: int) -> None:
    photo(tmp_path / "cat" / "a.png", 90, 60)
    photo(tmp_path / "cat" / "b.png", height, width)
    expected, got = "a photo of at least 16 pixels a side", f"{height} pixels high and {width} wide in "
    with pytest.raises(DataError, match=r"cat/b\.png; remove it") as caught:
        load_data(tmp_path, (3, 24, 24), resize=30)
    assert expected in str(caught.value)
    assert got in str(caught.value)


def upright() -> NDArray[np.uint8]:
    """RGB ``(5, 7, 3)``, of which no turn or mirror image is the same."""
    return np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3) * 2


TURNS: dict[int, Callable[[NDArray[Any]], NDArray[Any]]] = {
    1: lambda pixels: pixels,
    2: lambda pixels: pixels[:, ::-1],
    3: lambda pixels: pixels[::-1, ::-1],
    4: lambda pixels: pixels[::-1],
    5: lambda pixels: pixels.swapaxes(0, 1),
    6: lambda pixels: np.rot90(pixels),
    7: lambda pixels: pixels[::-1, ::-1].swapaxes(0, 1),
    8: lambda pixels: np.rot90(pixels, -1),
}
"""By the EXIF standard's number, how the stored pixels lie to the upright ones."""


@pytest.mark.parametrize("orientation", TURNS)
@pytest.mark.parametrize("kind", ["png", "tiff", "webp"])
def test_photos_stand_as_their_camera_was_held(tmp_path: Path, orientation: int, kind: str) -> None:
    stored = Image.fromarray(np.ascontiguousarray(TURNS[orientation](upright())))
    stored.getexif()[274] = orientation
    (tmp_path / "cat").mkdir()
    stored.save(tmp_path / "cat" / f"a.{kind}", exif=stored.getexif(), **({"lossless": True} if kind == "webp" else {}))
    expected = np.moveaxis(upright(), -1, 0)
    np.testing.assert_array_equal(load_data(tmp_path, (3, 5, 7)).images[0], expected)


def test_photos_that_lie_on_their_side_are_turned_before_they_are_cut(tmp_path: Path) -> None:
    path = photo(tmp_path / "cat" / "a.png", 90, 60)
    lying = Image.open(path).transpose(Image.Transpose.ROTATE_90)
    lying.getexif()[274] = 6
    lying.save(tmp_path / "cat" / "b.png", exif=lying.getexif())
    first, second = load_data(tmp_path, (3, 20, 10), resize=24).images
    np.testing.assert_array_equal(first, second)


# Files that are no images


def write_cut_png(path: Path) -> None:
    picture(path)
    path.write_bytes(path.read_bytes()[:-30])


def write_deep(path: Path) -> None:
    """An RGB image of 16 bits a channel, of which Pillow would take the upper 8."""
    rows = b"".join(b"\0" + bytes(7 * 6) for _ in range(5))
    parts = {b"IHDR": struct.pack(">IIBBBBB", 7, 5, 16, 2, 0, 0, 0), b"IDAT": zlib.compress(rows), b"IEND": b""}
    chunks = (
        struct.pack(">I", len(part)) + name + part + struct.pack(">I", zlib.crc32(name + part))
        for name, part in parts.items()
    )
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def write_film(path: Path) -> None:
    frames = [Image.new("L", (7, 5), value) for value in (1, 2, 3)]
    frames[0].save(path, format="GIF", save_all=True, append_images=frames[1:])


def write_huge(path: Path) -> None:
    picture(path)
    content = bytearray(path.read_bytes())
    content[16:24] = struct.pack(">II", 12_000, 9_000)
    content[29:33] = struct.pack(">I", zlib.crc32(content[12:29]))
    path.write_bytes(content)


def write_broken_notes(path: Path) -> None:
    Image.new("L", (7, 5)).save(path, exif=b"XX\0\x2a\0\0\0\x08")


def write_postscript(path: Path) -> None:
    """A programme, which Pillow would give to Ghostscript."""
    path.write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 7 5\n%%EndComments\nshowpage\n")


@pytest.mark.parametrize(
    ("write", "expected", "got"),
    [
        (lambda file: file.write_text("hello"), "an image at", "a file of another kind than those that are read (BMP"),
        (lambda file: file.write_bytes(b""), "an image at", "a file of another kind than those that are read (BMP"),
        (lambda file: file.mkdir(), "an image at", "a folder, or no file that can be read"),
        (write_cut_png, "an image at", "a damaged one"),
        (lambda file: picture(file, 7, 5), "5 pixels high and 7 wide", "7 pixels high and 5 wide"),
        (lambda file: picture(file, mode="I;16"), "an 8-bit grey or RGB image", "16 bits a channel"),
        (write_deep, "an 8-bit grey or RGB image", "16 bits a channel"),
        (write_film, "one image at", "several in one file; save the one that counts alone"),
        (write_huge, "a photo of at most 100,000,000 pixels", "12,000 x 9,000 pixels in "),
        (
            write_broken_notes,
            "that says which side is up",
            "notes of the camera (EXIF) that cannot be read: SyntaxError",
        ),
        (write_postscript, "an image at", "a file of another kind than those that are read (BMP"),
        (lambda file: os.mkfifo(file), "an image at", "a folder, or no file that can be read"),
    ],
)
def test_folder_with_a_wrong_file_is_refused_by_its_name(tmp_path: Path, write: Write, expected: str, got: str) -> None:
    animals = folder(tmp_path)
    write(animals / "cat" / "wrong.png")
    assert_refused(animals, expected, got, (1, 5, 7))
    with pytest.raises(DataError, match=r"wrong\.png"):
        load_data(animals, (1, 5, 7))
