"""``dnncov replay``: what is printed and written, and the exit status."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests import runs
from tests.command import call, is_whole, refused

HERE = "tests.campaign.review.test_other_network"
Output = pytest.CaptureFixture[str]


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runs.finished(tmp_path_factory.mktemp("replay") / "c.dnncov", runs.toy_spec())


def replayed(path: Path, capsys: Output, *options: str | Path, status: int = 0) -> str:
    assert call("replay", path, *options) == status
    return capsys.readouterr().out


def test_json_has_every_count_and_condition(path: Path, capsys: Output) -> None:
    found = json.loads(replayed(path, capsys, "--network", f"{HERE}:retrained", "--json"))
    names = ["network", "fingerprint", "date", "layers", "asked", "conditions", "layer_pairs", "total"]
    assert list(found) == names
    total = found["total"]["counts"]
    assert total["pairs"] == sum(bool(each["labels"]) for each in found["conditions"])
    assert total["lost"] == sum(each["own"] is False and not each["covered"] for each in found["conditions"]) > 0
    for name, n in total.items():
        assert n == sum(row["counts"][name] for row in found["layer_pairs"])
    assert [[each["name"] for each in layers] for layers in found["layers"]][:2] == [["2", "1"], ["4", "3"]]


def test_text_has_counts_with_denominators_by_layer_pair_and_the_pairs_that_changed(path: Path, capsys: Output) -> None:
    found = json.loads(replayed(path, capsys, "--network", f"{HERE}:retrained", "--json"))
    lines = replayed(path, capsys, "--network", f"{HERE}:retrained").splitlines()
    own, pairs = (found["total"]["counts"][name] for name in ("own", "pairs"))
    assert lines[0].startswith(f"Covered there by their own test pair: {own} of {pairs} test conditions; by any")
    row = found["layer_pairs"][0]["counts"]
    assert lines[4].split()[:9] == f"2 to 3 2 to 3 {row['own']} of {row['pairs']}".split()
    lost = [each["ordinal"] for each in found["conditions"] if each["own"] is False and not each["covered"]]
    assert next(line for line in lines if "its condition is lost" in line).startswith(f"pair {lost[0]}: ")
    unchanged = replayed(path, capsys, "--network", "toy")
    assert "pair " not in unchanged.partition("layers")[2].replace("own pair", "").replace("any pair", "")


def test_another_structure_says_which_layers_are_there(path: Path, capsys: Output) -> None:
    lines = replayed(path, capsys, "--network", f"{HERE}:deeper").splitlines()
    assert lines[2] == "Layer 5 (output) there stands for layer 4 (output)."
    assert any(line.split()[:4] == ["3", "to", "4", "none"] for line in lines)


def test_the_exit_status_says_whether_a_condition_is_lost_if_it_is_asked(path: Path, capsys: Output) -> None:
    replayed(path, capsys, "--network", "toy", "--fail-on-loss")
    replayed(path, capsys, "--network", f"{HERE}:retrained")
    replayed(path, capsys, "--network", f"{HERE}:retrained", "--fail-on-loss", status=1)


def test_csv_has_a_row_for_each_condition(path: Path, capsys: Output, folder: Path) -> None:
    options = ("--network", f"{HERE}:retrained", "--csv", folder / "out.csv", "--json")
    found = json.loads(replayed(path, capsys, *options))["conditions"]
    with (folder / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["ordinal"]) for row in rows] == [each["ordinal"] for each in found]
    for row, each in zip(rows, found, strict=True):
        assert (row["fate"] == "own") == (each["own"] is True)
        labels = [row[f"labels_there_{x}"] for x in ("x1", "x2")]
        assert labels == (list(map(str, each["labels_there"])) or ["", ""])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), "the following arguments are required: --network"),
        (("--network", f"{HERE}:three_inputs"), "expected a network with inputs of shape (2,)"),
        (("--network", f"{HERE}:tight"), "of which an input leaves its bounds, -0.5 to 0.5; give it wider bounds"),
        (("--network", "no-such"), "no-such"),
        (("--network", "toy", "--csv", "/no/such/folder/a.csv"), "a file that can be written"),
    ],
)
def test_bad_input_is_one_line(path: Path, options: tuple[str, ...], expected: str, capsys: Output) -> None:
    line = refused(capsys, "replay", path, *options)
    assert expected in line
    assert is_whole(line) or "required" in line
