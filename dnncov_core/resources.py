"""What is there on this machine: assets, the user's own folder, downloads, versions of packages, and memory."""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import platform
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from http.client import HTTPException
from importlib import metadata
from pathlib import Path

PACKAGE = "dnncov-explorer"
"""How this program is called where packages are installed."""
PACKAGES = (PACKAGE, "torch", "torchvision", "pulp", "highspy", "numpy")
"""Packages that decide results."""

_FOLDER = Path(__file__).resolve().parent
_IN_WHEEL = _FOLDER / "_assets"

ASSETS: Path = _IN_WHEEL if _IN_WHEEL.is_dir() else _FOLDER.parent / "assets"
"""Embedded networks, their cards and images: ``assets/`` of a clone, or the copy of it inside an installed wheel."""

TIMEOUT = 30.0
"""Seconds without an answer after which a download gives up."""
FAILURES = (RuntimeError, OSError, EOFError, HTTPException)
"""What torch and torchvision raise on a download that fails, one with a wrong checksum included."""


def home() -> Path:
    """The user's folder for downloads and campaigns: ``$DNNCOV_HOME``, or ``~/.dnncov``. It may not exist yet."""
    return Path(os.environ.get("DNNCOV_HOME") or "~/.dnncov").expanduser()


@cache
def devices() -> tuple[str, ...]:
    """Devices of this machine that PyTorch can work on, by its names, found without importing it: that takes seconds.

    A GPU of NVIDIA is there if its driver finds one, and PyTorch was built for it.
    """
    apple = sys.platform == "darwin" and platform.machine() == "arm64"
    built_for_cuda = "+cpu" not in versions().get("torch", "")
    return ("cpu", *(["cuda"] if built_for_cuda and _nvidia_gpus() else []), *(["mps"] if apple else []))


def _nvidia_gpus() -> int:
    try:
        driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    except OSError:
        return 0
    n = ctypes.c_int(0)
    return 0 if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(n)) else n.value


@contextmanager
def downloading() -> Iterator[None]:
    """Sends what a download prints to standard error, and gives up after `TIMEOUT`."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(TIMEOUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        socket.setdefaulttimeout(before)


def versions() -> dict[str, str]:
    """Version of each package that decides a result, and of Python; packages that are not installed are left out."""
    installed = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            installed[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return installed


def collect_garbage_rarely() -> None:
    """Lets the garbage collection of this process run rarely, and not at its end.

    PyTorch holds a million objects until the process ends. Going through them again and again takes half of the time of
    a short command.
    """
    gc.set_threshold(50_000, 10, 10)
    atexit.register(gc.freeze)
