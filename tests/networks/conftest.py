"""Tests of networks load each of them anew."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def embedded_networks() -> None:
    """As the product does it, in place of what all other tests share."""
