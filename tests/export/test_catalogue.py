"""The registry of everything that can be exported."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.export import captions
from dnncov_core.export.catalogue import CAMPAIGN, COMPARISON, EXHIBITS, MEASUREMENT, PAIR, PAIRS, PLAYGROUND
from dnncov_core.export.exhibits import campaign_exhibits
from tests.builders import mixed

SHARED = {"distances-by-omega": "distance-by-omega"}
"""Keys whose caption is that of another one."""


@pytest.mark.parametrize("key", EXHIBITS)
def test_a_caption_is_the_function_that_is_named_after_the_key(key: str) -> None:
    """So that whoever looks for the words of a caption finds them."""
    assert EXHIBITS[key].caption is getattr(captions, SHARED.get(key, key).replace("-", "_"))


def test_every_key_is_of_one_registry() -> None:
    registries = (CAMPAIGN, COMPARISON, MEASUREMENT, PAIR, PLAYGROUND)
    assert len(EXHIBITS) == sum(map(len, registries))
    assert PAIRS not in EXHIBITS


def test_the_table_of_conditions_says_what_a_witness_refutes(tmp_path: Path) -> None:
    (table,) = campaign_exhibits(mixed(tmp_path / "a.dnncov"), ["conditions"])
    sheet = table.sheet()
    rows = [dict(zip([column.name for column in sheet.columns], row, strict=True)) for row in sheet.rows]
    assert [(row["status"], row["justification"]) for row in rows if row["refuted"]] == [
        ("covered", "never seen by the camera")
    ]
    assert len(rows) == 11
    assert "The 10 test conditions without a replayable witness" in table.caption()
    assert "1 more row: conditions whose witness refutes a justification." in table.caption()
