"""Verdicts: counts are compared exactly, and no rounded share looks like enough where it is not."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.errors import SpecificationError
from dnncov_core.gate.coverage import Counts, Coverage
from dnncov_core.gate.demands import MOST_NAMED, PERCENTAGES, Demands, Verdict, failures
from dnncov_core.ratios import Ratio

PERCENTS = st.decimals(0, 100, places=2)


def coverage(*rows: Counts, **more: object) -> Coverage:
    texts = tuple(dict.fromkeys(row.criterion for row in rows))
    return Coverage("c", texts, rows, {"network": "net"}, 0.0, more.pop("question", {}), **more)  # type: ignore[arg-type]


def verdict(demands: Demands, found: Coverage) -> Verdict:
    (only,) = demands.verdicts(found)
    return only


def asked(text: str) -> Demands:
    return Demands(fail_under=PERCENTAGES(text))


@given(total=st.integers(1, 10**6), share=st.floats(0, 1), percent=PERCENTS)
def test_a_percentage_is_reached_by_counts_alone(total: int, share: float, percent: Decimal) -> None:
    covered = int(share * total)
    found = verdict(asked(f"ss={percent}"), coverage(Counts("ss", "2 to 3", total, covered)))
    hundredths = int(percent * 100)
    assert found.passed == (covered * 10_000 >= hundredths * total)
    said = re.search(r": ([\d,]+) conditions? short", found.words)
    assert (said is None) == found.passed
    if said:
        least = covered + int(said[1].replace(",", ""))
        assert least * 10_000 >= hundredths * total > (least - 1) * 10_000


@given(total=st.integers(1, 10**5), share=st.floats(0, 1), percent=PERCENTS)
def test_what_is_shown_never_looks_like_enough_where_it_is_not(total: int, share: float, percent: Decimal) -> None:
    covered = int(share * total)
    found = verdict(asked(f"ss={percent}"), coverage(Counts("ss", "2 to 3", total, covered)))
    shown = re.match(r"ss: ([<>] )?([\d.]+) %", found.words)
    assert shown
    exact, said = Fraction(100 * covered, total), Fraction(Decimal(shown[2]))
    if shown[1]:
        assert exact < said if shown[1] == "< " else exact > said
    else:
        assert (said >= percent) == found.passed
        assert abs(exact - said) <= Fraction(1, 20)
    if abs(exact - Fraction(percent)) > Fraction(1, 20):
        assert found.words.startswith(f"ss: {Ratio(covered, total).percent} covered"), "as `dnncov show` has it"


def test_a_line_says_which_and_by_how_much() -> None:
    found = verdict(asked("ss=95"), coverage(Counts("ss", "2 to 3", 1324, 1234)))
    assert found.words == "ss: 93.2 % covered (1,234 of 1,324), 95 % asked: 24 conditions short"
    assert (found.n, found.total, found.passed) == (1234, 1324, False)
    almost = verdict(asked("ss=95"), coverage(Counts("ss", "2 to 3", 10_000, 9_496)))
    assert almost.words == "ss: 94.96 % covered (9,496 of 10,000), 95 % asked: 4 conditions short"


@pytest.mark.parametrize(
    ("covered", "of", "percent", "shown"),
    [
        (4166, 10_000, "95", "41.7 %"),
        (4196, 10_000, "42", "41.96 %"),
        (4196, 10_000, "42.0", "41.96 %"),
        (4201, 10_000, "42", "42.0 %"),
        (4199_999, 10_000_000, "42", "41.99999 %"),
        (4194, 10_000, "41.93", "41.94 %"),
        (2, 3, "66.667", "66.6667 %"),
        (9_999, 10_000, "99", "> 99.9 %"),
        (9_999, 10_000, "100", "99.99 %"),
        (1, 10_000, "0", "< 0.1 %"),
        (1, 10_000, "0.01", "0.01 %"),
        (0, 10, "0", "0 %"),
    ],
)
def test_a_share_is_that_of_show_unless_rounding_hides_on_which_side_it_is(
    covered: int, of: int, percent: str, shown: str
) -> None:
    found = verdict(asked(f"ss={percent}"), coverage(Counts("ss", "2 to 3", of, covered)))
    assert found.words.startswith(f"ss: {shown} covered ({covered:,} of {of:,}), {percent} % asked")


def test_a_name_without_parameters_stands_for_each_criterion_of_its_kind() -> None:
    found = coverage(*(Counts(text, "2 to 3", 10, n) for text, n in (("sv:ratio=3", 5), ("sv:nb", 4), ("n", 9))))
    names = [each.demand for each in asked("sv=50,sv:nb=40,total=60").verdicts(found)]
    assert names == [f"fail-under {name}" for name in ("sv:ratio=3=50", "sv:nb=50", "sv:nb=40", "total=60")]
    assert (
        failures(asked("sv=50,total=60").verdicts(found))
        == "sv:nb: 40.0 % covered (4 of 10), 50 % asked: 1 condition short"
    )


def test_a_lower_bound_says_that_there_may_be_more() -> None:
    found = coverage(Counts("ss", "2 to 3", 10, 4, is_bound=True), Counts("ss", "3 to 4", 10, 10))
    assert (
        verdict(asked("ss=80"), found).words == "ss: 70.0 % or more covered (14 of 20), 80 % asked: 2 conditions short"
    )


def test_nothing_to_count_is_never_enough() -> None:
    nothing, all_proved = coverage(Counts("ss", "2 to 3", 0, 0)), coverage(Counts("ss", "2 to 3", 3, 0, 3))
    demands = asked("ss=0"), Demands(no_open_gaps=True), Demands(fail_under_8bit=Decimal(0)), Demands(baseline=nothing)
    assert [verdict(each, nothing).passed for each in demands] == [False, False, False, False]
    assert verdict(demands[-1], nothing).words == "baseline c: there is nothing to count"
    feasible = verdict(Demands(fail_under_feasible=PERCENTAGES("ss=0")), all_proved)
    assert feasible.words == "ss: n/a (0 of 0), 0 % asked: there is nothing to count"
    assert verdict(Demands(no_open_gaps=True), all_proved).passed


def test_a_line_names_a_few_places_and_says_how_many_more_there_are() -> None:
    found = coverage(*(Counts("ss", f"{k} to {k + 1}", 5, 3) for k in range(2, 2 + MOST_NAMED + 3)))
    words = verdict(Demands(no_open_gaps=True), found).words
    assert words.startswith("open gaps: 18 of 45 conditions: 2 in ss, layers 2 to 3; ")
    assert words.endswith("; 2 in ss, layers 7 to 8 and 3 more")


def test_nothing_asked_gives_no_verdict() -> None:
    begun = coverage(Counts("ss", "2 to 3", 5, 0), unfinished="2 of 5 test conditions done")
    assert list(Demands(junit=Path("a.xml")).verdicts(begun)) == []
    assert [each.demand for each in Demands(no_open_gaps=True).verdicts(begun)] == ["finished", "no-open-gaps"]


def test_baselines_say_all_that_differs_and_which_places_lost() -> None:
    now = coverage(Counts("n", "2", 9, 5), Counts("n", "3", 9, 7), question={"network": "a", "features": "neuron"})
    before = coverage(Counts("n", "2", 9, 7), Counts("n", "3", 9, 6), question=now.question)
    words = verdict(Demands(baseline=before), now).words
    assert words == "baseline c: n, layer 2: 5 of 9 covered, 7 before, 2 conditions fewer"
    other = coverage(*before.rows, question={"network": "b", "features": "free", "reference": "r"})
    with pytest.raises(SpecificationError) as error:
        list(Demands(baseline=other).verdicts(now))
    assert "got network: b instead of a; features: free instead of neuron; reference: r instead of none in c" in str(
        error.value
    )
