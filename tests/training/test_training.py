"""Training: a seed decides the weights, the accuracy gate holds, and what is written loads again."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.data.files import Arrays
from dnncov_core.networks import zoo
from dnncov_core.networks.cards import from_json
from dnncov_core.networks.zoo import Convolutional
from tests.training import __main__ as training
from tests.training.courses import COURSES
from tests.training.trainer import BatchShift, LabelledImages, Recipe, n_correct

torch.set_num_threads(1)
RECIPE = COURSES["mnist"].recipe


def bars(n: int, *, noise_seed: int = 0) -> Arrays:
    """Ten classes that are easy to tell apart: a bright bar in rows 4 + 2 * label, on dim noise."""
    labels = np.arange(n) % 10
    images = np.random.default_rng(noise_seed).integers(0, 60, (n, 1, 28, 28)).astype(np.uint8)
    for image, label in zip(images, labels, strict=True):
        image[0, 4 + 2 * label, 4:24] = 255
    return Arrays(images, labels)


def digits(n: int) -> LabelledImages:
    arrays = bars(n)
    return LabelledImages(torch.from_numpy(arrays.images), torch.from_numpy(arrays.labels))


def colours(n: int) -> Arrays:
    """The same bars, smaller and in colour: ``(n, 32, 32, 3)``, as image files hold them."""
    arrays = bars(n)
    return Arrays(
        np.repeat(np.pad(arrays.images[:, 0], ((0, 0), (2, 2), (2, 2)))[..., None], 3, axis=-1), arrays.labels
    )


def trained_weights(name: str, recipe: Recipe) -> list[torch.Tensor]:
    return list(training.trained(name, digits(100), recipe, lambda line: None).state_dict().values())


def test_training_is_reproducible_and_its_seed_matters() -> None:
    first, again, other = (trained_weights("mnist-n1", replace(RECIPE, epochs=1, seed=seed)) for seed in (0, 0, 1))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[0], other[0])


def test_training_learns_and_names_the_network_in_each_line() -> None:
    lines: list[str] = []
    recipe = replace(RECIPE, epochs=3, batch=32, augmentation=BatchShift(0))
    module = training.trained("mnist-n6", digits(1000), recipe, lines.append)
    assert n_correct(module, digits(200)) >= 196
    assert [line.split(":")[0] for line in lines] == [f"mnist-n6 epoch {epoch}/3" for epoch in (1, 2, 3)]


def save(path: Path, arrays: Arrays) -> Path:
    images = arrays.images[:, 0] if arrays.images.shape[1] == 1 else arrays.images
    np.savez(path, images=images, labels=arrays.labels)
    return path


def run(tmp_path: Path, *options: str, out: str = "out") -> int:
    train = save(tmp_path / "train.npz", bars(1000))
    test = save(tmp_path / "test.npz", bars(200, noise_seed=1))
    files = ["--train", str(train), "--test", str(test), "--out", str(tmp_path / out)]
    return training.main([*files, "--networks", "mnist-n6", *options])


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without shifts, since bars two rows apart would touch."""
    course = COURSES["mnist"]
    monkeypatch.setitem(COURSES, "mnist", replace(course, recipe=replace(RECIPE, augmentation=BatchShift(0))))


@pytest.mark.usefixtures("still")
def test_what_is_written_loads_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "--epochs", "20") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("mnist-n6: ")
    monkeypatch.setattr(zoo, "FOLDER", tmp_path / "out")
    card = zoo.embedded_card("mnist-n6")
    assert card.fingerprint == zoo.load_embedded("mnist-n6").fingerprint
    assert card.accuracy is not None
    assert card.accuracy >= 0.97
    assert "1,000 MNIST training images: 20 epochs" in card.description
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["mnist-n6.json", "mnist-n6.npz", "toy.json"]


def test_too_little_accuracy_is_reported_and_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--epochs", "0") == 1
    report = capsys.readouterr().out
    assert "mnist-n6 is not written: expected an accuracy of 97.0% or more on 200 test images; got " in report
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["toy.json"]


def test_cards_are_rewritten_from_the_stored_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = zoo.embedded_card("mnist-n6")
    monkeypatch.setattr(training, "n_correct", lambda module, test: 199)
    assert run(tmp_path, "--cards") == 0
    card = from_json((tmp_path / "out" / "mnist-n6.json").read_text(encoding="utf-8"))
    assert (card.fingerprint, card.description) == (stored.fingerprint, stored.description)
    assert (card.accuracy, card.accuracy_on) == (199 / 200, "200 MNIST test images")
    assert not (tmp_path / "out" / "mnist-n6.npz").exists()


@pytest.mark.usefixtures("still")
def test_without_files_the_digits_come_through_torchvision(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[bool] = []

    def read_mnist(*, train: bool) -> Arrays:
        asked.append(train)
        return bars(1000 if train else 200)

    monkeypatch.setitem(COURSES, "mnist", replace(COURSES["mnist"], download=read_mnist))
    assert training.main(["--networks", "mnist-n6", "--epochs", "20", "--out", str(tmp_path)]) == 0
    assert sorted(asked) == [False, True]


def test_colour_images_train_a_convolutional_network_whose_card_tells_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(zoo.EMBEDDED, "cifar10-cnn", Convolutional(channels=(4, 4, 4), hidden=8))
    monkeypatch.setitem(COURSES, "cifar10", replace(COURSES["cifar10"], least_accuracy=0.0))
    path = save(tmp_path / "colours.npz", colours(40))
    files = ["--train", str(path), "--test", str(path), "--out", str(tmp_path / "out")]
    assert training.main(["--dataset", "cifar10", "--encoding", "drawn", "--epochs", "1", *files]) == 0
    monkeypatch.setattr(zoo, "FOLDER", tmp_path / "out")
    card = zoo.embedded_card("cifar10-cnn")
    assert card.fingerprint == zoo.load_embedded("cifar10-cnn").fingerprint
    assert card.accuracy_on == "40 CIFAR-10 test images (drawn)"
    assert "Trained on 40 CIFAR-10 training images (drawn): 1 epochs of gradient descent" in card.description
    assert (card.dataset, card.input_shape, card.classes[3]) == ("cifar10-sample", (3, 32, 32), "cat")


def test_networks_of_another_data_set_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert training.main(["--dataset", "cifar10", "--networks", "mnist-n1"]) == 2
    assert "networks of cifar10, among cifar10-cnn; got mnist-n1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (Arrays(bars(10).images, np.arange(10) + 5), "labels from 0 to 9; got 5 labels above"),
        (Arrays(bars(10).images[..., :27], np.arange(10)), r"shape \(1, 28, 28\); got \(28, 27\)"),
        (Arrays(bars(10).images * 1.0, np.arange(10)), "images from 0.0 to 1.0; got 0.0 to 255.0"),
    ],
)
def test_unfit_digits_are_refused(
    tmp_path: Path, arrays: Arrays, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(tmp_path / "train.npz", arrays)
    assert training.main(["--train", str(path), "--test", str(path), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert not (tmp_path / "out").exists()
