"""The download of MNIST: once, silent on standard output, and nothing half done when it fails."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from dnncov_core import data_mnist
from dnncov_core.data import load_data
from dnncov_core.errors import DataError


def assert_refused(expected: str, got: str) -> None:
    with pytest.raises(DataError) as caught:
        load_data("mnist-full")
    assert expected in str(caught.value)
    assert got in str(caught.value)
    assert "\n" not in str(caught.value)


class Torchvision:
    """Stands for torchvision's MNIST: writes files as it does, and fails where it is told to."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.downloads = 0
        self.timeout: float | None = None

    def __call__(self, root: Path, *, train: bool, download: bool) -> Any:
        if download:
            self.downloads += 1
            self.timeout = socket.getdefaulttimeout()
            (root / "MNIST" / "raw").mkdir(parents=True)
            (root / "MNIST" / "raw" / "train-images").write_bytes(b"half")
            print("Downloading")
            if self.failure:
                raise self.failure
            return None
        import torch

        assert (root / "MNIST" / "raw").is_dir()
        n = 6 if train else 2
        return type("Digits", (), {"data": torch.full((n, 28, 28), n, dtype=torch.uint8), "targets": torch.arange(n)})


@pytest.fixture
def users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "user"))
    return tmp_path / "user" / "data"


def test_full_mnist_is_downloaded_once(
    monkeypatch: pytest.MonkeyPatch, users_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torchvision = Torchvision()
    monkeypatch.setattr(data_mnist, "_torchvision", torchvision)
    first, second = load_data("mnist-full", (1, 28, 28)), load_data("mnist-full")
    assert first.fingerprint == second.fingerprint
    assert (first.shape, first.labels.tolist(), len(first.classes)) == ((1, 28, 28), [0, 1], 10)
    assert torchvision.downloads == 1
    assert torchvision.timeout == data_mnist.TIMEOUT
    assert socket.getdefaulttimeout() is None
    assert [path.name for path in users_folder.iterdir()] == ["MNIST"]
    assert capsys.readouterr().out == ""
    assert len(data_mnist.read_mnist(train=True).labels) == 6


@pytest.mark.parametrize(
    "failure",
    [
        RuntimeError("Error downloading train-images:\nTried https://..."),
        TimeoutError("timed out"),
        OSError(28, "full"),
    ],
)
def test_failed_download_is_one_line_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, users_folder: Path, failure: Exception
) -> None:
    monkeypatch.setattr(data_mnist, "_torchvision", Torchvision(failure))
    assert_refused(f"to download MNIST into {users_folder}", str(failure).splitlines()[0])
    assert list(users_folder.iterdir()) == []


def test_torchvision_itself_offline_is_one_line_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, users_folder: Path
) -> None:
    def no_network(*_: Any, **__: Any) -> Any:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    monkeypatch.setattr(socket, "create_connection", no_network)
    monkeypatch.setenv("no_proxy", "*")
    assert_refused("to download MNIST", "Network is unreachable")
    assert list(users_folder.iterdir()) == []


def test_damaged_download_says_what_to_delete(users_folder: Path) -> None:
    (users_folder / "MNIST" / "raw").mkdir(parents=True)
    assert_refused(f"the MNIST files in {users_folder / 'MNIST'}", "delete that folder")
    for name in ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"):
        (users_folder / "MNIST" / "raw" / f"{name}-ubyte").write_bytes(b"\0\0")
    assert_refused("the MNIST files in", "delete that folder")
