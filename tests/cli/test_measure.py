"""``dnncov measure``: its JSON, its witnesses, its kinds of suites, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.criteria import CRITERIA
from dnncov_core.data import load_data
from dnncov_core.data.files import described
from dnncov_core.features import FeaturePair
from dnncov_core.networks.loader import load_network
from dnncov_core.partitions import Feature
from dnncov_core.replay import Replay, replay
from dnncov_core.suites.criterion_names import DEFAULT
from dnncov_core.suites.measurement_reader import read
from dnncov_core.suites.remarks import headline
from tests.command import call

pytestmark = pytest.mark.usefixtures("folder")


def measured(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    assert call("measure", *arguments, "--json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = measured(capsys, "mnist-n1", "--suite", "mnist", "--criteria", "ss,n,nb,s", "--reference", "mnist")
    assert found["suite"] == {"inputs": 5000, "misclassified": 41}
    ss, n, nb, s = (found["criteria"][name] for name in ("ss", "n", "nb", "s"))
    assert ss["total"] == 3490
    assert [(layer["condition_layer"], layer["decision_layer"], layer["total"]) for layer in ss["layers"]] == [
        (2, 3, 1474),
        (3, 4, 1386),
        (4, 5, 630),
    ]
    assert ss["covered"] == sum(layer["covered"] for layer in ss["layers"])
    assert ss["coverage"] == ss["covered"] / 3490
    assert (n["covered"], n["total"]) == (152, 152)
    assert nb["covered"] == 0  # the suite is the reference
    assert (s["total"], s["coverage"], s["covered"]) == (None, None, 5000)
    assert found["seconds"] > 0


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("measure", "toy", "--suite", "toy", "--criteria", "ss,tn,s") == 0
    out = capsys.readouterr().out
    assert "toy, 6 inputs (0 that the network gets wrong, counted too), on toy" in out
    assert "No two" not in out
    rows = [line.split()[:2] for line in out.splitlines()[3:]]
    assert [name for name, layers in rows if layers == "all"] == ["ss", "tn", "s"]
    assert [row[0] for row in rows if row[1] == "to"] == ["2", "3"]
    assert "sign patterns; their total number is not known" in out.splitlines()[-1]


def test_covered_with_effect_stands_beside_covered(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("measure", "toy", "--suite", "toy", "--criteria", "ss,n")
    needed, none = (measured(capsys, *arguments[1:], "--effect", effect) for effect in ("needed", "none"))
    ss = needed["criteria"]["ss"]
    shown = ss["with_effect"]
    assert shown == {
        "covered": sum(layer["with_effect"]["covered"] for layer in ss["layers"]),
        "coverage": shown["covered"] / ss["total"],
        "exact": True,
        "bound": "",
    }
    assert 0 < shown["covered"] <= ss["covered"]
    assert "with_effect" not in needed["criteria"]["n"]
    assert "with_effect" not in json.dumps(none)
    assert none["criteria"]["ss"]["covered"] == ss["covered"]
    assert call(*arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split()[-3:] == ["with", "effect", "(needed)"]
    assert lines[3].split()[-1] == str(shown["covered"])
    assert call(*arguments, "--effect", "none") == 0
    assert "effect" not in capsys.readouterr().out


def test_only_the_chosen_layer_pairs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = measured(capsys, "mnist-n1", "--suite", "mnist", "--criteria", "ss,n,s")["criteria"]
    some = ("--condition-layers", "3,4", "--layers", "4,5", "--witnesses", folder / "w.csv", "--out", folder / "m.json")
    found = measured(capsys, "mnist-n1", "--suite", "mnist", "--criteria", "ss,n,s", *some)["criteria"]
    assert found["ss"]["layers"] == whole["ss"]["layers"][1:]
    assert (found["n"], found["s"]) == (whole["n"], whole["s"])
    with (folder / "w.csv").open(encoding="utf-8") as file:
        witnessed = Counter(row["condition_layer"] for row in csv.DictReader(file) if row["criterion"] == "ss")
    assert witnessed == {str(row["condition_layer"]): row["covered"] for row in found["ss"]["layers"]}
    assert "layer pairs from 3, 4 · layer pairs into 4, 5" in headline(read(folder / "m.json").spec)


def test_text_says_what_is_a_lower_bound(capsys: pytest.CaptureFixture[str]) -> None:
    free = ("--feature-mode", "free", "--omega", "0.02")
    assert call("measure", "mnist-n1", "--suite", "mnist", "--criteria", "ss,n", *free) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("SS: a lower bound in layers 2 to 3, the first 2,000 of 4,99")
    marked = [line.split()[:2] for line in lines if "≥ " in line]
    assert marked == [["ss", "all"], ["2", "to"]]  # of the other layers everything is covered


def test_reference_data_that_nothing_needs_are_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--suite", "toy", "--criteria", "ss,n", "--reference", "nowhere.npz", "--out", "found.json")
    assert call("measure", "toy", *asked) == 0
    assert "reference data are left out: none of ss,n needs them\n" in capsys.readouterr().err
    found = read(folder / "found.json")
    assert found.spec.reference is None
    assert set(found.fingerprints) == {"network", "suite"}


def test_the_suite_as_its_own_reference_data_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = load_data("toy")
    np.savez(folder / "copy.npz", images=data.images, labels=data.labels)
    assert call("measure", "toy", "--suite", "toy", "--criteria", "nb", "--reference", folder / "copy.npz") == 0
    out, err = capsys.readouterr()
    assert "on toy, reference data copy.npz;" in out
    (line,) = [line for line in err.splitlines() if line.startswith("warning:")]
    assert "The suite is its own reference data" in line
    within = "mn:10,kmnc,sv:mn=3/10"
    assert call("measure", "toy", "--suite", "toy", "--criteria", within, "--reference", folder / "copy.npz") == 0
    assert "warning" not in capsys.readouterr().err
    np.savez(folder / "other.npz", images=data.images[1:], labels=data.labels[1:])
    assert call("measure", "toy", "--suite", "toy", "--criteria", "nb", "--reference", folder / "other.npz") == 0
    assert "warning" not in capsys.readouterr().err


def test_why_nothing_is_covered_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(folder / "two.npz", images=load_data("toy").images[:2], labels=load_data("toy").labels[:2])
    assert call("measure", "toy", "--suite", folder / "two.npz", "--criteria", "ss,vs,sv") == 0
    out = capsys.readouterr().out
    expected = "No two of the 2 inputs have the same signs throughout a layer, so that VS covers nothing."
    assert out.splitlines()[-1] == expected


def test_neurons_whose_range_is_one_value_are_left_out_of_multisection_coverage(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = load_data("toy")
    np.savez(folder / "equal.npz", images=np.repeat(data.images[:1], 80, axis=0), labels=np.ones(80, np.int64))
    asked = ("measure", "toy", "--suite", "toy", "--criteria", "mn,kmnc,sv:mn=1/10,n", "--reference")
    assert call(*asked, folder / "equal.npz") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if line.startswith(("mn", "kmnc", "sv"))] == [
        [text, "all", "0", "of", "0", "n/a", *with_effect]
        for text, with_effect in (("mn", []), ("kmnc", []), ("sv:mn=1/10", ["n/a", "0"]))
    ]
    assert "MN leaves out 6 neurons whose range over the reference data is one value: it has no sections." in lines
    assert "KMNC leaves out 6 neurons whose range over the reference data is one value: it has no sections." in lines
    assert call(*asked, folder / "equal.npz", "--json") == 0
    found = json.loads(capsys.readouterr().out)["criteria"]
    assert found["mn"]["layers"] == [
        {"layer": layer, "total": 0, "covered": 0, "coverage": None, "left_out": 3} for layer in (2, 3)
    ]
    assert [row.get("left_out") for row in found["sv:mn=1/10"]["layers"]] == [3, 2]
    assert [row.get("left_out") for row in found["n"]["layers"]] == [None, None]


def test_multisection_coverage_counts_neurons_and_deepgauges_counts_sections(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("measure", "toy", "--suite", "toy", "--criteria", "mn,kmnc", "--reference", "toy", "--json")
    assert call(*asked) == 0
    found = json.loads(capsys.readouterr().out)["criteria"]
    assert found["kmnc"]["total"] == 10 * found["mn"]["total"]
    assert 10 * found["mn"]["covered"] < found["kmnc"]["covered"] <= found["kmnc"]["total"]


def test_progress_is_in_shares_and_nothing_stands_before_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("measure", "toy", "--suite", "toy") == 0
    err = capsys.readouterr().err
    assert "effects: 100 %" in err
    assert "12" not in err  # inputs, each counted twice
    assert call("measure", "toy", "--suite", "mnist") == 2
    err = capsys.readouterr().err
    assert err.startswith("dnncov: expected images of shape (2,)")
    assert call("run", "toy", "--data", "mnist", "--out", folder / "c.dnncov") == 2
    assert capsys.readouterr().err.startswith("dnncov: expected images of shape (2,)")


def test_every_witness_replays(folder: Path) -> None:
    path = folder / "w.csv"
    assert call("measure", "toy", "--suite", "toy", "--criteria", "ss,sv,vs,vv,n,s", "--witnesses", path) == 0
    network, data = load_network("toy")[0], load_data("toy")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["criterion"] for row in rows} >= {"ss", "sv", "vs", "n", "s"}
    for row in rows:
        if row["criterion"] in CRITERIA:
            pair = FeaturePair(
                Feature(int(row["condition_layer"]), (int(row["condition_feature"]),)),
                Feature(int(row["decision_layer"]), (int(row["decision_feature"]),)),
            )
            x1, x2 = (data.pixels([int(row[name])])[0] for name in ("x1", "x2"))
            assert replay(network, CRITERIA[row["criterion"]], pair, x1, x2)
            effect = Replay(network, CRITERIA[row["criterion"]], x1, x2).effect(pair)
            assert (row["needed"], row["sufficient"]) == (str(int(effect.needed)), str(int(effect.sufficient)))
        else:
            assert row["needed"] == row["sufficient"] == ""


def test_an_npz_and_a_folder_of_the_same_images_give_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images = (np.random.default_rng(0).random((20, 28, 28)) * 255).astype(np.uint8)
    labels = np.arange(20) % 10
    np.savez(folder / "made.npz", images=images[np.argsort(labels, kind="stable")], labels=np.sort(labels))
    for number, (image, label) in enumerate(zip(images, labels, strict=True)):
        (folder / "images" / str(label)).mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(folder / "images" / str(label) / f"{number:02}.png")
    one, other = (measured(capsys, "mnist-n1", "--suite", folder / name) for name in ("made.npz", "images"))
    assert one["criteria"] == other["criteria"]
    assert one["suite"]["inputs"] == 20
    assert one["criteria"]["ss"]["coverage"] < 0.05


def test_what_the_order_of_subfolders_means_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for label in range(10):
        (folder / "images" / f"digit{label}").mkdir(parents=True)
        Image.new("L", (28, 28), 20 * label).save(folder / "images" / f"digit{label}" / "a.png")
    arguments = ("mnist-n1", "--suite", folder / "images", "--criteria", "n")
    measured(capsys, *arguments)
    assert call("measure", *arguments) == 0
    said = "note: No subfolder of images has a class's name; by their order, digit0 is 0, digit1 is 1, digit2 is 2, and"
    assert said in capsys.readouterr().err
    for label in range(10):
        (folder / "images" / f"digit{label}").rename(folder / "images" / str(label))
    assert call("measure", *arguments) == 0
    assert "note:" not in capsys.readouterr().err


def test_labels_change_nothing_but_what_is_known_of_the_inputs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    images = (np.random.default_rng(0).random((6, 28, 28)) * 255).astype(np.uint8)
    np.savez(folder / "known.npz", images=images, labels=np.arange(6))
    np.savez(folder / "alone.npz", images=images)
    (folder / "photos").mkdir()
    for number, image in enumerate(images):
        Image.fromarray(image).save(folder / "photos" / f"{number}.png")
    names = ("known.npz", "alone.npz", "photos")
    suites = [("mnist-n1", "--suite", folder / name, "--criteria", "ss,vs,n,nb,s") for name in names]
    found = [measured(capsys, *suite, "--reference", folder / "alone.npz") for suite in suites]
    assert found[0]["criteria"] == found[1]["criteria"] == found[2]["criteria"]
    assert isinstance(found[0]["suite"]["misclassified"], int)
    assert [each["suite"] for each in found[1:]] == [{"inputs": 6, "misclassified": None}] * 2
    assert call("measure", *suites[2], "--reference", "mnist", "--out", folder / "found.json") == 0
    assert (
        "photos, 6 inputs (without labels, so that it is not known which it gets wrong), on mnist-n1"
        in capsys.readouterr().out
    )
    assert read(folder / "found.json").misclassified is None


def test_a_campaign_needs_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(folder / "alone.npz", images=np.zeros((6, 28, 28)))
    assert call("run", "mnist-n1", "--data", folder / "alone.npz", "--out", folder / "c.dnncov") == 2
    assert "expected the arrays images and labels in" in capsys.readouterr().err


def test_registered_names_are_measured_and_listed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DNNCOV_REGISTRY", raising=False)
    (folder / "home").mkdir()
    np.savez(folder / "home" / "a.npz", images=load_data("toy").images)
    (folder / "home" / "registry.toml").write_text("[[data]]\nname = 'ours'\npath = 'a.npz'\n")
    found = measured(capsys, "toy", "--suite", "ours", "--reference", "ours", "--criteria", "ss,nb")
    assert found["suite"]["inputs"] == 6
    for options in (("--suite", "other"), ("--suite", "ours", "--criteria", "nb", "--reference", "other")):
        assert call("measure", "toy", *options) == 2
        assert (
            "cifar10, ours, an .npz, .csv or .parquet file, or a folder or ZIP of images; got 'other'"
            in capsys.readouterr().err
        )


def test_the_test_pairs_of_a_campaign(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "c.dnncov"
    assert call("run", "toy", "--data", "toy", "--out", path, "--json") == 0
    capsys.readouterr()
    with CampaignStore(path) as store:
        covered = {pair.target.ordinal for pair in store.pairs.page()}
    found = measured(capsys, "toy", "--suite", path)
    assert found["criteria"]["ss"]["covered"] >= len(covered) > 0
    exported = folder / "pairs.npz"
    assert call("pairs", path, "--out", exported) == 0
    capsys.readouterr()
    again = measured(capsys, "toy", "--suite", exported)
    assert (again["suite"], again["criteria"]) == (found["suite"], found["criteria"])
    assert described(exported) == f"pairs.npz, an .npz file of {len(covered)} test pairs"
    assert call("run", "toy", "--data", exported, "--pairs", "2", "--out", folder / "on.dnncov") == 0


def test_free_features(capsys: pytest.CaptureFixture[str]) -> None:
    found = measured(capsys, "toy", "--suite", "toy", "--criteria", "ss", "--feature-mode", "free", "--omega", "1")
    assert found["criteria"]["ss"]["total"] == 5


def test_out_says_what_was_measured(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = folder / "far" / "suite.npz"
    suite.parent.mkdir()
    data = load_data("toy")
    np.savez(suite, images=data.images, labels=data.labels)
    path = folder / "found.json"
    printed = measured(capsys, "toy", "--suite", suite, "--criteria", "ss,nb,s", "--reference", suite, "--out", path)
    assert str(folder) not in path.read_text()
    assert [file.name for file in folder.glob("*found*")] == ["found.json"]
    stored = json.loads(path.read_text())
    assert stored["criteria"] == printed["criteria"]
    found = read(path)
    assert (found.spec.network, found.spec.suite, found.spec.reference) == ("toy", "suite.npz", "suite.npz")
    assert found.fingerprints["network"] == load_network("toy")[0].fingerprint
    assert found.fingerprints["suite"] == found.fingerprints["reference"] == load_data(str(suite)).fingerprint
    assert found.versions["numpy"] == np.__version__
    assert (found.spec.feature_mode, found.spec.omega, found.spec.criteria) == ("neuron", 0.001, "ss,nb,s")
    assert found.parameters == {"ss": "", "nb": "", "s": ""}
    ss = found.criterion("ss")
    assert ss is not None
    assert ss.joined == sum(row.joined or 0 for row in ss.rows) > 0


def test_out_names_all_value_functions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measured(capsys, "toy", "--suite", "toy", "--out", folder / "found.json")
    asked = json.loads((folder / "found.json").read_text())["asked"]
    assert asked["criteria"] == DEFAULT == ",".join(asked["parameters"])
    expected = {
        "ss": "",
        "vs": "g: any",
        "sv": "g: ratio (sigma = 2)",
        "vv": "g1: any, g2: ratio (sigma = 5)",
        "n": "",
        "tn": "m = 1",
        "s": "",
    }
    assert asked["parameters"] | expected == asked["parameters"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--suite", "nowhere.npz"), "nowhere.npz"),
        (("--suite", "nowhere.dnncov"), "nowhere.dnncov"),
        (("--suite", "mnist"), "images of shape (2,)"),
        (("--suite", "toy", "--criteria", "nb"), "reference data for nb; got none"),
        (("--suite", "toy", "--effect", "caused"), "an effect, one of none, needed, sufficient, both; got 'caused'"),
        (("--suite", "toy", "--layers", "2"), "modules that such layers stand in; got '2'; choose some of those"),
        (("--suite", "toy", "--condition-layers", "fc"), "modules that such layers stand in; got 'fc'; choose some of"),
        (
            ("--suite", "toy", "--condition-layers", "3", "--layers", "3"),
            "layers that follow each other; got none from 3 to 3; choose other layers",
        ),
        (("--suite", "toy", "--effect", "auto"), "an effect, one of none, needed, sufficient, both; got 'auto'"),
        (("--suite", "toy", "--device", "gpu"), "a device, one of auto, cpu, cuda, mps; got 'gpu'"),
        ((), "--suite"),
    ],
)
def test_bad_input_is_one_line(options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("measure", "toy", *options) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("dnncov")]
    assert len(errors) == 1
    assert message in errors[0]
