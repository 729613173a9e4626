"""The file of a measurement: what is read, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.errors import DataError
from dnncov_core.ratios import Ratio
from dnncov_core.suites.measurement_reader import read
from tests.suites.made import baseline, covering, patterns, save


def saved(folder: Path) -> Path:
    return save(folder / "one.json", covering("ss", (10, 1386, 600)), baseline("tn:2", (60, 22, 63)), patterns(4999))


def of(content: Any, key: str) -> Any:
    return content["criteria"][key]


def nested(depth: int) -> object:
    return [nested(depth - 1)] if depth else []


CHANGES: dict[str, Callable[[Any], object]] = {
    "more than all": lambda content: of(content, "tn:2").update(covered=999),
    "more than all of a layer": lambda content: of(content, "tn:2")["layers"][0].update(covered=68),
    "no sum of layers": lambda content: of(content, "ss").update(covered=1995),
    "a part": lambda content: of(content, "s").update(covered=1.5),
    "no number": lambda content: of(content, "ss")["layers"][0].update(joined="many"),
    "no total": lambda content: of(content, "ss").update(total=None),
    "a total of patterns": lambda content: of(content, "s").update(total=5000),
    "more misclassified than inputs": lambda content: content["suite"].update(misclassified=5001),
    "no such criterion": lambda content: content["criteria"].update(magic=of(content, "s")),
    "no such parameter": lambda content: content["criteria"].update({"tn:few": of(content, "tn:2")}),
    "two criteria": lambda content: content["criteria"].update({"n,tn": of(content, "tn:2")}),
    "no such layer": lambda content: of(content, "tn:2")["layers"][0].update(layer=9),
    "layers that are no list": lambda content: of(content, "ss").update(layers={}),
    "a result that is no table": lambda content: content["criteria"].update(n=[]),
    "criteria that are no table": lambda content: content.update(criteria=[]),
    "a network that is none": lambda content: content.update(network="mnist-n1"),
    "time that runs backwards": lambda content: content.update(seconds=-1),
    "no day": lambda content: content.update(date="2026-13-01"),
    "a year beyond time": lambda content: content.update(date="99999-01-01"),
    "versions that are no text": lambda content: content["versions"].update(torch=2),
    "an unknown device": lambda content: content["asked"].update(device="sideways"),
    "a criterion that was not asked for by its name": lambda content: content["asked"].update(criteria="magic"),
    "an omega that is no share": lambda content: content["asked"].update(feature_mode="free", omega=7),
    "numbers nested too deep": lambda content: content.update(versions=nested(200)),
    "more with effect than covered": lambda content: of(content, "ss")["layers"][0].update(
        with_effect={"covered": 11, "bound": ""}
    ),
    "an unknown effect": lambda content: content["asked"].update(effect="magic"),
    "a blank": lambda content: content["criteria"].update({" ss": of(content, "ss")}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_cannot_be_is_refused(change: str, tmp_path: Path) -> None:
    path = saved(tmp_path)
    assert [each.text for each in read(path).criteria] == ["ss", "tn:2", "s"]
    content = json.loads(path.read_text())
    CHANGES[change](content)
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"one\.json, which is damaged or something else \(.+\); measure again"):
        read(path)


def test_a_bound_that_is_all_is_exact(tmp_path: Path) -> None:
    some = covering("ss", (10, 1386, 630), "some compared")
    (found,) = read(save(tmp_path / "one.json", some)).criteria
    assert [row.percent for row in found.rows] == ["≥ 0.6 %", "100 %", "100 %"]
    assert (found.percent, found.bounds) == ("≥ 58.0 %", ["some compared"])
    whole = covering("ss", (1474, 1386, 630), "some compared")
    assert (whole.percent, whole.bounds) == ("100 %", [])


def test_the_effect_of_an_earlier_file_is_not_known(tmp_path: Path) -> None:
    found = read(saved(tmp_path))
    assert found.spec.effect == "none"
    assert [each.shown for each in found.criteria] == [None, None, None]


def test_what_is_covered_with_effect_is_read_by_layer_pair_and_together(tmp_path: Path) -> None:
    some = covering("ss", (10, 1386, 600), effect=(1, 1000, 600), effect_bound="some tried")
    found = read(save(tmp_path / "one.json", some, baseline("n", (1, 1, 1)), effect="both"))
    assert found.spec.effect == "both"
    shown, single = (each.shown for each in found.criteria)
    assert shown is not None
    assert [row.percent for row in shown.rows] == ["> 0 %", "≥ 72.1 %", "95.2 %"]
    assert (shown.ratio, shown.percent, shown.bounds) == (Ratio(1601, 3490), "≥ 45.8 %", ["some tried"])
    assert single is None


def test_with_effect_is_a_lower_bound_where_covered_is_one() -> None:
    some = covering("ss", (10, 1386, 630), "some compared", effect=(10, 1386, 630)).shown
    assert some is not None
    assert [row.percent for row in some.rows] == ["≥ 0.6 %", "100 %", "100 %"]
    assert (some.percent, some.bounds) == ("≥ 58.0 %", ["some compared"])
    exact = covering("ss", (10, 1386, 600), effect=(1, 1000, 600)).shown
    assert exact is not None
    assert exact.percent == "45.9 %"
