"""The registry of everything that can be exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dnncov_core.export import captions, comparison_captions, retrained, worth
from dnncov_core.export.catalogue import (
    CAMPAIGN,
    COMPARISON,
    EXHIBITS,
    MEASUREMENT,
    PAIR,
    PAIRS,
    PLAYGROUND,
    REPLAY,
    SELECTION,
    WORTH,
)
from dnncov_core.export.exhibits import Exhibit, campaign_exhibits, comparison_exhibits
from dnncov_core.ratios import Ratio
from tests.builders import campaign, mixed

SHARED = {"distances-by-omega": "distance-by-omega"}
"""Keys whose caption is that of another one."""


@pytest.mark.parametrize("key", EXHIBITS)
def test_a_caption_is_the_function_that_is_named_after_the_key(key: str) -> None:
    """So that whoever looks for the words of a caption finds them."""
    name = SHARED.get(key, key).replace("-", "_")
    (made,) = (getattr(file, name) for file in (captions, comparison_captions, retrained, worth) if hasattr(file, name))
    assert EXHIBITS[key].caption is made


def test_every_key_is_of_one_registry() -> None:
    registries = (CAMPAIGN, COMPARISON, MEASUREMENT, SELECTION, REPLAY, WORTH, PAIR, PLAYGROUND)
    assert len(EXHIBITS) == sum(map(len, registries))
    assert PAIRS not in EXHIBITS


def test_coverage_with_effect_is_a_column_of_its_own(tmp_path: Path) -> None:
    (table,) = campaign_exhibits(campaign(tmp_path / "a.dnncov"), ["coverage"])
    total = rows_of(table)[-1]
    effects = {name: value for name, value in total.items() if name in EFFECT_COLUMNS}
    assert effects == {
        "with_effect": 2, "coverage_with_effect": 0.25, "with_effect_at_8_bits": 2, "needed": 2, "sufficient": 3,
        "both": 1, "effects_unknown": 0, "mean_share_of_effect": pytest.approx(0.01),
    }  # fmt: skip
    assert "2 of 8 test conditions (25.0 %) are covered, with effect (needed:" in str(table.caption())


def test_effects_that_are_not_known_are_empty_cells(tmp_path: Path) -> None:
    store = campaign(tmp_path / "a.dnncov", needed=None)
    (table,) = campaign_exhibits(store, ["coverage"])
    total = rows_of(table)[-1]
    assert {name: total[name] for name in EFFECT_COLUMNS} == {**dict.fromkeys(EFFECT_COLUMNS), "effects_unknown": 6}
    assert "is not known yet of 6 witnesses" in str(table.caption())
    main, *layerwise = comparison_exhibits({"a": store}, ["main-coverage", "layerwise"])
    for each in (main, *layerwise):
        assert {(row["with_effect"], row["coverage_with_effect"]) for row in rows_of(each)} == {(None, None)}
    assert "effects not known" in str(main.caption())


def test_coverage_with_effect_of_several_campaigns_has_an_interval(tmp_path: Path) -> None:
    stores = {"a": campaign(tmp_path / "a.dnncov")}
    (table,) = comparison_exhibits(stores, ["main-coverage"])
    (row,) = rows_of(table)
    assert (row["effect"], row["with_effect"], row["coverage_with_effect"]) == ("needed", 2, 0.25)
    assert (row["hold_at_8_bits"], row["with_effect_at_8_bits"]) == (2, 2)
    assert (row["coverage_with_effect_low"], row["coverage_with_effect_high"]) == Ratio(2, 8).interval()
    assert "with effect (needed) 25.0 % (2 of 8), 3.2 % to 65.1 %" in str(table.caption())


EFFECT_COLUMNS = (
    "with_effect", "coverage_with_effect", "with_effect_at_8_bits", "needed", "sufficient", "both", "effects_unknown",
    "mean_share_of_effect",
)  # fmt: skip


def rows_of(exhibit: Exhibit) -> list[dict[str, Any]]:
    """The rows of its table by the names of the columns."""
    made = exhibit.sheet()
    return [dict(zip([column.name for column in made.columns], row, strict=True)) for row in made.rows]


def test_the_table_of_conditions_says_what_a_witness_refutes(tmp_path: Path) -> None:
    (table,) = campaign_exhibits(mixed(tmp_path / "a.dnncov"), ["conditions"])
    rows = rows_of(table)
    assert [(row["status"], row["justification"]) for row in rows if row["refuted"]] == [
        ("covered", "never seen by the camera")
    ]
    assert [row["refuted_by"] for row in rows if row["refuted"]] == [row["ordinal"] for row in rows if row["refuted"]]
    assert {row["refuted_by"] for row in rows if not row["refuted"]} == {None}
    assert len(rows) == 12
    assert [row["status"] for row in rows if row["with_effect"] is not None] == ["covered", "covered"]
    assert [row["with_effect"] for row in rows if row["status"] == "covered"] == [True, False]
    assert table.caption().summary == "10 test conditions have no replayable witness."
    more = "2 more rows: conditions whose witness does not show the effect (1) or refutes a justification (1)."
    assert more in str(table.caption())


def test_the_history_of_justifications_has_those_that_ended(tmp_path: Path) -> None:
    store = mixed(tmp_path / "a.dnncov")
    standing = [said.ordinal for said in store.justifications.all()]
    (refuted,) = [condition.target.ordinal for condition in store.conditions.refuted()]
    ended = next(ordinal for ordinal in standing if ordinal != refuted)
    store.justifications.withdraw([ended], "B")
    (table,) = campaign_exhibits(store, ["justification-history"])
    rows = {row["ordinal"]: row for row in rows_of(table)}
    assert list(rows) == standing
    assert (rows[refuted]["became"], rows[refuted]["refuted_by"]) == (f"refuted by pair {refuted}", refuted)
    assert (rows[ended]["became"], rows[ended]["ended_by"], rows[ended]["ended_at"][-1]) == ("withdrawn", "B", "Z")
    assert [row["became"] for row in rows.values()].count("stands") == 2
    summary = "4 justifications were given for 4 test conditions, and one is refuted by a test pair."
    assert table.caption().summary == summary
