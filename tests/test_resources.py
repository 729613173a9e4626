"""What there is on this machine, as its drivers say it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from dnncov_core import resources
from dnncov_core.errors import SpecificationError
from dnncov_core.networks.pretrained import weights_file
from dnncov_core.registry.file import location
from tests.command import call


class Driver:
    """NVIDIA's, as far as it is asked."""

    def __init__(self, gpus: int, *, fails: int = 0) -> None:
        self._gpus, self._fails = gpus, fails

    def cuInit(self, flags: int) -> int:
        return self._fails

    def cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = self._gpus
        return 0


@pytest.fixture
def torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a PyTorch that has no libraries yet."""
    (tmp_path / "torch" / "lib").mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").touch()
    origin = str(tmp_path / "torch" / "__init__.py")
    monkeypatch.setattr(resources, "find_spec", lambda name: ModuleSpec(name, None, origin=origin))
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Driver(1))
    resources.gpu_is_here.cache_clear()
    yield tmp_path / "torch"
    resources.gpu_is_here.cache_clear()


@pytest.mark.parametrize(
    ("driver", "library", "there"),
    [
        (Driver(2), "libtorch_cuda.so", True),
        (Driver(2), "torch_cuda.dll", True),
        (Driver(2), "torch_cpu.dll", False),
        (Driver(0), "libtorch_cuda.so", False),
        (Driver(1, fails=100), "libtorch_cuda.so", False),
    ],
)
def test_a_gpu_of_nvidia_is_there_if_its_driver_and_torch_have_it(
    monkeypatch: pytest.MonkeyPatch, torch: Path, driver: Driver, library: str, there: bool
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: driver)
    (torch / "lib" / library).touch()
    assert ("cuda" in resources.devices()) == there


@pytest.mark.parametrize("there", [True, False])
def test_a_gpu_of_amd_is_there_if_its_driver_is(monkeypatch: pytest.MonkeyPatch, torch: Path, there: bool) -> None:
    monkeypatch.setattr(resources, "AMD_GPUS", torch if there else torch / "kfd")
    (torch / "lib" / "libtorch_hip.so").touch()
    assert ("cuda" in resources.devices()) == there


def test_without_a_driver_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch, torch: Path) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    (torch / "lib" / "libtorch_cuda.so").touch()
    assert "cuda" not in resources.devices()


@pytest.mark.parametrize(("of_user", "expected"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_sleep_while_they_wait_unless_the_user_says_how_they_wait(
    monkeypatch: pytest.MonkeyPatch, of_user: str | None, expected: str
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "before")  # so that it is whole again afterwards
    monkeypatch.delenv("OMP_WAIT_POLICY")
    if of_user is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", of_user)
    resources.share_cores()
    assert os.environ["OMP_WAIT_POLICY"] == expected


PATHS = {
    "DNNCOV_HOME": resources.home,
    "DNNCOV_REGISTRY": location,
    "TORCH_HOME": lambda: weights_file("vgg16"),
    "XDG_CACHE_HOME": lambda: weights_file("vgg16"),
}


@pytest.mark.parametrize("variable", PATHS)
def test_a_path_in_an_environment_variable(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in PATHS:
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(variable, "~/mine")
    assert str(PATHS[variable]()).startswith(str(tmp_path / "mine"))
    monkeypatch.setenv(variable, "~nobody-here/mine")
    expected = f"a path in the environment variable {variable}; got '~nobody-here/mine', in the home folder of nobody"
    with pytest.raises(SpecificationError, match=expected):
        PATHS[variable]()


@pytest.mark.parametrize("wrong", ["many", "0", "-1", "nan", "inf", "1 GiB"])
def test_a_number_of_gib_in_an_environment_variable(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNNCOV_BROUGHT_GIB", "1.5")
    assert resources.gib_in("DNNCOV_BROUGHT_GIB", 4.0) == 1.5
    monkeypatch.setenv("DNNCOV_BROUGHT_GIB", wrong)
    expected = f"a number of GiB above 0 in the environment variable DNNCOV_BROUGHT_GIB; got '{wrong}'; change it"
    with pytest.raises(SpecificationError, match=expected):
        resources.gib_in("DNNCOV_BROUGHT_GIB", 4.0)


@pytest.mark.parametrize("network", ["~nobody-here/n.onnx", "~nobody-here/n.pt2", "vgg16=~nobody-here/n.pth"])
def test_a_file_in_the_home_folder_of_nobody(network: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("check", network, "--data", "mnist") == 2
    said = capsys.readouterr().err
    assert "; got " in said
    assert said.count("\n") == 1
