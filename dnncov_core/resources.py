"""This machine: assets, environment variables, the user's own folder, downloads, versions of packages, and memory."""

from __future__ import annotations

import atexit
import ctypes
import gc
import math
import os
import platform
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from http.client import HTTPException
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from dnncov_core.errors import SpecificationError

PACKAGE = "dnncov-explorer"
"""How this program is called where packages are installed."""
PACKAGES = (PACKAGE, "torch", "torchvision", "pulp", "highspy", "numpy")
"""Packages that decide results."""

_FOLDER = Path(__file__).resolve().parent
_IN_WHEEL = _FOLDER / "_assets"

ASSETS: Path = _IN_WHEEL if _IN_WHEEL.is_dir() else _FOLDER.parent / "assets"
"""Embedded networks, their cards and images: ``assets/`` of a clone, or the copy of it inside an installed wheel."""

AMD_GPUS = Path("/dev/kfd")
"""The file by which AMD's driver for Linux lets programs compute."""

TIMEOUT = 30.0
"""Seconds without an answer after which a download gives up."""
FAILURES = (RuntimeError, OSError, EOFError, HTTPException)
"""What torch and torchvision raise on a download that fails, one with a wrong checksum included."""


def path_in(variable: str, usual: str) -> Path:
    """The path that an environment variable has, or the usual one, with ``~`` written out.

    Raises:
        SpecificationError: it begins with the home folder of nobody.
    """
    text = os.environ.get(variable) or usual
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        expected = f"a path in the environment variable {variable}"
        raise SpecificationError(expected, f"{text!r}, in the home folder of nobody", "write it out") from error


def gib_in(variable: str, usual: float) -> float:
    """The number of GiB that an environment variable has, or the usual one.

    Raises:
        SpecificationError: it has no such number.
    """
    text = os.environ.get(variable) or str(usual)
    try:
        gib = float(text)
    except ValueError:
        gib = math.nan
    if not 0 < gib < math.inf:
        expected = f"a number of GiB above 0 in the environment variable {variable}"
        raise SpecificationError(expected, repr(text), "change it")
    return gib


def home() -> Path:
    """The user's folder for downloads and campaigns: ``$DNNCOV_HOME``, or ``~/.dnncov``. It may not exist yet.

    Raises:
        SpecificationError: ``$DNNCOV_HOME`` is no path.
    """
    return path_in("DNNCOV_HOME", "~/.dnncov")


def devices() -> tuple[str, ...]:
    """What a campaign can be asked to work on here, found without importing PyTorch, which takes seconds."""
    apple = sys.platform == "darwin" and platform.machine() == "arm64"
    there = {"auto": True, "cpu": True, "cuda": gpu_is_here(), "mps": apple}
    return tuple(name for name, is_there in there.items() if is_there)


def device_of(name: str) -> str:
    """What a campaign works on here that asks for this device, or where it is not here, for any."""
    here = devices()
    return name if name in here and name != "auto" else next(each for each in ("cuda", "mps", "cpu") if each in here)


@cache
def gpu_is_here() -> bool:
    """Whether there is a GPU of the maker that PyTorch was built for: of NVIDIA, or of AMD, which it calls cuda too."""
    torch = find_spec("torch")
    built = [] if torch is None or torch.origin is None else [*Path(torch.origin).parent.glob("lib/*torch_*")]
    if any("torch_hip" in file.name for file in built):
        return AMD_GPUS.exists()
    return any("torch_cuda" in file.name for file in built) and _nvidia_gpus() > 0


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


def share_cores() -> None:
    """Lets PyTorch's threads sleep while they wait for each other, in this process and in those that it starts.

    By default they keep their cores busy meanwhile. Where other programs work on the same cores, a pass through a large
    network then takes ten times as long. It has to be said before PyTorch is loaded; what the user has set stays.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def collect_garbage_rarely() -> None:
    """Lets the garbage collection of this process run rarely, and not at its end.

    PyTorch holds a million objects until the process ends. Going through them again and again takes half of the time of
    a short command.
    """
    gc.set_threshold(50_000, 10, 10)
    atexit.register(gc.freeze)


def how_to_install(*packages: str) -> str:
    """How packages that do not come with this one are installed, for messages.

    >>> how_to_install("onnx", "onnxruntime")
    'in the environment that runs this program: pip install onnx onnxruntime'
    """
    return f"in the environment that runs this program: pip install {' '.join(packages)}"
