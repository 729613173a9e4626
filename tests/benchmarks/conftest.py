"""What the benchmarks measure on."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--network", action="append", help="a network to measure on, again for more (default: mnist-n8)")
    parser.addoption("--data", default="mnist", help="the data that give the seeds")
    parser.addoption("--order", default="nearest", help="the order of seeds: nearest or random")
    parser.addoption("--rounds", type=int, default=20, help="test conditions measured for each layer pair")
    parser.addoption("--steps", type=int, default=8, help="steps of a gradient search, or looks, in a round")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "network_name" in metafunc.fixturenames:
        names = metafunc.config.getoption("network") or ["mnist-n8"]
        metafunc.parametrize("network_name", names, scope="module")
