"""A suite, the tests for what it leaves open, and both together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.export.provenance import of_campaign
from dnncov_core.ratios import Ratio
from dnncov_core.records import SuiteGaps
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.differences import differences
from dnncov_core.statistics.main_table import main_table
from dnncov_core.statistics.settings import facts, settings_in_words, title_of
from dnncov_core.statistics.suite_and_tests import SuiteAndTests, suite_and_tests
from tests.builders import campaign, card

EQUAL = card(hidden=(4, 4, 4), classes=4)
"""Its three layer pairs have 16 feature pairs each; the campaigns here ask about 8 of these 48."""


def both(folder: Path, *, open_: int = 48, pending: int = 0, **fields: object) -> SuiteAndTests | None:
    """Of a suite that covers 152 of 200, 48 of whose others, or fewer, the campaign was given; it covers 6 of 8."""
    gaps = SuiteGaps("digits", "d" * 12, "f" * 12, "", total=200, covered=152, listed=open_)
    spec = CampaignSpec("net", "data", suite_gaps=gaps, **fields)  # type: ignore[arg-type]
    with campaign(folder / "a.dnncov", spec=spec, network=EQUAL, pending=pending) as store:
        return suite_and_tests(store.spec(), coverage_table(store).total)


def test_the_tests_add_to_the_suite(tmp_path: Path) -> None:
    found = both(tmp_path, sampling="even", pairs=8)
    assert found is not None
    assert (found.suite, found.tests) == (Ratio(152, 200), Ratio(6, 8))
    assert found.together == Ratio(158, 200)
    assert found.words == (
        "digits covers 152 of 200 test conditions (76.0 %), these tests 6 more with the effect asked for (of 8"
        " asked), both together 158 of 200 (79.0 %). No effect was asked of digits."
    )


def test_a_random_sample_of_all_open_conditions_has_an_interval(tmp_path: Path) -> None:
    found = both(tmp_path, pairs=8)
    assert found is not None
    low, high = Ratio(6, 8).interval()
    assert found.interval == pytest.approx(((152 + 48 * low) / 200, (152 + 48 * high) / 200))
    words = "If all 48 others were asked, both together would cover 84.4 % to 99.2 % (95 % interval of the sample)."
    assert found.words.endswith(words)


@pytest.mark.parametrize(
    "fields",
    [{"pairs": 8, "sampling": "even"}, {"pairs": 8, "pending": 1}, {"pairs": 8, "open_": 40}],
    ids=["stratified", "not finished", "not of all open ones"],
)
def test_anything_else_has_none(tmp_path: Path, fields: dict[str, object]) -> None:
    found = both(tmp_path, **fields)  # type: ignore[arg-type]
    assert found is not None
    assert found.interval is None


def test_other_campaigns_have_no_suite(tmp_path: Path) -> None:
    with campaign(tmp_path / "a.dnncov") as store:
        assert suite_and_tests(store.spec(), coverage_table(store).total) is None


def test_where_the_test_conditions_come_from_is_told_and_compared(tmp_path: Path) -> None:
    gaps = SuiteGaps("digits", "d" * 12, "f" * 12, "", total=200, covered=152, listed=48)
    words = "the 48 conditions that the suite digits left open"
    spec = CampaignSpec("net", "data", suite_gaps=gaps, pairs=8)
    assert facts(spec)["pairs"] == f"8 of {words}"
    assert facts(replace(spec, pairs=None))["pairs"] == facts(replace(spec, pairs=48))["pairs"] == words
    assert facts(CampaignSpec("net", "data"))["pairs"] == "all feature pairs"
    assert settings_in_words(spec).split(", ").count(f"8 of {words}") == 1
    assert title_of(spec) == "net · SS, left open by digits"
    whole = campaign(tmp_path / "whole.dnncov", spec=CampaignSpec("net", "data", pairs=8), network=EQUAL)
    part = campaign(tmp_path / "part.dnncov", spec=spec, network=EQUAL)
    with whole, part:
        assert [row.setting for row in main_table({"part": part}).rows] == [f"8 of {words}"]
        assert [row.setting for row in main_table({"whole": whole}).rows] == [""]
        told = of_campaign(part).closing()
        assert f"; test conditions = a random sample of 8 of {words}, of 200 measured (random seed 0);" in told
        assert "left open" not in of_campaign(whole).closing()
        sizes = {each.what: each.values for each in differences({"whole": whole, "part": part})}[
            PARAMETERS["pairs"].label
        ]
        assert sizes == (("8", ("whole",)), (f"8 of {words}", ("part",)))
