"""Data files: every layout of an .npz file or a folder, and one clear line for each way they can be wrong."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from torchvision.transforms._presets import ImageClassification

from dnncov_core.data import load_data
from dnncov_core.data.files import class_order, described, file_names
from dnncov_core.errors import DataError

Write = Callable[[Path], object]
GREY_LEVELS = np.arange(2 * 17 * 29, dtype=np.uint8).reshape(2, 17, 29)
COLOURS = np.arange(2 * 40 * 24 * 3, dtype=np.uint8).reshape(2, 40, 24, 3)
LABELS = np.array([0, 1])


def npz(tmp_path: Path, **arrays: Any) -> Path:
    path = tmp_path / "given.npz"
    np.savez(path, **arrays)
    return path


def picture(path: Path, height: int = 5, width: int = 7, mode: str = "L", value: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    colour = value if mode in ("L", "I;16", "1") else (value,) * len(mode)
    Image.new(mode, (width, height), colour).save(path)


def folder(tmp_path: Path, mode: str = "L") -> Path:
    for name, value in (("cat/b.png", 2), ("ant/a.png", 1), ("cat/a.png", 3)):
        picture(tmp_path / "animals" / name, mode=mode, value=value)
    return tmp_path / "animals"


def assert_refused(path: Path | str, expected: str, got: str, input_shape: tuple[int, ...] | None = None) -> None:
    with pytest.raises(DataError) as caught:
        load_data(path, input_shape)
    before, _, after = str(caught.value).partition("; got ")
    assert expected in before
    assert got in f"got {after}"
    assert "\n" not in str(caught.value)


# Layouts


@pytest.mark.parametrize(
    ("images", "input_shape", "expected"),
    [
        (GREY_LEVELS, (1, 17, 29), GREY_LEVELS[:, None]),
        (GREY_LEVELS, (17, 29), GREY_LEVELS),
        (GREY_LEVELS, None, GREY_LEVELS),
        (GREY_LEVELS[..., None], (1, 17, 29), GREY_LEVELS[:, None]),
        (COLOURS, (3, 40, 24), COLOURS.transpose(0, 3, 1, 2)),
        (COLOURS.transpose(0, 3, 1, 2), (3, 40, 24), COLOURS.transpose(0, 3, 1, 2)),
        (COLOURS, None, COLOURS),
        (COLOURS[:, :3, :3], (3, 3, 3), COLOURS[:, :3, :3]),
        (GREY_LEVELS.astype(">f4"), (1, 17, 29), GREY_LEVELS[:, None].astype(np.float32)),
    ],
)
def test_only_the_channel_axis_is_added_or_moved(
    tmp_path: Path, images: NDArray[Any], input_shape: tuple[int, ...] | None, expected: NDArray[Any]
) -> None:
    data = load_data(npz(tmp_path, images=images, labels=LABELS), input_shape)
    assert data.images.dtype == expected.dtype
    np.testing.assert_array_equal(data.images, expected)


@pytest.mark.parametrize(
    ("mode", "input_shape"),
    [
        ("L", (1, 5, 7)),
        ("L", (3, 5, 7)),
        ("RGB", (3, 5, 7)),
        ("RGB", (1, 5, 7)),
        ("RGBA", (3, 5, 7)),
    ],
)
def test_folder_has_a_class_for_each_subfolder(tmp_path: Path, mode: str, input_shape: tuple[int, ...]) -> None:
    data = load_data(folder(tmp_path, mode), input_shape)
    assert (data.classes, data.labels.tolist(), data.shape) == (("ant", "cat"), [0, 1, 1], input_shape)
    assert data.images.dtype == np.uint8
    assert [image.max() for image in data.images] == [1, 3, 2]


def test_grey_and_coloured_images_stand_side_by_side_and_dot_files_are_passed_over(tmp_path: Path) -> None:
    animals = folder(tmp_path)
    picture(animals / "cat" / "z.png", mode="RGB")
    (animals / "cat" / ".thumbs").write_text("no image")
    assert load_data(animals, (3, 5, 7)).images.shape == (4, 3, 5, 7)


# Photos of any size


def photo(path: Path, height: int, width: int, mode: str = "RGB") -> Path:
    """A picture with edges in it, whose pixels show how it was resized."""
    levels = np.random.default_rng(height).integers(0, 256, (height // 3 + 1, width // 3 + 1, 3), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.kron(levels, np.ones((3, 3, 1), np.uint8))[:height, :width]
    Image.fromarray(pixels).convert(mode).save(path)
    return path


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA"])
def test_photos_have_the_pixels_that_torchvision_s_own_transforms_give(tmp_path: Path, mode: str) -> None:
    transforms = ImageClassification(crop_size=224, resize_size=256, mean=(0.0,) * 3, std=(1.0,) * 3)
    sizes = [(300, 500), (501, 333), (256, 256), (224, 224), (97, 100), (16, 800), (255, 257)]
    photos = [photo(tmp_path / "cat" / f"{i}.png", *size, mode) for i, size in enumerate(sizes)]
    data = load_data(tmp_path, (3, 224, 224), resize=256)
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


def test_files_of_arrays_are_not_resized(tmp_path: Path) -> None:
    assert load_data(npz(tmp_path, images=COLOURS, labels=LABELS), (3, 40, 24), resize=50).shape == (3, 40, 24)
    with pytest.raises(DataError, match=r"images of shape \(3, 20, 20\)"):
        load_data(npz(tmp_path, images=COLOURS, labels=LABELS), (3, 20, 20), resize=50)


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


# Files that are in the way


def test_images_beside_the_class_folders_are_refused(tmp_path: Path) -> None:
    animals = folder(tmp_path)
    for name in ("d.PNG", "e.jpeg", ".hidden.png"):
        picture(tmp_path / "made.png")
        (tmp_path / "made.png").rename(animals / name)
    got = "got 2 beside the 2 subfolders, such as d.PNG; move each into the subfolder of its class"
    assert_refused(animals, f"images in subfolders of {animals} alone", got, (1, 5, 7))
    with pytest.raises(DataError, match="beside the 2 subfolders"):
        load_data(animals, (1, 5, 7), labelled=False)


def test_other_files_beside_the_class_folders_and_litter_of_windows_are_no_images(tmp_path: Path) -> None:
    animals = folder(tmp_path)
    for name in ("README.txt", "labels.csv", "LICENSE", "cat/Thumbs.db", "ant/desktop.ini"):
        (animals / name).write_text("no image")
    data = load_data(animals, (1, 5, 7))
    assert [image.max() for image in data.images] == [1, 3, 2]
    assert described(animals) == "animals, a folder of 3 images"
    assert file_names(animals) == ["ant/a.png", "cat/a.png", "cat/b.png"]
    (animals / "cat" / "notes.txt").write_text("no image")
    assert_refused(animals, "an image at", "UnidentifiedImageError", (1, 5, 7))


def test_a_folder_that_cannot_be_read_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    animals = folder(tmp_path)
    monkeypatch.setattr(Path, "iterdir", refuse)
    assert_refused(animals, "a folder that can be read", "Permission denied; correct its permissions", (1, 5, 7))
    assert described(animals) == "animals, a folder"


def test_subfolders_in_the_order_of_classes_are_said_to_be(tmp_path: Path) -> None:
    animals = folder(tmp_path)
    words = "No subfolder of animals has a class's name; by their order, ant is one, cat is two."
    assert class_order(animals, ("one", "two")) == words
    for classes in ((), ("ant", "cat"), ("one", "two", "three"), ("one", "cat")):
        assert class_order(animals, classes) == ""
    for name in "bdef":
        (animals / name).mkdir()
    assert class_order(animals, "123456").endswith("by their order, ant is 1, b is 2, cat is 3, and so on.")


# Described without being read


def test_a_description_names_file_kind_and_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert described(npz(tmp_path, images=GREY_LEVELS, labels=LABELS)) == "given.npz, an .npz file of 2 images"
    assert described(folder(tmp_path)) == "animals, a folder of 3 images"
    monkeypatch.setattr("dnncov_core.data.files.MOST_COUNTED", 2)
    assert described(tmp_path / "animals") == "animals, a folder of over 2 images"
    for name, content in (("empty.npz", b""), ("other.npz", b"PK\x03\x04")):
        (tmp_path / name).write_bytes(content)
        assert described(tmp_path / name) == f"{name}, an .npz file"
    np.savez(tmp_path / "without.npz", x=LABELS, images=np.uint8(1))
    assert described(tmp_path / "without.npz") == "without.npz, an .npz file"


# Without labels


def test_images_alone_are_read_where_no_labels_are_needed(tmp_path: Path) -> None:
    data = load_data(npz(tmp_path, images=GREY_LEVELS), (1, 17, 29), labelled=False)
    assert (data.labels, len(data), data.shape) == (None, 2, (1, 17, 29))
    with_labels = npz(tmp_path, images=GREY_LEVELS, labels=LABELS)
    labelled = load_data(with_labels, (1, 17, 29), labelled=False)
    assert labelled.labels is not None
    assert labelled.labels.tolist() == [0, 1]
    assert labelled.fingerprint == load_data(with_labels, (1, 17, 29)).fingerprint != data.fingerprint


def test_a_folder_of_images_alone_is_read_where_no_labels_are_needed(tmp_path: Path) -> None:
    for value, name in enumerate(("b.png", "a.png", ".hidden.png")):
        picture(tmp_path / "alone" / name, value=value)
    data = load_data(tmp_path / "alone", (1, 5, 7), labelled=False)
    assert (data.labels, data.classes) == (None, ())
    assert [image.max() for image in data.images] == [1, 0]
    with_classes = load_data(folder(tmp_path), (1, 5, 7), labelled=False)
    assert with_classes.labels is not None
    assert with_classes.labels.tolist() == [0, 1, 1]


def test_labels_that_are_there_are_checked_all_the_same(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="integer labels"):
        load_data(npz(tmp_path, images=GREY_LEVELS, labels=LABELS * 1.0), labelled=False)
    with pytest.raises(DataError, match=r"the array images in .*; got labels; add images"):
        load_data(npz(tmp_path, labels=LABELS), labelled=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="one subfolder of images per class"):
        load_data(tmp_path / "empty", (1, 5, 7), labelled=False)


# Refusals


def broken(images: NDArray[Any], **changes: float) -> NDArray[Any]:
    flat = images.astype(np.float64).ravel()
    for place, value in changes.items():
        flat[int(place[1:])] = value
    return flat.reshape(images.shape)


@pytest.mark.parametrize(
    ("arrays", "expected", "got"),
    [
        ({"images": GREY_LEVELS}, "the arrays images and labels", "got images; add labels"),
        ({"x": GREY_LEVELS, "y": LABELS}, "the arrays images and labels", "x, y; add images and labels"),
        ({}, "the arrays images and labels", "no array"),
        ({"images": np.array([{}, {}]), "labels": LABELS}, "an array of integers, or of f", "Python objects"),
        (
            {"images": GREY_LEVELS, "labels": np.array(["a", None])},
            "an array of integers, or of f",
            "Python objects",
        ),
        ({"images": GREY_LEVELS.astype(int), "labels": LABELS}, "uint8 or float images", "int64"),
        ({"images": GREY_LEVELS > 3, "labels": LABELS}, "uint8 or float images", "bool"),
        ({"images": GREY_LEVELS[:0], "labels": LABELS[:0]}, "at least one image", "shape (0, 17, 29)"),
        ({"images": np.uint8(3), "labels": LABELS}, "at least one image", "shape ()"),
        ({"images": GREY_LEVELS, "labels": LABELS[:1]}, "2 labels, one for each image", "shape (1,)"),
        ({"images": GREY_LEVELS, "labels": np.eye(2, dtype=int)}, "2 labels, one for each image", "shape (2, 2)"),
        ({"images": GREY_LEVELS, "labels": LABELS / 2}, "integer labels", "float64"),
        ({"images": GREY_LEVELS, "labels": np.array(["0", "1"])}, "an array of integers, or of f", "<U1"),
        ({"images": GREY_LEVELS, "labels": LABELS - 3}, "labels from 0", "2 negative, the least -3"),
        (
            {"images": broken(GREY_LEVELS, p3=np.nan, p4=np.nan, p9=-np.inf), "labels": LABELS},
            "finite images",
            "2 NaN and 1 infinite values",
        ),
        ({"images": GREY_LEVELS.swapaxes(1, 2), "labels": LABELS}, "images of shape (1, 17, 29)", "(29, 17)"),
        ({"images": COLOURS, "labels": LABELS}, "images of shape (1, 17, 29)", "(40, 24, 3)"),
        ({"images": GREY_LEVELS.reshape(2, -1), "labels": LABELS}, "images of shape (1, 17, 29)", "(493,)"),
    ],
)
def test_npz_with_wrong_content_is_refused(tmp_path: Path, arrays: dict[str, Any], expected: str, got: str) -> None:
    assert_refused(npz(tmp_path, **arrays), expected, got, (1, 17, 29))


@pytest.mark.parametrize("labels", [np.full(2, 2**64 - 1, np.uint64), np.array([0, 2**63], np.uint64)])
def test_labels_that_no_class_number_reaches_are_refused(tmp_path: Path, labels: NDArray[Any]) -> None:
    path = npz(tmp_path, images=GREY_LEVELS, labels=labels)
    assert_refused(path, "labels below 2^63", f"up to {labels.max()}; number the classes from 0")
    assert load_data(npz(tmp_path, images=GREY_LEVELS, labels=labels // 4)).labels.tolist() == (labels // 4).tolist()


def write_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, GREY_LEVELS)


def write_foreign(path: Path) -> None:
    """Members of the archive that are no .npy files."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("images", "hello")
        file.writestr("labels.npy", "hello")


def write_cut(path: Path) -> None:
    np.savez_compressed(path, images=GREY_LEVELS, labels=LABELS)
    path.write_bytes(path.read_bytes()[:-40])


def write_flipped(path: Path) -> None:
    np.savez_compressed(path, images=GREY_LEVELS, labels=LABELS)
    content = bytearray(path.read_bytes())
    content[200:220] = bytes(20)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("write", "expected", "got"),
    [
        (lambda path: None, "an .npz file at", "no such file"),
        (lambda path: path.mkdir(), "an .npz file at", "no such file"),
        (lambda path: path.write_bytes(b""), "a readable .npz file", "0 bytes that are no whole .npz file"),
        (lambda path: path.write_text("hello"), "a readable .npz file", "5 bytes that are no whole .npz file"),
        (write_cut, "a readable .npz file", "bytes that are no whole .npz file"),
        (write_flipped, "a readable .npz file", "BadZipFile"),
        (write_array, "a readable .npz file", "bytes that are no whole .npz file"),
        (write_foreign, "labels in", "a file that begins with b'hello'"),
    ],
)
def test_damaged_npz_is_refused(tmp_path: Path, write: Write, expected: str, got: str) -> None:
    path = tmp_path / "given.npz"
    write(path)
    assert_refused(path, expected, got)
    assert_refused(path, str(path), got)


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
        (lambda file: file.write_text("hello"), "an image at", "UnidentifiedImageError"),
        (lambda file: file.write_bytes(b""), "an image at", "UnidentifiedImageError"),
        (lambda file: file.mkdir(), "an image at", "a folder, or no file that can be read"),
        (write_cut_png, "an image at", "rror"),
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
        (write_postscript, "an image at", "UnidentifiedImageError"),
        (lambda file: os.mkfifo(file), "an image at", "a folder, or no file that can be read"),
    ],
)
def test_folder_with_a_wrong_file_is_refused_by_its_name(tmp_path: Path, write: Write, expected: str, got: str) -> None:
    animals = folder(tmp_path)
    write(animals / "cat" / "wrong.png")
    assert_refused(animals, expected, got, (1, 5, 7))
    with pytest.raises(DataError, match=r"wrong\.png"):
        load_data(animals, (1, 5, 7))


@pytest.mark.parametrize(
    ("make", "input_shape", "expected", "got"),
    [
        (lambda path: path.mkdir(), None, "one subfolder of images per class", "no subfolder"),
        (lambda path: picture(path / "a.png"), None, "one subfolder of images per class", "no subfolder"),
        (lambda path: (path / "cat").mkdir(parents=True), None, "one subfolder", "1 subfolders without images"),
        (lambda path: picture(path / "cat" / "a.png"), (2, 5, 7), "1 or 3 channels", "got inputs of shape (2, 5, 7)"),
        (lambda path: picture(path / "cat" / "a.png"), (1, 7, 5), "7 pixels high and 5 wide", "a.png"),
        (lambda path: picture(path / "cat" / "a.png"), (35,), "1 or 3 channels", "got inputs of shape (35,)"),
    ],
)
def test_folder_without_usable_images_is_refused(
    tmp_path: Path, make: Write, input_shape: tuple[int, ...] | None, expected: str, got: str
) -> None:
    make(tmp_path / "animals")
    assert_refused(tmp_path / "animals", expected, got, input_shape)
