"""Data files: every layout of an .npz file or a folder, and one clear line for each way they can be wrong."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dnncov_core.data import has_labels, load_data
from dnncov_core.data.files import class_order, described, file_names
from dnncov_core.errors import DataError
from tests.data.made import Write, assert_refused, folder, picture

GREY_LEVELS = np.arange(2 * 17 * 29, dtype=np.uint8).reshape(2, 17, 29)
COLOURS = np.arange(2 * 40 * 24 * 3, dtype=np.uint8).reshape(2, 40, 24, 3)
LABELS = np.array([0, 1])


def test_inputs_are_called_images_or_inputs(tmp_path: Path) -> None:
    x = np.random.default_rng(0).random((2, 3))
    data = load_data(npz(tmp_path, inputs=x, labels=LABELS), (3,))
    np.testing.assert_array_equal(data.images, x)
    assert described(tmp_path / "given.npz") == "given.npz, an .npz file of 2 inputs"
    path = npz(tmp_path, inputs=x, images=x, labels=LABELS)
    with pytest.raises(DataError, match=r"either images or inputs in .*; got both; leave one of them out"):
        load_data(path)


def npz(tmp_path: Path, **arrays: Any) -> Path:
    path = tmp_path / "given.npz"
    np.savez(path, **arrays)
    return path


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


def test_files_of_arrays_are_not_resized(tmp_path: Path) -> None:
    assert load_data(npz(tmp_path, images=COLOURS, labels=LABELS), (3, 40, 24), resize=50).shape == (3, 40, 24)
    with pytest.raises(DataError, match=r"images of shape \(3, 20, 20\)"):
        load_data(npz(tmp_path, images=COLOURS, labels=LABELS), (3, 20, 20), resize=50)


# Files that are in the way


def test_images_beside_the_class_folders_are_refused(tmp_path: Path) -> None:
    animals = folder(tmp_path)
    for name in ("d.PNG", "e.jpeg", ".hidden.png"):
        picture(tmp_path / "made.png")
        (tmp_path / "made.png").rename(animals / name)
    got = "got 2 beside them, such as d.PNG; move each into the subfolder of its class"
    assert_refused(animals, f"images in the subfolders of {animals} alone", got, (1, 5, 7))
    with pytest.raises(DataError, match="got 2 beside them"):
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
    kinds = "(BMP, GIF, JPEG, JPEG2000, PNG, PPM, TIFF, WEBP)"
    got = f"another kind than those that are read {kinds}, or a damaged one; convert it, or move it"
    assert_refused(animals, f"an image at {animals / 'cat' / 'notes.txt'}", got, (1, 5, 7))


def test_a_folder_that_cannot_be_read_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    animals = folder(tmp_path)
    monkeypatch.setattr(Path, "iterdir", refuse)
    assert_refused(animals, "a folder that can be read", "Permission denied; correct its permissions", (1, 5, 7))
    assert described(animals) == "animals, a folder"
    assert class_order(animals, ("one", "two")) == ""


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


def test_test_pairs_are_every_different_input_with_the_label_of_x1(tmp_path: Path) -> None:
    x1, x2 = np.array([[0.0, 1.0], [0.5, 0.0], [0.0, 1.0]]), np.array([[0.1, 1.0], [0.0, 1.0], [0.2, 1.0]])
    path = npz(tmp_path, x1=x1, x2=x2, label1=np.array([3, 4, 3]), label2=np.array([4, 4, 3]))
    data = load_data(path)
    assert data.images.tolist() == [[0.0, 1.0], [0.1, 1.0], [0.5, 0.0], [0.2, 1.0]]
    assert data.labels is not None
    assert data.labels.tolist() == [3, 3, 4, 3]
    assert has_labels(str(path))
    with pytest.raises(DataError, match="as many x1, x2 and label1, of one shape; got"):
        load_data(npz(tmp_path, x1=x1, x2=x2[:2], label1=np.array([3, 4, 3])))


def test_whether_there_are_labels_is_known_without_reading_the_inputs(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    picture(tmp_path / "alone" / "a.png")
    (tmp_path / "named.csv").write_text("a,label\n1,0\n")
    (tmp_path / "bare.csv").write_text("a,b\n1,0\n")
    np.savez(tmp_path / "bare.npz", inputs=GREY_LEVELS)
    (tmp_path / "damaged.npz").write_bytes(b"PK")
    with_labels = (npz(tmp_path, images=GREY_LEVELS, labels=LABELS), folder(tmp_path), tmp_path / "named.csv", "toy")
    assert all(map(has_labels, map(str, (*with_labels, tmp_path / "damaged.npz", tmp_path / "gone.csv"))))
    assert not any(has_labels(str(tmp_path / name)) for name in ("bare.npz", "bare.csv", "alone"))


def test_labels_that_are_there_are_checked_all_the_same(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="integer labels"):
        load_data(npz(tmp_path, images=GREY_LEVELS, labels=LABELS * 1.0), labelled=False)
    with pytest.raises(DataError, match=r"given\.npz as an array of integers; got text"):
        load_data(npz(tmp_path, images=GREY_LEVELS, labels=LABELS.astype(str)), labelled=False)
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
            "given.npz as an array of integers",
            "Python objects",
        ),
        ({"images": GREY_LEVELS.astype(int), "labels": LABELS}, "uint8 or float images", "int64"),
        ({"images": GREY_LEVELS > 3, "labels": LABELS}, "uint8 or float images", "bool"),
        ({"images": GREY_LEVELS[:0], "labels": LABELS[:0]}, "at least one image", "shape (0, 17, 29)"),
        ({"images": np.uint8(3), "labels": LABELS}, "at least one image", "shape ()"),
        ({"images": GREY_LEVELS, "labels": LABELS[:1]}, "2 labels, one for each image", "shape (1,)"),
        ({"images": GREY_LEVELS, "labels": np.eye(2, dtype=int)}, "2 labels, one for each image", "shape (2, 2)"),
        ({"images": GREY_LEVELS, "labels": LABELS / 2}, "integer labels", "float64"),
        ({"images": GREY_LEVELS, "labels": np.array(["0", "1"])}, "given.npz as an array of integers", "text; save"),
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
        (write_foreign, "labels in", "another kind of file"),
    ],
)
def test_damaged_npz_is_refused(tmp_path: Path, write: Write, expected: str, got: str) -> None:
    path = tmp_path / "given.npz"
    write(path)
    assert_refused(path, expected, got)
    assert_refused(path, str(path), got)


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
