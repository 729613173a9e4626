"""Values from outside: each type lets its own values pass, and nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.outside_values import reader, record
from dnncov_core.types import Count, Distance, Edge, Limits, Norm, Seconds, Share, Unbounded, UnixTime


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    n: Count


@dataclass(frozen=True)
class Outer:
    name: str
    inner: tuple[Inner, ...] = ()


PASS: list[tuple[Any, Any, Any]] = [
    (int, -3, -3),
    (float, 2, 2.0),
    (bool, True, True),
    (str, "", ""),
    (int | None, None, None),
    (Count, 0, 0),
    (Distance, 0.5, 0.5),
    (Unbounded, -math.inf, -math.inf),
    (UnixTime, 0, 0.0),
    (Norm, "inf", "inf"),
    (Colour, "red", Colour.RED),
    (Edge, [2, 3], (2, 3)),
    (tuple[int, ...], [], ()),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (Inner, {"n": 1}, Inner(1)),
    (Outer, {"name": "a", "inner": [{"n": 1}]}, Outer("a", (Inner(1),))),
    (Outer, {"name": "a"}, Outer("a")),
]
REFUSE: list[tuple[Any, Any]] = [
    *((int, value) for value in (True, 1.0, "1", b"1", None, 2**63, [1])),
    *((float, value) for value in (True, "1", None, math.nan, math.inf)),
    *((bool, value) for value in (0, 1, "true", None)),
    *((str, value) for value in (b"a", 1, None, ["a"])),
    *((Count, value) for value in (-1, 0.5, 2**63)),
    *((Distance, value) for value in (-1e-9, 1e101, math.inf, math.nan)),
    *((Share, value) for value in (-0.1, 1.1)),
    *((Seconds, value) for value in (-1.0, 1e13)),
    *((UnixTime, value) for value in (-1.0, 1e12)),
    *((Norm, value) for value in ("3", 2, None, ["inf"])),
    *((Colour, value) for value in ("blue", Colour.RED, {}, None)),
    *((Edge, value) for value in ([2], [2, 3, 4], [0, 1], "23", {"2": 3})),
    *((tuple[int, ...], value) for value in ("12", [1.0], (1,), {})),
    *((dict[str, int], value) for value in ([], {"a": "b"})),
    *((Outer, value) for value in ([], {}, {"name": 1}, {"name": "a", "inner": [{"n": -1}]}, {"name": "a", "x": 1})),
]


@pytest.mark.parametrize(("kind", "value", "expected"), PASS)
def test_values_of_a_type_pass(kind: Any, value: Any, expected: Any) -> None:
    found = reader(kind)(value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(("kind", "value"), REFUSE)
def test_other_values_are_one_kind_of_error(kind: Any, value: Any) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        reader(kind)(value)
    assert len(str(caught.value)) < 300


def test_nan_is_in_no_range() -> None:
    with pytest.raises(ValueError, match="nan instead of a number"):
        reader(Unbounded)(math.nan)
    assert Limits(-math.inf, math.inf).least < 0


def test_errors_say_where() -> None:
    with pytest.raises(ValueError, match=r"inner: n: -1 instead of a number from 0 to 9\.2"):
        record(Outer, {"name": "a", "inner": [{"n": -1}]})
    with pytest.raises(ValueError, match="no name"):
        record(Outer, {})
    with pytest.raises(ValueError, match="an unknown field, new"):
        record(Outer, {"name": "a", "new": 1})


def test_what_a_later_version_adds_may_be_passed_over() -> None:
    assert record(Outer, {"name": "a", "new": 1}, ignore_unknown=True) == Outer("a")
    newer = {"name": "a", "inner": [{"n": 1, "new": 2}]}
    assert record(Outer, newer, ignore_unknown=True) == Outer("a", (Inner(1),))
    with pytest.raises(ValueError, match="inner: an unknown field, new"):
        record(Outer, newer)


def test_a_type_that_nobody_reads_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="Path"):
        reader(Path)
