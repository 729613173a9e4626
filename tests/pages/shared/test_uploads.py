"""Files can be dropped where only this machine reaches the app, or where whoever runs it says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit import config

from pages.shared.uploads import LARGEST_MEGABYTES, allow_here, largest_megabytes

OPTIONS = ("server.maxUploadSize", "server.address", "server.allowedHosts", "server.corsAllowedOrigins")
FILE, ASKED = "/app/.streamlit/config.toml", "command-line argument or environment variable"
LOCAL: dict[str, Any] = dict(zip(OPTIONS, (0, "localhost", ["localhost", "127.0.0.1", "::1"], []), strict=True))


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = {name: (config.get_option(name), config.get_where_defined(name)) for name in OPTIONS}
    yield
    for name, (value, where) in before.items():
        config.set_option(name, value, where)


def allowed(where: str = FILE, **changed: Any) -> int:
    for name, value in (LOCAL | {f"server.{key}": value for key, value in changed.items()}).items():
        config.set_option(name, value, where if name == OPTIONS[0] else FILE)
    allow_here()
    return largest_megabytes()


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1", "::1"])
def test_on_this_machine_they_can(address: str) -> None:
    assert allowed(address=address) == LARGEST_MEGABYTES


@pytest.mark.parametrize(
    "changed",
    [
        {"address": "0.0.0.0"},
        {"address": ""},
        {"address": None},
        {"address": "192.168.1.5"},
        {"allowedHosts": ["localhost", "dnncov.example.org"]},
        {"allowedHosts": []},
        {"allowedHosts": ["*"]},
        {"corsAllowedOrigins": ["https://dnncov.example.org"]},
    ],
)
def test_on_a_network_they_cannot(changed: dict[str, Any]) -> None:
    assert allowed(**changed) == 0


def test_whoever_runs_it_says_so() -> None:
    assert allowed(ASKED, address="0.0.0.0", maxUploadSize=50) == 50
    assert allowed(ASKED, maxUploadSize=50) == 50
    assert allowed(ASKED, maxUploadSize=0) == 0
