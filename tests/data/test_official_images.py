"""The downloads of MNIST and CIFAR-10: once, silent on standard output, and nothing half done when they fail."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dnncov_core.data import EMBEDDED_DATA, load_data, official_images
from dnncov_core.errors import DataError
from dnncov_core.resources import TIMEOUT

FOLDERS = {"mnist-full": "MNIST", "cifar10": "cifar-10-batches-py"}
TITLES = {"mnist-full": "MNIST", "cifar10": "CIFAR10"}
BOTH = pytest.mark.parametrize("name", FOLDERS)


def assert_refused(name: str, expected: str, got: str) -> None:
    with pytest.raises(DataError) as caught:
        load_data(name)
    assert expected in str(caught.value)
    assert got in str(caught.value)
    assert "\n" not in str(caught.value)


class Torchvision:
    """Stands for torchvision's data sets: writes files as they do, and fails where it is told to."""

    def __init__(self, failure: BaseException | None = None) -> None:
        self.failure = failure
        self.downloads = 0
        self.timeout: float | None = None

    def __call__(self, dataset: str, root: Path, *, train: bool, download: bool) -> Any:
        folder = root / {"MNIST": "MNIST/raw", "CIFAR10": "cifar-10-batches-py"}[dataset]
        if download:
            self.downloads += 1
            self.timeout = socket.getdefaulttimeout()
            folder.mkdir(parents=True)
            (folder / "train-images").write_bytes(b"half")
            (root / "archive.tar.gz").write_bytes(b"whole")
            print("Downloading")
            if self.failure:
                raise self.failure
            return None
        assert folder.is_dir()
        return type("Images", (), self._mnist(train) if dataset == "MNIST" else self._cifar10(train))

    def _mnist(self, train: bool) -> dict[str, Any]:
        import torch

        n = 6 if train else 2
        return {"data": torch.full((n, 28, 28), n, dtype=torch.uint8), "targets": torch.arange(n)}

    def _cifar10(self, train: bool) -> dict[str, Any]:
        images = np.zeros((6 if train else 2, 32, 32, 3), np.uint8)
        images[:, 4, 7] = (1, 2, 3)
        return {"data": images, "targets": list(range(len(images)))}


@pytest.fixture
def users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "user"))
    return tmp_path / "user" / "data"


@BOTH
def test_it_is_downloaded_once(
    monkeypatch: pytest.MonkeyPatch, users_folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    torchvision, card = Torchvision(), EMBEDDED_DATA[name]
    monkeypatch.setattr(official_images, "_torchvision", torchvision)
    first, second = load_data(name, card.shape), load_data(name)
    assert first.fingerprint == second.fingerprint
    assert (first.shape, first.labels.tolist(), first.classes) == (card.shape, [0, 1], card.classes)
    assert first.images.dtype == np.uint8
    assert torchvision.downloads == 1
    assert torchvision.timeout == TIMEOUT
    assert socket.getdefaulttimeout() is None
    assert [path.name for path in users_folder.iterdir()] == [FOLDERS[name]]
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "Downloading\n")


def test_training_images_too(monkeypatch: pytest.MonkeyPatch, users_folder: Path) -> None:
    monkeypatch.setattr(official_images, "_torchvision", Torchvision())
    assert official_images.MNIST.read(train=True).images.shape == (6, 1, 28, 28)
    assert official_images.CIFAR10.read(train=True).images[5, :, 4, 7].tolist() == [1, 2, 3]


@BOTH
@pytest.mark.parametrize(
    "failure",
    [
        RuntimeError("Error downloading train-images:\nTried https://..."),
        TimeoutError("timed out"),
        OSError(28, "full"),
    ],
)
def test_failed_download_is_one_line_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, users_folder: Path, failure: Exception, name: str
) -> None:
    monkeypatch.setattr(official_images, "_torchvision", Torchvision(failure))
    assert_refused(name, f"to download {TITLES[name]} into {users_folder}", str(failure).splitlines()[0])
    assert list(users_folder.iterdir()) == []


@BOTH
def test_interrupted_download_leaves_nothing(monkeypatch: pytest.MonkeyPatch, users_folder: Path, name: str) -> None:
    monkeypatch.setattr(official_images, "_torchvision", Torchvision(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        load_data(name)
    assert list(users_folder.iterdir()) == []


@BOTH
def test_torchvision_itself_offline_is_one_line_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, users_folder: Path, name: str
) -> None:
    def no_network(*_: Any, **__: Any) -> Any:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    monkeypatch.setattr(socket, "create_connection", no_network)
    monkeypatch.setenv("no_proxy", "*")
    assert_refused(name, f"to download {TITLES[name]}", "Network is unreachable")
    assert list(users_folder.iterdir()) == []


def test_damaged_download_says_what_to_delete(users_folder: Path) -> None:
    (users_folder / "MNIST" / "raw").mkdir(parents=True)
    assert_refused("mnist-full", f"the MNIST files in {users_folder / 'MNIST'}", "delete that folder")
    for name in ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"):
        (users_folder / "MNIST" / "raw" / f"{name}-ubyte").write_bytes(b"\0\0")
    assert_refused("mnist-full", "the MNIST files in", "delete that folder")


def test_a_damaged_pickle_of_cifar10_is_not_opened(users_folder: Path) -> None:
    folder = users_folder / "cifar-10-batches-py"
    folder.mkdir(parents=True)
    for name in ("test_batch", "batches.meta", *(f"data_batch_{i}" for i in range(1, 6))):
        (folder / name).write_bytes(b"cos\nabort\n(tR.")
    assert_refused("cifar10", f"the CIFAR10 files in {folder}", "delete that folder")
