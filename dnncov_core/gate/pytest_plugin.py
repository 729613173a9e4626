"""The plugin that pytest loads wherever this package is installed; it imports nothing that takes time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def dnncov_coverage() -> Callable[..., Any]:
    """What a suite covers of a network: dnncov_coverage("mnist-n1", "mnist").require(ss=95); or of file="a.dnncov"."""
    from dnncov_core.gate.required import coverage

    return coverage
