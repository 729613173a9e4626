"""The registry of everything that can be exported."""

from __future__ import annotations

import pytest

from dnncov_core.export import captions
from dnncov_core.export.catalogue import CAMPAIGN, COMPARISON, EXHIBITS, MEASUREMENT, PAIRS, PLAYGROUND

SHARED = {"distances-by-omega": "distance-by-omega"}
"""Keys whose caption is that of another one."""


@pytest.mark.parametrize("key", EXHIBITS)
def test_a_caption_is_the_function_that_is_named_after_the_key(key: str) -> None:
    """So that whoever looks for the words of a caption finds them."""
    assert EXHIBITS[key].caption is getattr(captions, SHARED.get(key, key).replace("-", "_"))


def test_every_key_is_of_one_registry() -> None:
    registries = (CAMPAIGN, COMPARISON, MEASUREMENT, PLAYGROUND)
    assert len(EXHIBITS) == sum(map(len, registries))
    assert PAIRS not in EXHIBITS
