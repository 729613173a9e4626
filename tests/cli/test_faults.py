"""``dnncov faults``: what it prints, what it refuses, and that it goes on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dnncov_core.cli.faults import left_out_lines
from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.faults.summary import OperatorCounts
from tests.command import call, is_whole, refused

ASKED = ("faults", "toy", "--suite", "toy", "--drop", "1..60", "--operators", "sign_flips,input_mean,classes_swapped")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert call(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_json_counts_what_the_file_holds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = found(capsys, *ASKED, "--mutants", "9", "--out", "a.faults")
    with FaultFile(folder / "a.faults") as faults:
        mutants, kills, left = faults.mutants(), faults.kills(), faults.left_out()
    assert (said["network"], said["suite"], said["inputs"], said["right"], said["mutants"]) == ("toy", "toy", 6, 6, 9)
    assert said["drop"] == {"least": 0.01, "most": 0.6}
    assert said["killing_inputs"] == kills.any(axis=0).sum()
    for name, row in said["operators"].items():
        own = [each for each in mutants if each.operator == name]
        assert row["mutants"] == len(own)
        assert (row["least_drop"], row["most_drop"]) == (min(m.drop.n for m in own), max(m.drop.n for m in own))
        assert sum(row["left_out"].values()) == sum(each.operator == name for each in left)
    assert sum(row["mutants"] for row in said["operators"].values()) == 9


def test_text_and_a_second_call(capsys: pytest.CaptureFixture[str]) -> None:
    asked = (*ASKED, "--mutants", "3", "--out", "b.faults")
    assert call(*asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "toy on toy: right on 100 % (6 of 6)"
    assert lines[1] == "3 mutants, whose accuracy is lower by 1 to 60 percentage points; random seed 0"
    assert [line.split()[:2] for line in lines[4:7]] == [
        ["sign_flips", "1"],
        ["input_mean", "1"],
        ["classes_swapped", "1"],
    ]
    assert call(*asked) == 0
    assert capsys.readouterr().out.splitlines() == lines


def test_what_is_left_out_is_said_in_a_sentence() -> None:
    row = OperatorCounts("pruning", 0, 0, None, None, {"equivalent": 2, "between": 1})
    assert left_out_lines(row) == [
        "pruning leaves out 2 mutants of which even the greatest strength changes too few answers (equivalent).",
        "pruning leaves out 1 mutant of which one strength changes too few answers, and the next too many (between).",
    ]


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        (("--drop", "5"), "LEAST..MOST in percentage points"),
        (("--drop", "60..1"), "a drop LEAST..MOST"),
        (("--operators", "sign_flip"), "a mutation operator, one of gaussian_fuzz"),
        (("--mutants", "0"), "a whole number from 1"),
        (("--random-seed", "-1"), "a whole number from 0"),
        (("--suite", "nowhere.npz"), "nowhere.npz"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    changed: tuple[str, str], part: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = refused(capsys, *ASKED, "--out", "c.faults", *changed)
    assert part in line
    assert is_whole(line)
    assert not (folder / "c.faults").exists()


def test_foreign_and_damaged_files_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "d.faults").write_text("nothing of the kind")
    expected = "expected a file of seeded faults (.faults) written by dnncov; got another kind of file, d.faults"
    assert expected in refused(capsys, *ASKED, "--out", "d.faults")
    assert call("run", "toy", "--criterion", "ss", "--pairs", "1", "--out", "e.dnncov") == 0
    assert "got another database, e.dnncov" in refused(capsys, *ASKED, "--out", "e.dnncov")
    assert call(*ASKED, "--mutants", "3", "--out", "f.faults") == 0
    line = refused(capsys, *ASKED, "--mutants", "3", "--random-seed", "1", "--out", "f.faults")
    assert "got one with another random seed; ask for the same to resume it, or choose another --out" in line
    whole = (folder / "f.faults").read_bytes()
    (folder / "f.faults").write_bytes(whole[: len(whole) // 2])
    assert "damaged" in refused(capsys, *ASKED, "--mutants", "3", "--out", "f.faults")


def test_a_suite_without_labels_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(folder / "plain.npz", images=np.zeros((4, 2)))
    line = refused(capsys, *ASKED, "--out", "g.faults", "--suite", "plain.npz")
    assert "labels" in line
    assert is_whole(line)
