"""The command ``dnncov``: every command, its JSON, its exit statuses, and one line for every bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.networks.pretrained import pretrained_names, weights_file
from dnncov_core.networks.zoo import embedded_names
from tests import runs
from tests.command import call, make_data, write_factory

pytestmark = pytest.mark.usefixtures("folder")

NUMBER = (int, float)
SUMMARY = {
    "state": str,
    "message": str,
    "criterion": str,
    "network": str,
    "search": str,
    "value_functions": str,
    "available": int,
    "pairs": int,
    "covered": int,
    "distinct_pairs": int,
    "coverage": NUMBER,
    "coverage_of_rest": NUMBER,
    "justified": int,
    "proved_infeasible": int,
    "open": int,
    "adversarial": int,
    "adversarial_rate": NUMBER,
    "control": (dict, type(None)),
    "holds_8bit": (int, type(None)),
    "outcomes": dict,
    "layers": list,
    "programmes": list,
    "attempts": int,
    "seeds": int,
    "seeds_left_out": int,
    "seconds": NUMBER,
    "device": str,
    "spec": dict,
    "versions": dict,
}
LAYER = {
    "condition_layer": int,
    "decision_layer": int,
    "available": int,
    "pairs": int,
    "covered": int,
    "proved_infeasible": int,
    "adversarial": int,
    "holds_8bit": (int, type(None)),
    "mean_distance": (float, type(None)),
    "std_distance": (float, type(None)),
}
PROGRAMME = {
    "condition_layer": int,
    "decision_layer": int,
    "calls": int,
    "variables": int,
    "constraints_mean": float,
    "constraints_max": int,
    "seconds_mean": float,
    "iterations_mean": float,
    "reference_variables": int,
    "reference_constraints": int,
}
NETWORK = {
    "name": str,
    "dataset": str,
    "input_shape": list,
    "classes": list,
    "accuracy": (float, type(None)),
    "layers": list,
    "parameters": int,
}
OUTCOMES = ["found", "exhausted", "proved_infeasible", "error", "pending"]


def has_types(values: dict[str, Any], types: dict[str, Any]) -> bool:
    return list(values) == list(types) and all(isinstance(values[name], kind) for name, kind in types.items())


class TestNetworks:
    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("networks", "--json") == 0
        listed = json.loads(capsys.readouterr().out)
        assert [entry["name"] for entry in listed] == [*embedded_names(), *pretrained_names()]
        assert all(has_types(entry, NETWORK) for entry in listed)
        n8 = next(entry for entry in listed if entry["name"] == "mnist-n8")
        assert [layer["neurons"] for layer in n8["layers"]] == [784, 78, 62, 73, 47, 10]
        assert [layer["index"] for layer in n8["layers"]] == [1, 2, 3, 4, 5, 6]
        assert list(n8["layers"][0]) == ["index", "name", "kind", "neurons"]
        assert n8["input_shape"] == [1, 28, 28]
        assert n8["accuracy"] >= 0.97
        vgg16 = next(entry for entry in listed if entry["name"] == "vgg16")
        assert (len(vgg16["layers"]), vgg16["parameters"], len(vgg16["classes"])) == (17, 138_357_544, 1000)

    def test_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("networks") == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines[1:]] == [*embedded_names(), *pretrained_names()]
        assert "784-78-62-73-47-10" in lines[1 + embedded_names().index("mnist-n8")]

    def test_text_says_where_weights_are(
        self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TORCH_HOME", str(folder))
        weights_file("resnet18").parent.mkdir(parents=True)
        weights_file("resnet18").touch()
        assert call("networks") == 0
        lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
        assert "13,555,712 in 15 hidden layers" in lines["vgg16"]
        assert lines["vgg16"].endswith("by torchvision; weights are downloaded on first use (528 MB)")
        assert lines["resnet18"].endswith("by torchvision; weights are here")

    def test_registered_networks(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_factory(folder)
        (folder / "home").mkdir()
        (folder / "home" / "registry.toml").write_text('[[network]]\nname = "mine"\nfactory = "made:make"\n')
        assert call("networks") == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith("mine ")
        assert call("networks", "--json") == 0
        mine = json.loads(capsys.readouterr().out)[-1]
        assert has_types(mine, NETWORK)
        assert mine["accuracy"] is None
        assert mine["input_shape"] == [1, 17, 29]


class TestRun:
    def test_json_has_the_documented_fields(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("run", "toy", "--json") == 0
        captured = capsys.readouterr()
        summary = json.loads(captured.out)
        assert has_types(summary, SUMMARY)
        assert list(summary["outcomes"]) == OUTCOMES
        assert all(has_types(layer, LAYER) for layer in summary["layers"])
        assert all(has_types(costs, PROGRAMME) for costs in summary["programmes"])
        assert [costs["decision_layer"] for costs in summary["programmes"]] == [3, 4]
        assert (summary["state"], summary["criterion"], summary["network"]) == ("finished", "ss", "toy")
        assert summary["pairs"] == sum(summary["outcomes"].values()) == 15
        assert summary["covered"] == summary["outcomes"]["found"] == sum(part["covered"] for part in summary["layers"])
        assert summary["coverage"] == summary["covered"] / 15
        assert summary["adversarial_rate"] == summary["adversarial"] / summary["covered"]
        assert (summary["seeds"], summary["seeds_left_out"]) == (6, 0)
        assert summary["device"] == "cpu"
        assert summary["spec"].keys() >= set(CampaignSpec.__dataclass_fields__)
        assert len(summary["spec"]["network_fingerprint"]) == len(summary["spec"]["data_fingerprint"]) == 64
        assert {"python", "torch", "numpy"} <= summary["versions"].keys()
        assert "15/15" in captured.err
        assert f"{summary['covered']} covered" in captured.err

    def test_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("run", "toy") == 0
        out = capsys.readouterr().out
        assert "SS on toy, data toy: 12 of 15 test conditions have a replayable witness (80.0 %)" in out
        assert "adversarial test pairs (another label, no bound on the distance): 66.7 % (8 of 12)" in out
        assert "2 to 3" in out

    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_the_default_file_name(self, folder: Path, criterion: str) -> None:
        assert call("run", "toy", "--criterion", criterion, "--pairs", "1") == 0
        assert [path.name for path in folder.iterdir()] == [f"toy-{criterion}.dnncov"]
        assert call("run", "toy", "--criterion", criterion, "--pairs", "1") == 2

    @pytest.mark.parametrize(("pairs", "total"), [("all", 15), ("4", 4), ("1000", 15)])
    def test_pairs(self, pairs: str, total: int, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("run", "toy", "--pairs", pairs, "--json") == 0
        assert json.loads(capsys.readouterr().out)["pairs"] == total

    @pytest.mark.parametrize(("layers", "expected"), [("4", [(3, 4)]), ("3", [(2, 3)]), ("4,3", [(2, 3), (3, 4)])])
    def test_layers(self, layers: str, expected: list[tuple[int, int]], capsys: pytest.CaptureFixture[str]) -> None:
        assert call("run", "toy", "--layers", layers, "--json") == 0
        found = json.loads(capsys.readouterr().out)["layers"]
        assert [(part["condition_layer"], part["decision_layer"]) for part in found] == expected

    def test_a_bound_changes_what_is_adversarial_and_nothing_else(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = []
        for bound in ("0.001", "0.2", "20"):
            assert call("run", "toy", "--bound", bound, "--out", f"b{bound}.dnncov", "--json") == 0
            found.append(json.loads(capsys.readouterr().out))
        assert [summary["covered"] for summary in found] == [12, 12, 12]
        adversarial = [summary["adversarial"] for summary in found]
        assert adversarial[0] == 0 < adversarial[1] < adversarial[2] == 8
        with CampaignStore(Path("b0.2.dnncov")) as store:
            assert all(
                pair.adversarial is (pair.label1 != pair.label2 and pair.distance <= 0.2) for pair in store.pairs.page()
            )

    def test_top_weights(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("run", "toy", "--top-weights", "1", "--out", "c.dnncov", "--json") == 0
        summary = json.loads(capsys.readouterr().out)
        assert [(layer["available"], layer["pairs"]) for layer in summary["layers"]] == [(3, 3), (2, 2)]
        assert call("run", "toy", "--top-weights", "1", "--feature-mode", "fixed") == 2
        assert (
            "--top-weights must be left out where features are not single neurons; got 1 with feature mode fixed;"
            in capsys.readouterr().err
        )

    def test_what_a_factory_prints_does_not_reach_the_json(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write_factory(folder, shape=(2,), before='print("loading ...")\n    ')
        make_data(folder, "made:make", (2,))
        capsys.readouterr()
        assert call("run", "made:make", "--data", "made.npz", "--pairs", "1", "--json") == 0
        captured = capsys.readouterr()
        assert json.loads(captured.out)["network"] == "made:make"
        assert "loading ..." in captured.err


def test_a_process_prints_json_alone_on_standard_output_and_progress_on_standard_error(folder: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "dnncov_core", "run", "toy", "--criterion", "sv", "--pairs", "3", "--json"],
        env={**os.environ, "PYTHONPATH": str(runs.ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["pairs"] == 3
    assert "3/3" in found.stderr
    assert "Traceback" not in found.stderr
    assert "Warning" not in found.stderr


class TestResumeCancelShow:
    def test_cancel_resume_show(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = runs.create(folder / "c.dnncov", runs.toy_spec(pairs=3))
        assert call("cancel", path) == 0
        assert "asked to stop" in capsys.readouterr().out
        assert call("show", path, "--json") == 0
        shown = json.loads(capsys.readouterr().out)
        assert (shown["state"], shown["pairs"], shown["coverage"], shown["seeds"]) == ("cancelled", 0, None, None)
        assert call("resume", path, "--json") == 0
        assert has_types(json.loads(capsys.readouterr().out), SUMMARY)
        assert call("show", path, "--json") == 0
        assert json.loads(capsys.readouterr().out)["state"] == "finished"
        assert call("show", path) == 0
        out = capsys.readouterr().out
        assert "of 3 test conditions have a replayable witness (" in out
        assert "The test conditions are a random sample of 3 of 15 feature pairs (random seed 0).\n" in out
        assert call("cancel", path) == 0
        assert capsys.readouterr().out == "already finished\n"

    def test_show_changes_nothing(self, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
        before = runs.content(campaign)
        assert call("show", campaign) == call("show", campaign, "--json") == 0
        assert runs.content(campaign) == before

    def test_an_interrupt_gives_130(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("dnncov_core.generators.lp_search.LinearProgramSearch.attempt", interrupt)
        assert call("run", "toy", "--out", "c.dnncov") == 130
        assert call("show", "c.dnncov") == 0

    def test_a_file_of_another_network_needs_its_own(self, campaign: Path) -> None:
        assert call("verify", campaign, "--network", "mnist-n9") == 2
        assert call("verify", campaign, "--network", "toy") == 0


class TestVerify:
    def test_json(self, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("verify", campaign, "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert list(found) == ["pairs", "holding", "near_zero", "failing"]
        assert (found["pairs"], found["holding"], found["failing"]) == (12, 12, {})

    def test_text(self, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("verify", campaign) == 0
        assert "12 of 12 stored test pairs hold when replayed" in capsys.readouterr().out


def test_a_reader_that_has_enough_is_no_error(folder: Path) -> None:
    runs.finished(folder / "c.dnncov", runs.toy_spec(pairs=2))
    command = f"{sys.executable} -m dnncov_core show c.dnncov --json | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("{\n", "", 0)


def test_a_folder_that_does_not_exist_is_not_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "toy", "--out", "typo/c.dnncov") == 2
    assert "argument --out: expected a file that can be written, in a folder" in capsys.readouterr().err
    assert not (folder / "typo").exists()


@pytest.mark.parametrize(
    ("criterion", "functions", "fields"),
    [
        ("ss", "", (None, None)),
        ("vs", "g: any", ("any", None)),
        ("sv", "g: ratio (sigma = 2)", ("ratio", 2.0)),
        ("vv", "g1: any, g2: ratio (sigma = 5)", ("ratio", 5.0)),
    ],
)
def test_value_functions_in_force_are_stored_and_shown(
    folder: Path, capsys: pytest.CaptureFixture[str], criterion: str, functions: str, fields: tuple[object, object]
) -> None:
    assert call("run", "toy", "--criterion", criterion, "--pairs", "1", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["value_functions"] == functions
    assert (summary["spec"]["value_function"], summary["spec"]["sigma"]) == fields


def test_layer_pairs_that_the_sample_missed_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "toy", "--pairs", "1", "--json") == 0
    layers = json.loads(capsys.readouterr().out)["layers"]
    assert [layer["available"] for layer in layers] == [9, 6]
    assert sorted(layer["pairs"] for layer in layers) == [0, 1]
