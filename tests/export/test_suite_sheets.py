"""Sheets and captions of a measurement: covered, and covered with effect."""

from __future__ import annotations

from typing import Any

from dnncov_core.export import comparison_captions, suite_sheets
from dnncov_core.export.catalogue import MEASUREMENT
from dnncov_core.phrases.effect import EFFECT_MEANS
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer
from dnncov_core.suites.spec import MeasurementSpec
from tests.suites.made import baseline, covering, measurement

SOME = covering("ss", (10, 1386, 600), effect=(1, 1000, 500), effect_bound="some tried")
FOUND = measurement(SOME, baseline("n", (60, 22, 63)), spec=MeasurementSpec("mnist-n1", "mnist", "ss,n", effect="both"))
EARLIER = measurement(covering("ss", (10, 1386, 600)))


def rows(sheet: Any) -> list[tuple[object, ...]]:
    """The columns about effects."""
    places = [place for place, column in enumerate(sheet.columns) if "effect" in column.name]
    return [tuple(row[place] for place in places) for row in sheet.rows]


def test_what_is_covered_with_effect_has_columns_of_its_own() -> None:
    names = [column.name for column in suite_sheets.criteria(FOUND).columns]
    assert names[-4:] == ["effect", "with_effect", "coverage_with_effect", "effect_bound"]
    assert rows(suite_sheets.criteria(FOUND)) == [("both", 1501, 1501 / 3490, "some tried"), ("both", None, None, "")]
    by_layer = [("both", n, n / total, "some tried") for n, total in ((1, 1474), (1000, 1386), (500, 630))]
    assert rows(suite_sheets.criterion((FOUND, SOME))) == by_layer
    assert {row[1:3] for row in rows(suite_sheets.criteria(EARLIER))} == {(None, None)}


def test_captions_say_what_is_covered_with_effect_and_what_that_means() -> None:
    means = f"With effect (both): {EFFECT_MEANS['both']}"
    told = comparison_captions.criteria(FOUND)
    assert told.summary == (
        "What the suite covers is lowest by SS (57.2 %, 1,996 of 3,490 test conditions) and highest by N (95.4 %, 145"
        " of 152)."
    )
    values = "The table has what it covers by each criterion: SS: 57.2 %, with effect ≥ 43.0 %; N: 95.4 %."
    bound = "SS with effect: a lower bound in layers 2 to 3, 3 to 4, 4 to 5, some tried."
    assert told.details == (values, f"{means}.", bound)
    told = comparison_captions.suite_coverage((FOUND, SOME))
    said = "By SS, the suite covers 1,996 of 3,490 test conditions (57.2 %, with effect ≥ 43.0 %)."
    assert (told.summary, told.details[-1]) == (said, f"{means}.")
    earlier = comparison_captions.suite_coverage((EARLIER, EARLIER.criteria[0]))
    assert "effect" not in f"{comparison_captions.criteria(EARLIER)}{earlier}"


def test_many_layer_pairs_have_a_sheet_by_decision_layer_and_one_for_each() -> None:
    pairs = tuple(MeasuredLayer(k, layer, 10, k % 7, 1, "") for layer in (30, 31) for k in range(2, 30))
    many = MeasuredCriterion("ss", 560, sum(row.covered for row in pairs), pairs)
    found = measurement(many, layers={k: f"layer{k}" for k in range(1, 32)})
    sheets = {part: suite_sheets.criterion(table) for part, table in MEASUREMENT["suite-coverage"].tables(found, "")}
    assert [*sheets] == ["ss", "ss-layer-pairs"]
    summed, single = ([row[1:7] for row in sheets[part].rows] for part in sheets)
    names = ", ".join(f"layer{k}" for k in range(2, 30))
    assert summed == [(None, layer, names, f"layer{layer}", 280, 0) for layer in (30, 31)]
    assert [row[0:2] for row in single] == [(row.condition_layer, row.layer) for row in pairs]
    assert single[0] == (2, 30, "layer2", "layer30", 10, 0)
