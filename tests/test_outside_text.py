"""Texts from outside: what is well formed comes back, and each other text ends in a ValueError of one line."""

from __future__ import annotations

import json
import math

import pytest

from dnncov_core.outside_text import DEEPEST, json_value, toml_value


@pytest.mark.parametrize(
    "value", [None, True, 0, -2.5, 10**30, "ä\n", [], {}, {"a": [1, {"b": [None, "c"]}]}, [[], [1]]]
)
def test_what_json_wrote_comes_back(value: object) -> None:
    assert json_value(json.dumps(value)) == value
    assert json_value(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "more than 100 lists or tables"),
        ("[" * 500 + "]" * 500, "more than 100 lists or tables"),
        ('{"a":' * 300 + "1" + "}" * 300, "more than 100 lists or tables"),
        ("9" * 5000, "digits"),
        ("[1" + "0" * 400 + "]", "not finite"),
        ('{"a": NaN}', "not finite"),
        ("-Infinity", "not finite"),
        ("[1e999]", "not finite"),
        (r'{"a": "\ud800"}', "surrogates not allowed"),
        (r'{"\ud800": 1}', "surrogates not allowed"),
        ("", "text that is no JSON at line 1, column 1"),
        (b"\xff\xfe\xff", "decode"),
        ("{'a': 1}", "text that is no JSON at line 1, column 2"),
    ],
)
def test_a_json_text_that_cannot_be_used_is_one_kind_of_error(text: str | bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        json_value(text)
    assert "\n" not in str(caught.value)


def test_nesting_is_judged_by_its_depth_alone() -> None:
    assert json_value("[" * DEEPEST + "]" * DEEPEST)
    assert len(json_value("[" + "[]," * 1000 + "[]]")) == 1001
    with pytest.raises(ValueError, match="within each other"):
        json_value("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "more than 100 lists or tables"),
        ("a = nan", "not finite"),
        ("a = 1" + "0" * 400, "not finite"),
        ("a = 1" + "0" * 5000, "digits"),
        ("a = ", "Invalid value"),
    ],
)
def test_a_toml_text_that_cannot_be_used_is_one_kind_of_error(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        toml_value(text)


def test_dates_of_toml_pass() -> None:
    assert set(toml_value("a = 1.5\nb = 2020-01-01\n")) == {"a", "b"}
    assert math.isclose(toml_value("a = 1.5")["a"], 1.5)
