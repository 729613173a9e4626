"""``dnncov run``: every parameter, its JSON, its text, and what it leaves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import DEVICES, PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.data import load_data
from dnncov_core.distances import NORMS
from dnncov_core.features import SAMPLINGS
from dnncov_core.generators import AUTO, GENERATORS, GRIDS, OBJECTIVES, SEED_ORDERS
from dnncov_core.partitions import FEATURE_MODES
from tests.cli.fields import LAYER, OUTCOMES, PROGRAMME, SUMMARY, has_types
from tests.command import call, make_data, refused, write_factory

pytestmark = pytest.mark.usefixtures("folder")


def test_every_parameter_reaches_the_campaign(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = {
        "--criterion": "vv", "--generator": "lp", "--data": "toy", "--value-function": "norm", "--d": "0.5",
        "--p": "1", "--condition-value-function": "absolute=0.25", "--feature-mode": "fixed", "--omega": "0.5",
        "--pairs": "2", "--sampling": "even", "--layers": "3", "--seeds": "4", "--seed-order": "random",
        "--max-seeds": "3", "--reuse": "", "--margin": "0.001", "--grid": "none", "--objective": "distance",
        "--passes": "99", "--batch": "3", "--norm": "2",
        "--bound": "6/2", "--effect": "both", "--more-seeds": "2", "--device": "cpu",
        "--random-seed": "7", "--out": "c.dnncov",
    }  # fmt: skip
    words = [word for option in options.items() for word in option if word]
    assert call("run", "toy", *words, "--json") == 0
    with CampaignStore(folder / "c.dnncov") as store:
        assert store.spec() == CampaignSpec(
            network="toy", data="toy", criterion="vv", generator="lp", value_function="norm", d=0.5, p="1",
            at_most=False, condition_value_function="absolute=0.25", feature_mode="fixed", omega=0.5, pairs=2,
            sampling="even", layers=(3,), seeds=4, seed_order="random", max_seeds=3, reuse=True, margin=0.001,
            grid="none", objective="distance", passes=99, batch=3, norm="2", bound=3.0, effect="both", more_seeds=2,
            device="cpu", random_seed=7,
        )  # fmt: skip


def test_run_lists_every_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "--help") == 0
    words = set(re.split(r"[\s,;()]+", capsys.readouterr().out))
    assert words >= {*CRITERIA, AUTO, *GENERATORS, *VALUE_FUNCTIONS, *NORMS, *FEATURE_MODES, *SAMPLINGS, *DEVICES}
    assert words >= {*GRIDS, *OBJECTIVES, *SEED_ORDERS}


def test_run_lists_its_options_in_the_order_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "--help") == 0
    said = capsys.readouterr().out.partition("options:")[2]
    listed = [word for word in re.findall(r"^  (--[a-z-]+)", said, re.MULTILINE) if word != "--help"]
    expected = [row.option for row in PARAMETERS.values() if row.option.startswith("--") and row.name != "retries"]
    assert listed[: len(expected)] == expected


class TestRun:
    def test_a_name_that_nobody_gave_is_said(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("run", "toy", "--pairs", "1") == 0
        said = capsys.readouterr().err
        assert said.lstrip("\r").startswith("toy-ss.dnncov: ")
        assert said.splitlines()[-1] == "The campaign is in the file toy-ss.dnncov."
        assert call("run", "toy", "--pairs", "1", "--out", "c.dnncov") == 0
        assert "The campaign" not in capsys.readouterr().err

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
        assert (
            "SS on toy, data toy: 12 of 15 test conditions have a replayable witness with the effect asked for (80.0 %)"
            in out
        )
        assert "adversarial test pairs (another label, no bound on the distance): 66.7 % (8 of 12, from 4 seeds)" in out
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


def test_what_the_order_of_subfolders_means_is_said_before_the_search(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = CampaignStore.record

    def found(*arguments: Any) -> None:
        print("found")
        record(*arguments)

    monkeypatch.setattr(CampaignStore, "record", found)
    data = load_data("mnist")
    for row, label in enumerate(data.labels[:20]):
        (folder / "images" / f"digit{label}").mkdir(parents=True, exist_ok=True)
        Image.fromarray(data.images[row, 0]).save(folder / "images" / f"digit{label}" / f"{row}.png")
    assert call("run", "mnist-n1", "--data", folder / "images", "--pairs", "1", "--out", "c.dnncov") == 0
    said = "note: No subfolder of images has a class's name; by their order, digit0 is 0, digit1 is 1, digit2 is 2, and"
    assert re.search(f"{said}.*found", capsys.readouterr().err, re.DOTALL)
    for digit in range(10):
        (folder / "images" / f"digit{digit}").rename(folder / "images" / f"{9 - digit} is named wrongly")
    line = refused(capsys, "run", "mnist-n1", "--data", folder / "images", "--pairs", "1", "--out", "wrong.dnncov")
    assert "; check " in line
    assert "No subfolder of images has a class's name; by their order, 0 is named wrongly is 0, 1 is named" in line
    assert call("run", "toy", "--pairs", "1", "--out", "other.dnncov") == 0
    assert "note:" not in capsys.readouterr().err


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
