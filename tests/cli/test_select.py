"""``dnncov select``: its numbers, its files, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tests.command import call, is_whole, refused

POOL = ("select", "toy", "--pool", "toy")


def test_the_first_order_selects_and_the_random_one_is_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, inputs, curve = tmp_path / "rows.csv", tmp_path / "inputs.npz", tmp_path / "curve.csv"
    asked = ("--by", "n,deepgini", "--budget", "3", "--criterion", "ss")
    assert call(*POOL, *asked, "--out", rows, "--curve", curve, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["order"] for each in found["rankings"]] == ["n", "deepgini", "random"]
    selected = found["rankings"][0]["rows"]
    assert len(set(selected)) == 3
    with rows.open() as lines:
        assert [int(each["row"]) for each in csv.DictReader(lines)] == selected
    with curve.open() as lines:
        told = [*csv.DictReader(lines)]
    assert {(each["measure"], each["total"]) for each in told} == {("covered", "15"), ("misclassified", "0")}
    ends = {each["order"]: float(each["count"]) for each in told if each["inputs"] == "6" and each["total"] == "15"}
    assert set(ends.values()) == {6.0}
    assert all(each["low"] for each in told if each["order"] == "random")
    assert call(*POOL, *asked, "--out", inputs) == 0
    assert "all inputs  40.0 % (6 of 15)" in capsys.readouterr().out
    assert np.load(inputs)["rows"].tolist() == selected
    assert call("measure", "toy", "--suite", inputs, "--criteria", "ss", "--json") == 0
    covered = json.loads(capsys.readouterr().out)["criteria"]["ss"]["covered"]
    beside = next(float(each["count"]) for each in told if (each["order"], each["inputs"]) == ("n", "3"))
    assert covered == beside


def test_another_seed_breaks_ties_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for seed in ("0", "0", "1"):
        assert call(*POOL, "--by", "random", "--random-seed", seed, "--json") == 0
        found.append(json.loads(capsys.readouterr().out)["rankings"][0]["rows"])
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--by", "mn"),
        ("--by", "nonsense"),
        ("--by", ","),
        ("--by", "nb"),
        ("--by", "vs:ratio=2"),
        ("--criterion", "deepgini"),
        ("--budget", "0"),
        ("--seeds", "1"),
        ("--random-seed", "-1"),
        ("--out", "rows.txt"),
    ],
)
def test_what_cannot_be_asked_is_one_line(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert is_whole(refused(capsys, *POOL, *wrong))
