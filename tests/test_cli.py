"""The command ``dnncov``: every command, its JSON, its exit statuses, and one line for every bad input."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dnncov_core import cli
from dnncov_core.campaign.spec import DEVICES, CampaignSpec
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.data import EMBEDDED_DATA, load_data
from dnncov_core.distances import NORMS
from dnncov_core.features import FEATURE_MODES
from dnncov_core.generators import GENERATORS
from dnncov_core.networks.zoo import embedded_names
from tests import builders, runs

NUMBER = (int, float)
SUMMARY = {
    "state": str,
    "message": str,
    "criterion": str,
    "network": str,
    "pairs": int,
    "covered": int,
    "coverage": NUMBER,
    "adversarial": int,
    "adversarial_rate": NUMBER,
    "holds_8bit": (int, type(None)),
    "outcomes": dict,
    "layers": list,
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
    "pairs": int,
    "covered": int,
    "adversarial": int,
    "holds_8bit": (int, type(None)),
    "mean_distance": (float, type(None)),
    "std_distance": (float, type(None)),
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


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and a user's folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "home"))
    return tmp_path


def call(*arguments: str | Path) -> int:
    """The exit status, whether argparse or the command gives it."""
    try:
        return cli.main([str(argument) for argument in arguments])
    except SystemExit as error:
        return int(error.code or 0)


def has_types(values: dict[str, Any], types: dict[str, Any]) -> bool:
    return list(values) == list(types) and all(isinstance(values[name], kind) for name, kind in types.items())


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SS on the network toy, every pair: read only."""
    return runs.finished(tmp_path_factory.mktemp("cli") / "toy.dnncov", runs.toy_spec())


class TestNetworks:
    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("networks", "--json") == 0
        listed = json.loads(capsys.readouterr().out)
        assert [entry["name"] for entry in listed] == list(embedded_names())
        assert all(has_types(entry, NETWORK) for entry in listed)
        n8 = next(entry for entry in listed if entry["name"] == "mnist-n8")
        assert [layer["neurons"] for layer in n8["layers"]] == [784, 78, 62, 73, 47, 10]
        assert [layer["index"] for layer in n8["layers"]] == [1, 2, 3, 4, 5, 6]
        assert list(n8["layers"][0]) == ["index", "name", "kind", "neurons"]
        assert n8["input_shape"] == [1, 28, 28]
        assert n8["accuracy"] >= 0.97

    def test_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("networks") == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines[1:]] == list(embedded_names())
        assert "784-78-62-73-47-10" in lines[1 + embedded_names().index("mnist-n8")]

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
        assert "SS on toy: 12 of 15 test conditions have a replayable witness (80.0 %)" in out
        assert "adversarial test pairs: 66.7 % (8 of 12)" in out
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
                pair.adversarial is (pair.label1 != pair.label2 and pair.distance <= 0.2) for pair in store.test_pairs()
            )

    def test_every_parameter_reaches_the_campaign(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        options = {
            "--criterion": "vv", "--generator": "lp", "--data": "toy", "--value-function": "norm", "--d": "0.5",
            "--p": "1", "--condition-value-function": "absolute=0.25", "--feature-mode": "fixed", "--omega": "0.5",
            "--pairs": "2", "--layers": "3", "--seeds": "4", "--max-seeds": "3", "--margin": "0.001", "--norm": "2",
            "--bound": "3", "--device": "cpu", "--random-seed": "7", "--out": "sub/folder/c.dnncov",
        }  # fmt: skip
        words = [word for option in options.items() for word in option]
        assert call("run", "toy", *words, "--json") == 0
        with CampaignStore(folder / "sub" / "folder" / "c.dnncov") as store:
            assert store.spec() == CampaignSpec(
                "toy", "toy", "vv", "lp", "norm", None, 0.5, "1", None, "absolute=0.25", "fixed", 0.5, 2, (3,), 4, 3,
                0.001, "2", 3.0, "cpu", 7,
            )  # fmt: skip

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
        assert call("show", path, "--json") == 0
        shown = json.loads(capsys.readouterr().out)
        assert (shown["state"], shown["pairs"], shown["coverage"], shown["seeds"]) == ("cancelled", 0, None, None)
        assert call("resume", path, "--json") == 0
        assert has_types(json.loads(capsys.readouterr().out), SUMMARY)
        assert call("show", path, "--json") == 0
        assert json.loads(capsys.readouterr().out)["state"] == "finished"
        assert call("show", path) == 0
        assert "of 3 test conditions have a replayable witness" in capsys.readouterr().out

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


class TestPairs:
    def test_every_pair_with_its_verdict(
        self, campaign: Path, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert call("pairs", campaign, "--out", "p.npz") == 0
        assert "12 test pairs in p.npz" in capsys.readouterr().out
        with np.load(folder / "p.npz", allow_pickle=False) as file:
            arrays = dict(file)
        with CampaignStore(campaign) as store:
            pairs = store.test_pairs()
        assert list(arrays) == [
            "x1", "x2", "label1", "label2", "distance", "adversarial", "condition_layer", "decision_layer",
            "condition_neurons", "decision_neurons",
        ]  # fmt: skip
        np.testing.assert_array_equal(arrays["x2"], np.stack([pair.x2 for pair in pairs]))
        for name in ("label1", "label2", "distance", "adversarial", "seed"):
            if name in arrays:
                assert arrays[name].tolist() == [getattr(pair, name) for pair in pairs]
        for name in ("condition_layer", "decision_layer"):
            assert arrays[name].tolist() == [getattr(pair.target, name) for pair in pairs]
        for name in ("condition_neurons", "decision_neurons"):
            assert arrays[name].tolist() == [" ".join(map(str, getattr(pair.target, name))) for pair in pairs]
        assert len({len(array) for array in arrays.values()}) == 1

    def test_none(self, folder: Path) -> None:
        builders.campaign(folder / "c.dnncov", found=0).close()
        assert call("pairs", "c.dnncov", "--out", "p.npz") == 0
        with np.load("p.npz") as file:
            assert file["x1"].shape == (0, 1, 28, 28)


class TestHelp:
    @pytest.mark.parametrize("command", ["networks", "run", "resume", "cancel", "show", "verify", "pairs"])
    def test_every_command_is_listed_and_has_its_own(self, command: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("--help") == 0
        assert f"  {command} " in capsys.readouterr().out
        assert call(command, "--help") == 0
        assert "usage: dnncov" in capsys.readouterr().out

    def test_run_lists_every_choice(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("run", "--help") == 0
        words = set(capsys.readouterr().out.replace(",", " ").split())
        assert words >= {*CRITERIA, *GENERATORS, *VALUE_FUNCTIONS, *NORMS, *FEATURE_MODES, *DEVICES}

    def test_version(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("--version") == 0
        assert capsys.readouterr().out.startswith("dnncov ")


FACTORY = """
import torch
from torch import nn
from dnncov_core import Network

def make():
    {before}torch.manual_seed(3)
    shape = {shape}
    if len(shape) == 1:
        module = nn.Sequential(nn.Linear(shape[0], 4), nn.ReLU(), nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
    else:
        c, h, w = shape
        module = nn.Sequential(
            nn.Conv2d(c, 2, 3, stride=4), {activation}, nn.MaxPool2d(2), nn.Flatten(),
            nn.LazyLinear(4), nn.ReLU(), nn.Linear(4, 2),
        )
        module(torch.zeros(1, *shape))
    return Network(module, shape)
"""


def write_factory(
    folder: Path, shape: tuple[int, ...] = (1, 17, 29), *, before: str = "", activation: str = "nn.ReLU()"
) -> None:
    sys.modules.pop("made", None)
    text = FACTORY.format(before=before, shape=shape, activation=activation)
    (folder / "made.py").write_text(text)


def make_data(folder: Path, network: str, shape: tuple[int, ...], n: int = 12) -> Path:
    """Random images, labelled by the network itself, so that its accuracy is 100 %."""
    import torch

    from dnncov_core.networks.loading import load_network
    from dnncov_core.oracle import labels

    images = np.random.default_rng(0).random((n, *shape)).astype(np.float32)
    given = labels(load_network(network)[0], torch.from_numpy(images)).numpy()
    np.savez(folder / "made.npz", images=images, labels=given)
    return folder / "made.npz"


class TestOtherShapes:
    """Images that are not square, from end to end."""

    @pytest.mark.parametrize("shape", [(1, 17, 29), (3, 40, 24)])
    @pytest.mark.parametrize("kind", ["factory", "pt2"])
    def test_from_end_to_end(
        self, folder: Path, shape: tuple[int, ...], kind: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from dnncov_core.networks.loading import load_network, save_network
        from dnncov_core.statistics import coverage_table, distance_curve, distance_table

        write_factory(folder, shape)
        network = "made:make"
        if kind == "pt2":
            save_network(load_network(network)[0], folder / "made.pt2")
            network = str(folder / "made.pt2")
        data = make_data(folder, network, shape)
        out = folder / "c.dnncov"
        run = ("run", network, "--data", data, "--pairs", "6", "--layers", "4", "--max-seeds", "6", "--out", out)
        assert call(*run, "--json") == 0
        summary = json.loads(capsys.readouterr().out)
        assert summary["outcomes"]["pending"] == summary["outcomes"]["error"] == 0
        assert summary["covered"] > 0
        assert summary["seeds"] == 12
        assert call("verify", out, "--network", network) == 0
        assert call("pairs", out, "--out", "p.npz") == 0
        with np.load("p.npz") as file:
            assert file["x2"].shape == (summary["covered"], *shape)
            assert 0 <= file["x2"].min() <= file["x2"].max() <= 1
        with CampaignStore(out) as store:
            assert coverage_table(store).total.covered.n == summary["covered"]
            assert distance_curve(store, "c").pairs == summary["covered"]
            assert distance_table(store).rows[0].pairs.n == summary["covered"]
            assert all(pair.x2.shape == shape for pair in store.test_pairs())
        assert paths_in(out, folder) == []

    def test_a_file_is_named_without_its_folder(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_factory(folder, (2,))
        data = make_data(folder, "made:make", (2,))
        assert call("run", "made:make", "--data", data, "--pairs", "1", "--out", "c.dnncov", "--json") == 0
        assert json.loads(capsys.readouterr().out)["spec"]["data"] == "made.npz"
        assert call("resume", "c.dnncov") == 0
        os.rename("made.npz", "moved.npz")
        assert call("resume", "c.dnncov") == 2
        assert call("resume", "c.dnncov", "--data", "moved.npz") == 0


def paths_in(path: Path, folder: Path) -> list[str]:
    """Columns of a campaign file that hold a folder of this machine."""
    connection = sqlite3.connect(path)
    found = []
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for _, column, *_rest in connection.execute(f"PRAGMA table_info({table})").fetchall():
            query = f"SELECT count(*) FROM {table} WHERE instr(CAST({column} AS TEXT), ?)"
            if any(
                connection.execute(query, (str(place),)).fetchone()[0] for place in (folder, runs.ROOT, Path.home())
            ):
                found.append(f"{table}.{column}")
    connection.close()
    assert str(folder).encode() not in path.read_bytes()
    return found


# Bad input: one line with what was expected, what came and what to do; exit status 2; nothing left behind


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """The one line that a bad input gives, with the progress bar's own line left out."""
    capsys.readouterr()
    assert call(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    lines = [line for line in captured.err.replace("\r", "\n").splitlines() if line.strip() and "pairs/s" not in line]
    assert len(lines) == 1, captured.err
    assert lines[0].startswith("dnncov")
    return lines[0]


def is_whole(message: str) -> bool:
    """Whether a message says what was expected, what came, and what to do."""
    before, expected, rest = message.partition("expected ")
    _, got, fix = rest.partition("; got ")
    return bool(before and expected and got and "; " in fix)


UNKNOWN = [
    (("--network", "mnist-n99"), [*embedded_names(), ".pt2", "package.module:factory"]),
    (("--data", "imagenet"), [*EMBEDDED_DATA, ".npz"]),
    (("--criterion", "mcdc"), [*CRITERIA]),
    (("--generator", "magic"), [*GENERATORS]),
    (("--criterion", "sv", "--value-function", "huge"), [*VALUE_FUNCTIONS]),
    (("--criterion", "vv", "--condition-value-function", "huge"), [*VALUE_FUNCTIONS]),
    (("--norm", "3"), [*NORMS]),
    (("--device", "tpu"), [*DEVICES]),
    (("--feature-mode", "cloud"), [*FEATURE_MODES]),
]


@pytest.mark.parametrize(("options", "listed"), UNKNOWN, ids=lambda value: value[-1])
def test_an_unknown_name_lists_what_exists(
    options: tuple[str, ...], listed: list[str], capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    network = "toy"
    if options[0] == "--network":
        network, options = options[1], ()
    message = refused(capsys, "run", network, *options)
    assert is_whole(message)
    assert all(name in message for name in listed)
    assert list(folder.iterdir()) == []


NUMBERS = [
    (("--pairs", "0"), "pairs: a whole number from 1"),
    (("--pairs", "many"), "argument --pairs: expected all or a whole number; got 'many'"),
    (("--pairs", "1.5"), "argument --pairs: expected all or a whole number"),
    (("--layers", "99"), "decision layers among 3, 4; got layer 99"),
    (("--layers", "x"), "argument --layers: expected layer numbers separated by commas, such as 3,4; got 'x'"),
    (("--layers", ""), "argument --layers"),
    (("--criterion", "sv", "--sigma", "-1"), "sigma above 0"),
    (("--criterion", "sv", "--sigma", "inf"), "sigma: a finite number"),
    (("--criterion", "sv", "--sigma", "nan"), "sigma above 0"),
    (("--criterion", "sv", "--sigma", "two"), "argument --sigma: expected a number; got 'two'"),
    (("--sigma", "2"), "no value function for SS"),
    (("--criterion", "vv", "--value-function", "absolute", "--d", "nan"), "d: a finite number"),
    (("--criterion", "vv", "--condition-value-function", "absolute=inf"), "absolute=NUMBER"),
    (("--omega", "2"), "omega: a share above 0 and up to 1; got 2.0"),
    (("--seeds", "0"), "seeds: a whole number from 1"),
    (("--seeds", "x"), "argument --seeds: expected a whole number; got 'x'"),
    (("--max-seeds", "0"), "max_seeds: a whole number from 1"),
    (("--margin", "0"), "margin: a number above 0 and below 1"),
    (("--bound", "-1"), "bound: a distance above 0"),
    (("--bound", "inf"), "bound: a distance above 0"),
    (("--random-seed", "-1"), "random_seed: a whole number from 0"),
    (("--criterion", "sv", "--value-function", "ssim"), "linear in u[x2]; got ssim"),
]


@pytest.mark.parametrize(
    ("options", "expected"), NUMBERS, ids=lambda value: " ".join(value) if value is not str else ""
)
def test_a_wrong_number_is_refused(
    options: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    message = refused(capsys, "run", "toy", *options)
    assert expected in message
    assert is_whole(message)
    assert list(folder.iterdir()) == []


def test_arguments_that_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert "COMMAND" in refused(capsys)
    assert "invalid choice: 'fly'" in refused(capsys, "fly")
    assert "unrecognized arguments: --fast" in refused(capsys, "run", "toy", "--fast")
    assert "NETWORK" in refused(capsys, "run")
    assert "--out" in refused(capsys, "pairs", "c.dnncov")


Images = np.ndarray[Any, Any]
TOY_LABELS = [1, 1, 0, 1, 1, 0]


def _toy_images(change: Callable[[Images], None] = lambda images: None) -> Images:
    images = np.array(load_data("toy").images)
    change(images)
    return images


def _put(value: float) -> Images:
    return _toy_images(lambda images: images.__setitem__((1, 0), value))


BAD_DATA = [
    (_toy_images(), [1, 1, 0, 1, 1, 7], "labels from 0 to 1; got 1 labels above, up to 7"),
    (_toy_images(), [1, 1, 0, 1, 1, -1], "labels from 0"),
    (_toy_images(), [1, 1, 0], "6 labels, one for each image"),
    (_toy_images(), [1.0, 1, 0, 1, 1, 0], "integer labels"),
    (_put(11.0), TOY_LABELS, "images from -10.0 to 10.0; got -1.0 to 11.0"),
    (_put(float("nan")), TOY_LABELS, "got 1 NaN and 0 infinite values"),
    (_put(float("inf")), TOY_LABELS, "got 0 NaN and 1 infinite values"),
    (_toy_images()[:, :1], TOY_LABELS, "images of shape (2,)"),
    (_toy_images()[:0], [], "at least one image"),
    (
        _toy_images(),
        [0, 0, 1, 1, 1, 0],
        "clean accuracy clearly above chance (55.0% with 2 classes); got 50.0% (3 of 6)",
    ),
    (_toy_images(), [0, 0, 1, 0, 0, 1], "a correctly classified input to serve as seed; got none of 6"),
]


@pytest.mark.parametrize(("images", "labels", "expected"), BAD_DATA, ids=[text for *_, text in BAD_DATA])
def test_bad_data_are_refused(
    images: Images, labels: list[float], expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(folder / "d.npz", images=images, labels=np.array(labels) if labels else np.zeros(0, int))
    message = refused(capsys, "run", "toy", "--data", folder / "d.npz")
    assert expected in message
    assert is_whole(message)
    assert [path.name for path in folder.iterdir()] == ["d.npz"]


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 cut off", b"text" * 100], ids=str)
def test_unreadable_data_are_refused(content: bytes | None, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if content is not None:
        (folder / "d.npz").write_bytes(content)
    assert is_whole(refused(capsys, "run", "toy", "--data", "d.npz"))
    assert not list(folder.glob("*.dnncov*"))


BAD_FACTORIES = [
    ("no_such_module:make", "", "no module no_such_module"),
    ("made:absent", "def make(): ...", "a function absent in made"),
    ("made:make", "def make(): return 3", "got int; return a Network"),
    ("made:make", "def make(): raise RuntimeError('no weights')", "RuntimeError: no weights"),
    ("made:make", "def make(:", "the module made to be importable"),
    (
        "made:make",
        "import torch\nfrom dnncov_core import Network\nclass Odd(torch.nn.Module):\n    def forward(self, x):"
        "\n        return torch.fft.fft(x).real\ndef make(): return Network(Odd(), (2,))",
        "fft",
    ),
    (
        "made:make",
        "import torch\nfrom dnncov_core import Network\ndef make(): return Network(torch.nn.Linear(3, 2), (2,))",
        "torch.export takes on a batch of shape (batch, 2)",
    ),
    (
        "made:make",
        "import torch\nfrom dnncov_core import Network\ndef make(): return Network(torch.nn.Sequential("
        "torch.nn.Linear(2, 2), torch.nn.Sigmoid(), torch.nn.Linear(2, 2)), (2,), (-10, 10))",
        "piecewise-linear activations (relu, leaky_relu, relu6) for linear programming; got sigmoid",
    ),
    (
        "made:make",
        "import torch\nfrom dnncov_core import Network\ndef make(): return Network(torch.nn.Sequential("
        "torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 2)), (2,), classes=['a', 'b', 'c'])",
        "2 class names",
    ),
]


@pytest.mark.parametrize(("network", "text", "expected"), BAD_FACTORIES, ids=[text for *_, text in BAD_FACTORIES])
def test_bad_factories_are_refused(
    network: str, text: str, expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sys.modules.pop("made", None)
    (folder / "made.py").write_text(text)
    message = refused(capsys, "run", network, "--data", "toy")
    assert expected in message
    assert is_whole(message)
    assert not list(folder.glob("*.dnncov*"))


@pytest.mark.parametrize("labels", [[0] * 6, TOY_LABELS])
@pytest.mark.parametrize("number", ["nan", "inf"])
def test_weights_that_are_no_numbers_are_never_coverage(
    labels: list[int], number: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_factory(folder, (2,))
    text = (folder / "made.py").read_text()
    (folder / "made.py").write_text(
        text.replace("    return N", f"    module[0].weight.data[:] = float('{number}')\n    return N")
    )
    images = np.random.default_rng(0).random((6, 2))
    np.savez(folder / "d.npz", images=images, labels=labels)
    assert "expected finite logits; got NaN or infinite ones for 6 of 6 inputs" in refused(
        capsys, "run", "made:make", "--data", "d.npz"
    )
    assert not list(folder.glob("*.dnncov*"))


class TestFiles:
    def test_an_existing_out_is_kept(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "c.dnncov").write_text("mine")
        assert "got c.dnncov, which exists" in refused(capsys, "run", "toy", "--out", "c.dnncov")
        assert (folder / "c.dnncov").read_text() == "mine"

    @pytest.mark.parametrize("out", ["file/c.dnncov", "n" * 300 + ".dnncov", "/proc/no/c.dnncov"])
    def test_an_out_that_cannot_be_written(self, out: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "file").write_text("")
        assert "a folder that can be written" in refused(capsys, "run", "toy", "--out", out)

    def test_pairs_that_cannot_be_written(
        self, campaign: Path, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for out in (folder, folder / "no" / "p.npz", "n" * 300):
            message = refused(capsys, "pairs", campaign, "--out", out)
            assert "a file that can be written" in message

    @pytest.mark.parametrize("command", ["resume", "cancel", "show", "verify", "pairs"])
    def test_campaign_files_that_are_none(self, command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "text.dnncov").write_text("no database, but long enough to be read as one" * 30)
        (folder / "empty.dnncov").write_bytes(b"")
        (folder / "folder.dnncov").mkdir()
        sqlite3.connect(folder / "other.dnncov").executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1);")
        more = ("--out", "p.npz") if command == "pairs" else ()
        for name, expected in {
            "missing.dnncov": "no file missing.dnncov",
            "n" * 300: "no file",
            "text.dnncov": "damaged",
            "empty.dnncov": "another database in empty.dnncov",
            "folder.dnncov": "no file folder.dnncov",
            "other.dnncov": "another database in other.dnncov",
        }.items():
            message = refused(capsys, command, name, *more)
            assert expected in message
            assert is_whole(message)
        assert not (folder / "p.npz").exists()

    @pytest.mark.parametrize(
        "damage",
        [
            "UPDATE campaign SET spec = '{'",
            "UPDATE campaign SET spec = '[]'",
            "UPDATE campaign SET spec = '{}'",
            "UPDATE campaign SET spec = replace(spec, '\"ss\"', '\"xx\"')",
            "UPDATE campaign SET card = '{\"name\": 1}'",
            "UPDATE campaign SET card = 'x'",
            "UPDATE campaign SET seeds = x'00'",
            "UPDATE worker SET state = 'flying'",
            "UPDATE test_pair SET x1 = x'0011'",
            "UPDATE target SET outcome = 'flying'",
            "UPDATE target SET condition_neurons = 'a b', outcome = 'pending'",
            "DELETE FROM campaign",
            "DELETE FROM worker",
            "DROP TABLE target",
            "DROP TABLE test_pair",
        ],
    )
    def test_a_damaged_campaign_gives_one_line_and_stays(
        self, damage: str, campaign: Path, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = folder / "c.dnncov"
        path.write_bytes(campaign.read_bytes())
        connection = sqlite3.connect(path)
        connection.execute(damage)
        connection.commit()
        connection.close()
        statuses = []
        for command in (["show"], ["resume"], ["verify"], ["pairs", "--out", "p.npz"], ["cancel"]):
            statuses.append(call(command[0], path, *command[1:]))
            captured = capsys.readouterr()
            assert "Traceback" not in captured.err
            lines = [line for line in captured.err.replace("\r", "\n").splitlines() if line.startswith("dnncov")]
            assert len(lines) == (statuses[-1] == 2)
            assert all(is_whole(line) for line in lines)
        assert set(statuses) <= {0, 2}
        assert 2 in statuses
        assert path.is_file()
