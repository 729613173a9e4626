"""JUnit files: whole XML whatever names hold, long lists are cut, and counts are those of the cases."""

from __future__ import annotations

import junitparser
import pytest

from dnncov_core.gate.coverage import Counts, Coverage
from dnncov_core.gate.demands import PERCENTAGES, Demands, Verdict
from dnncov_core.gate.junit import MOST_LISTED, junit
from tests.gate.test_demands import coverage

NAMES = "a\x00b <&>\"' \x1b[31m\nö\ud800"
"""What XML cannot hold, or only as an entity."""


def read(text: str) -> junitparser.TestSuite:
    (suite,) = junitparser.JUnitXml.fromstring(text.encode())
    return suite


def lines(row: Counts, most: int) -> list[str]:
    return [f"condition {n}" for n in range(row.open)][:most]


def judged(found: Coverage, asked: str) -> list[Verdict]:
    return list(Demands(fail_under=PERCENTAGES(asked)).verdicts(found))


def test_whatever_names_hold_the_file_is_xml() -> None:
    rows = (Counts("ss", "2 to 3", 5, 3),)
    found = Coverage(NAMES, ("ss",), rows, {"network": NAMES, "data": NAMES}, 1.0, {})
    suite = read(junit(found, [], lambda row, most: [NAMES]))
    (case,) = suite
    assert suite.name == "a b <&>\"'  [31m ö "
    assert case.classname == f"{suite.name}.ss"
    assert case.result[0].text == f"2 of 5 test conditions are open\n{suite.name}"


@pytest.mark.parametrize(("left", "last"), [(MOST_LISTED, f"condition {MOST_LISTED - 1}"), (1027, "and 1,007 more")])
def test_long_lists_are_cut(left: int, last: str) -> None:
    (case,) = read(junit(coverage(Counts("ss", "2 to 3", left, 0)), [], lines))
    assert case.result[0].text.splitlines()[-1] == last
    assert len(case.result[0].text.splitlines()) <= MOST_LISTED + 2


def test_a_campaign_that_is_not_finished_fails_whatever_was_asked() -> None:
    begun = coverage(unfinished="no test conditions yet")
    for verdicts in ([], judged(begun, "total=0")):
        suite = read(junit(begun, verdicts, lines))
        failed = {case.name: case.result[0].message for case in suite}
        assert failed["finished"] == "no test conditions yet: a campaign that is not finished passes no gate"
        assert suite.tests == suite.failures == len(failed)


def test_counts_are_those_of_the_cases() -> None:
    found = coverage(Counts("ss", "2 to 3", 5, 3), Counts("ss", "3 to 4", 5, 5), Counts("n", "2", 5, 2, justified=3))
    for asked, failures in (("ss=80", 0), ("ss=81", 2)):
        suite = read(junit(found, judged(found, asked), lines))
        failed = [case.name for case in suite if any(isinstance(each, junitparser.Failure) for each in case.result)]
        assert (suite.tests, suite.failures, len(list(suite)), len(failed)) == (4, failures, 4, failures)
        assert failed == ["layers 2 to 3", f"fail-under {asked}"][: len(failed)]
