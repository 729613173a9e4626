"""``dnncov check``: what it says, its JSON and exit status, and files that mend a network."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.data import load_data
from dnncov_core.readings.check import balanced
from tests.command import call, is_whole, refused

OWN = "--own-decisions"
pytestmark = pytest.mark.usefixtures("folder")


def planted(path: str, factor: float = 1.0, first: int = 0) -> None:
    """Digits in [0, factor], transposed if the factor is not 1, with labels that count from ``first``."""
    data = load_data("mnist", (1, 28, 28))
    assert data.labels is not None
    rows = balanced(data.labels, 100)
    images = data.pixels(rows).astype(np.float32) * factor
    np.savez(path, images=images if factor == 1 else images.swapaxes(2, 3), labels=data.labels[rows] + first)


def test_data_that_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("check", "mnist-n1", "--data", "mnist", "--inputs", 50) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "The network takes inputs of shape (1, 28, 28) (channels, height, width) from 0 to 1, and has 10 classes."
    )
    assert lines[1] == "mnist has inputs of shape (1, 28, 28) (uint8) from 0 to 255, which are divided by 255."
    assert lines[2] == "Accuracy as they are: 100 % (50 of 50), 95 % interval 92.9 % to 100 %."
    assert lines[3] == "Nothing has to be mended: none of 2 readings is clearly better."


def test_a_mended_network_is_written_and_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    planted("wrong.npz", 255)
    assert call("check", "mnist-n1", "--data", "wrong.npz", "--apply", "fixed.py", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["network"]["input_shape"] == [1, 28, 28]
    assert (found["inputs"], found["fine"], found["in_bounds"], found["fits"]) == (100, False, False, True)
    assert {"x = x / 255", "x = x.transpose(2, 3)"} == set(found["mends"][0]["mends"])
    assert found["mends"][0]["correct"] == found["applied"]["accuracy"]["n"] > 90
    assert found["mends"][0] | {"tied_with_best": True} in found["trials"]
    assert (found["applied"]["files"], found["applied"]["network"]) == (["fixed.py"], "fixed:build")
    assert "# height and width are swapped" in Path("fixed.py").read_text()
    assert call("check", "fixed:build", "--data", "wrong.npz", "--json") == 0
    again = json.loads(capsys.readouterr().out)
    assert again["as_it_is"]["correct"] == found["applied"]["accuracy"]["n"]
    assert again["network"]["bounds"] == [0, 255]


def test_mended_labels_are_written_beside_the_network(capsys: pytest.CaptureFixture[str]) -> None:
    planted("wrong.npz", first=1)
    assert call("check", "mnist-n1", "--data", "wrong.npz", "--apply", "counted.py") == 1
    said = capsys.readouterr().out
    assert "if labels count from 1:\n    labels = labels - 1\n" in said
    assert "Written: counted.py, counted.npz." in said
    assert said.endswith("dnncov run counted:build --data counted.npz --pairs 100 --sampling even --grid 8bit\n")
    assert call("check", "counted:build", "--data", "counted.npz") == 0


def test_advice_says_how_it_is_taken_over(capsys: pytest.CaptureFixture[str]) -> None:
    planted("counted.npz", first=1)
    assert call("check", "mnist-n1", "--data", "counted.npz") == 1
    last = "To take the first of these over, add --apply fixed.py, or, for a file, --apply FILE.toml beside it."
    assert capsys.readouterr().out.splitlines()[-1] == last


def test_the_networks_own_decisions_serve_as_labels_and_say_nothing_of_accuracy(
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = load_data("toy")
    np.savez("points.npz", images=data.images)
    said = (
        "got none in points.npz; add them, take the network's own decisions with --own-decisions, or measure the data"
    )
    assert said in refused(capsys, "check", "toy", "--data", "points.npz")
    assert call("check", "toy", "--data", "points.npz", OWN) == 0
    says_nothing = "The labels of these data are the network's own decisions, so that accuracy says nothing."
    assert capsys.readouterr().out.splitlines() == [
        f"Written: points-own-decisions.npz. {says_nothing}",
        "dnncov run toy --data points-own-decisions.npz --pairs 100 --sampling even",
    ]
    np.testing.assert_array_equal(np.load("points-own-decisions.npz")["labels"], data.labels)
    assert "got points-own-decisions.npz; rename" in refused(capsys, "check", "toy", "--data", "points.npz", OWN)
    assert "got some in toy; leave it out" in refused(capsys, "check", "toy", "--data", "toy", OWN)
    assert call("check", "toy", "--data", "points-own-decisions.npz") == 0
    assert call("run", "toy", "--data", "points-own-decisions.npz", "--pairs", 3, "--out", "own.dnncov") == 0
    assert call("measure", "toy", "--suite", "points-own-decisions.npz", "--criteria", "n") == 0
    out = capsys.readouterr().out
    assert out.count(says_nothing) == 2
    assert "6 inputs (labelled by the network's own decisions, so that accuracy says nothing), on toy" in out


def test_targets_of_a_network_that_has_no_tolerance_are_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("points.npz", images=np.zeros((2, 2)), targets=np.zeros((2, 2)))
    said = "got images, targets; add labels with numpy.savez; or, where outputs are numbers and no classes, give the"
    assert said in refused(capsys, "check", "toy", "--data", "points.npz")


def test_what_is_there_is_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "there.py").write_text("mine")
    (folder / "beside.npz").write_text("mine")
    for name in ("there.py", "beside.py", "no.txt", "no-module.py", "nowhere/fixed.py", folder / "absolute.py"):
        assert is_whole(refused(capsys, "check", "mnist-n1", "--data", "mnist", "--apply", name))
    assert (folder / "there.py").read_text() == (folder / "beside.npz").read_text() == "mine"


def test_refusals(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "leave --apply out" in refused(capsys, "check", "mnist-n1", "--data", "mnist", "--apply", "fixed.py")
    assert is_whole(refused(capsys, "check", "mnist-n1", "--data", "nothing"))
    assert is_whole(refused(capsys, "check", "no-network", "--data", "mnist"))
    np.savez("unlabelled.npz", images=np.zeros((3, 28, 28)))
    assert is_whole(refused(capsys, "check", "mnist-n1", "--data", "unlabelled.npz"))
    assert not (folder / "fixed.py").exists()


REGRESSION = """
import torch
from dnncov_core import Network

class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 2, bias=False)
        self.inner.weight.data = torch.eye(2)
    def forward(self, x):
        return 2 * self.inner(x).relu()

def build():
    ranges = ([0, 0], [10, 3])
    names = {"features": ["gap", "speed"], "units": ["m", "m/s"], "quantities": ["left", "right"]}
    return Network(Twice(), (2,), ranges, tolerance=[0.5, 0.25], quantity_units=["m", "m"], **names)
"""


def test_a_regression_has_ranges_outputs_and_tolerances_and_no_classes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gap.py").write_text(REGRESSION)
    images = np.array([[1, 1], [2, 2], [9, 0.5], [10, 3]], dtype=np.float32)
    np.savez("right.npz", images=images, targets=2 * images)
    assert call("check", "gap:build", "--data", "right.npz") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "The network takes inputs of shape (2,) (a vector): gap from 0 to 10 m, speed from 0 to 3 m/s,"
        " and has left, tolerance 0.5 m; right, tolerance 0.25 m."
    )
    assert lines[2].startswith("Outputs within the tolerance as they are: 100 % (4 of 4)")
    np.savez("wrong.npz", images=images, targets=np.full((4, 2), 77.0))
    assert call("check", "gap:build", "--data", "wrong.npz") == 1
    said = capsys.readouterr().out
    assert "Outputs within the tolerance as they are: 0 % (0 of 4)" in said
    assert "helps. Check the outputs, their tolerances, the weights and the data, and what" in said
    assert "ccuracy" not in said
    assert "class" not in said
