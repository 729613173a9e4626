"""Training: a seed decides the weights, the accuracy gate holds, and what is written loads again."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.data_files import Arrays
from dnncov_core.networks import training, zoo
from dnncov_core.networks.cards import from_json
from dnncov_core.networks.training import Digits, Recipe

torch.set_num_threads(1)


def bars(n: int, *, noise_seed: int = 0) -> Arrays:
    """Ten classes that are easy to tell apart: a bright bar in rows 4 + 2 * label, on dim noise."""
    labels = np.arange(n) % 10
    images = np.random.default_rng(noise_seed).integers(0, 60, (n, 1, 28, 28)).astype(np.uint8)
    for image, label in zip(images, labels, strict=True):
        image[0, 4 + 2 * label, 4:24] = 255
    return Arrays(images, labels)


def digits(n: int) -> Digits:
    arrays = bars(n)
    return Digits(torch.from_numpy(arrays.images), torch.from_numpy(arrays.labels))


def trained_weights(name: str, recipe: Recipe) -> list[torch.Tensor]:
    return list(training.trained(name, digits(100), recipe, lambda line: None).state_dict().values())


def test_training_is_reproducible_and_its_seed_matters() -> None:
    first, again, other = (trained_weights("mnist-n1", Recipe(epochs=1, seed=seed)) for seed in (0, 0, 1))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[0], other[0])


def test_training_learns_reports_each_epoch_and_ends_in_eval_mode() -> None:
    lines: list[str] = []
    module = training.trained("mnist-n6", digits(1000), Recipe(epochs=3, batch=32, shift=0), lines.append)
    assert training.n_correct(module, digits(200)) >= 196
    assert [line.split(":")[0] for line in lines] == [f"mnist-n6 epoch {epoch}/3" for epoch in (1, 2, 3)]
    assert not module.training


def test_uint8_and_float_digits_give_the_same_pixels() -> None:
    grey = digits(20)
    floats = Digits(grey.images.float() / 255, grey.labels)
    assert torch.equal(grey.pixels(slice(3, 9)), floats.pixels(slice(3, 9)))


def save(path: Path, arrays: Arrays) -> Path:
    np.savez(path, images=arrays.images[:, 0], labels=arrays.labels)
    return path


def run(tmp_path: Path, *options: str, out: str = "out") -> int:
    train = save(tmp_path / "train.npz", bars(1000))
    test = save(tmp_path / "test.npz", bars(200, noise_seed=1))
    files = ["--train", str(train), "--test", str(test), "--out", str(tmp_path / out)]
    return training.main([*files, "--networks", "mnist-n6", *options])


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without shifts, since bars two rows apart would touch."""
    monkeypatch.setattr(training, "_moved", lambda images, shift: images)


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

    monkeypatch.setattr(training, "read_mnist", read_mnist)
    assert training.main(["--networks", "mnist-n6", "--epochs", "20", "--out", str(tmp_path)]) == 0
    assert sorted(asked) == [False, True]


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
