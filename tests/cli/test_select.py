"""``dnncov select``: its numbers, its files, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from dnncov_core import registry
from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.faults.spec import FaultSpec, Mutant
from tests.command import call, is_whole, refused
from tests.selection import reference

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
        ("--by", "lsa"),
        ("--faults", "none.faults"),
        ("--criterion", "deepgini"),
        ("--budget", "0"),
        ("--seeds", "1"),
        ("--random-seed", "-1"),
        ("--out", "rows.txt"),
    ],
)
def test_what_cannot_be_asked_is_one_line(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert is_whole(refused(capsys, *POOL, *wrong))


KILLS = np.array([[0, 0, 1, 0, 0, 1], [0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0]], bool)


def faults(path: Path, *, suite: str = "toy") -> Path:
    """Mutants of the network toy, of which an input kills three of four."""
    network = registry.open_network("toy")[0]
    data = registry.open_data_for(network, suite, labelled=False)
    known = {"network_fingerprint": network.fingerprint, "suite_fingerprint": data.fingerprint}
    spec = FaultSpec("toy", suite, len(KILLS), 0.01, 0.9, ("sign_flips",), **known)
    with FaultFile.create(path, spec, np.ones(6, bool), {}) as file:
        for ordinal, killed in enumerate(KILLS):
            wrong = int(killed.sum())
            numbers = (ordinal, "sign_flips", 2, "relu", 0, 1.0, 0, network.fingerprint, 6, 6, 6 - wrong, wrong)
            file.store(Mutant(*numbers), killed, [])
    return path


def test_mutants_tell_how_early_an_order_kills_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = faults(tmp_path / "toy.faults")
    assert call(*POOL, "--by", "margin", "--budget", "6", "--faults", path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["mutants"], found["killable"]) == (4, 3)
    first, random = found["rankings"]
    assert first["apfd"] == pytest.approx(reference.apfd(KILLS.tolist(), first["rows"]))
    assert first["low"] <= first["apfd"] <= first["high"]
    assert random["apfd"] != reference.apfd(KILLS.tolist(), random["rows"])  # the mean of 20
    killed = next(each for each in found["curves"] if each["measure"] == "killed")
    rows = first["rows"]
    assert killed["series"][0]["counts"] == [sum(KILLS[:, rows[:n]].any(axis=1)) for n in killed["points"]]
    assert call(*POOL, "--by", "margin", "--faults", path) == 0
    assert "APFD (95 % interval)" in capsys.readouterr().out


def test_mutants_of_other_inputs_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, other = faults(tmp_path / "toy.faults"), tmp_path / "other.npz"
    np.savez(other, images=np.zeros((6, 2)))
    assert is_whole(refused(capsys, "select", "toy", "--pool", other, "--faults", path))
