"""What there is on this machine, as its drivers say it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pytest

from dnncov_core import resources


class Driver:
    """NVIDIA's, as far as it is asked."""

    def __init__(self, gpus: int, *, fails: int = 0) -> None:
        self._gpus, self._fails = gpus, fails

    def cuInit(self, flags: int) -> int:
        return self._fails

    def cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = self._gpus
        return 0


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    resources.devices.cache_clear()
    yield
    resources.devices.cache_clear()


@pytest.mark.parametrize(
    ("driver", "torch", "there"),
    [
        (Driver(2), "2.14.0", True),
        (Driver(2), "2.14.0+cu130", True),
        (Driver(2), "2.14.0+cpu", False),
        (Driver(0), "2.14.0", False),
        (Driver(1, fails=100), "2.14.0", False),
    ],
)
def test_a_gpu_is_there_if_its_driver_and_torch_have_it(
    monkeypatch: pytest.MonkeyPatch, driver: Driver, torch: str, there: bool
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: driver)
    monkeypatch.setattr(resources, "versions", lambda: {"torch": torch})
    assert ("cuda" in resources.devices()) == there


def test_without_a_driver_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    monkeypatch.setattr(resources, "versions", lambda: {"torch": "2.14.0"})
    assert "cuda" not in resources.devices()
