"""The official MNIST images through torchvision, downloaded once into the user's folder."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dnncov_core.data_files import Arrays
from dnncov_core.errors import DataError
from dnncov_core.resources import home

DIGITS = tuple("0123456789")
TIMEOUT = 30.0
"""Seconds without an answer after which a download gives up."""


def read_mnist(*, train: bool) -> Arrays:
    """The 60,000 training or 10,000 test digits: uint8 ``(N, 1, 28, 28)``, labels ``(N,)``.

    Raises:
        DataError: they are not here and cannot be downloaded, or what is here is damaged.
    """
    folder = home() / "data"
    if not (folder / "MNIST").exists():
        _download(folder)
    try:
        digits = _torchvision(folder, train=train, download=False)
        return Arrays(digits.data.numpy()[:, None], digits.targets.numpy(), DIGITS)
    except (RuntimeError, ValueError, OSError, AssertionError, KeyError, IndexError) as error:
        damaged = folder / "MNIST"
        raise DataError(f"the MNIST files in {damaged}", f"{error}", "delete that folder and try again") from error


def _download(folder: Path) -> None:
    """Downloads beside the final place and moves it there when all is well, so that nothing is left half done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder, prefix=".mnist-") as partial:
            with redirect_stdout(sys.stderr), _socket_timeout(TIMEOUT):
                _torchvision(Path(partial), train=True, download=True)
            (Path(partial) / "MNIST").rename(folder / "MNIST")
    except (RuntimeError, OSError, EOFError, HTTPException) as error:
        expected = f"to download MNIST into {folder}"
        fix = "connect to the internet and try again, or use the embedded data mnist"
        raise DataError(expected, f"{error}", fix) from error


def _torchvision(folder: Path, *, train: bool, download: bool) -> Any:
    """The data set as torchvision has it, imported here so that reading other data needs no torch."""
    from torchvision.datasets import MNIST

    return MNIST(str(folder), train=train, download=download)


@contextmanager
def _socket_timeout(seconds: float) -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
