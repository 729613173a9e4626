"""The checker of packs: its value functions, labels and intervals are those of the product."""

from __future__ import annotations

import io
import json
import math
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.criteria import NEURON_CRITERIA, VALUE_FUNCTIONS
from dnncov_core.criteria.reference_functions import MeasuredBoundary
from dnncov_core.evidence import pack
from dnncov_core.evidence import verify as checker
from dnncov_core.evidence.definitions import criterion, value_function
from dnncov_core.layer_values import LayerValues
from dnncov_core.ratios import Ratio
from tests import runs
from tests.command import call, make_data, write_factory
from tests.evidence.sources import source_of
from tests.hostile.packs import named_in, read_pack

FUNCTIONS = [kind() for name, kind in VALUE_FUNCTIONS.items() if name != "ssim"]
FUNCTIONS += [VALUE_FUNCTIONS["norm"](d=0.8, p=p, at_most=most) for p in ("1", "2", "inf") for most in (False, True)]
FUNCTIONS += [VALUE_FUNCTIONS["top"](of="x2"), VALUE_FUNCTIONS["ratio"](sigma=0.3)]
FUNCTIONS += [MeasuredBoundary("data", {(3, i): 0.1 * i for i in range(6)})]
SETS = ((0,), (3,), (5,), (1, 2), (0, 4, 5))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda g: g.describe())
def test_a_value_function_holds_where_that_of_the_product_does(function):
    rng = np.random.default_rng(1)
    u1, u2 = rng.normal(size=(2, 40, 6))
    u = {(3, row): each for row, each in enumerate(np.concatenate([u1, u2]))}
    layer = source_of(u, 1e-9).layer(3, np.arange(40), np.arange(40, 80))
    chosen = [np.tile(np.isin(np.arange(6), neurons), (40, 1)) for neurons in SETS]
    found = np.stack([checker.value_change(value_function(function), layer, its) for its in chosen], axis=1).ravel()
    before, after = (LayerValues(u, u.relu(), (6,)) for u in (torch.from_numpy(u1), torch.from_numpy(u2)))
    expected = np.stack([function.at(3, [s] * 40)(before, after, s).numpy() for s in SETS], axis=1).ravel()
    sure = found != checker.NEAR
    assert sure.mean() > 0.9
    assert ((found == checker.YES) == expected)[sure].all()


@pytest.mark.parametrize("n", [0, 1, 7, 57, 64])
def test_the_ends_of_an_interval_are_those_of_clopper_and_pearson(n):
    low, high = Ratio(n, 64).interval()
    assert checker.is_end(n, 64, low)
    assert checker.is_end(64 - n, 64, 1 - high)
    assert not checker.is_end(n, 64, low + 1e-3)
    assert not checker.is_end(64 - n, 64, 1 - high + 1e-3)
    assert not checker.is_end(n, 64, 1.0)


@pytest.mark.parametrize(("rule", "expected"), [("max", [1, 0]), ("min", [0, 1])])
def test_labels_are_those_of_the_rule_and_ties_are_near(rule, expected):
    scores = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])

    source = source_of({(3, row): each for row, each in enumerate(scores)})
    source.told, source.campaign = {"decision": {"rule": rule, "threshold": 0.0, "tolerance": None}}, False
    source.x, source.x1, source.x2 = scores, np.array([0, 1, 2]), np.array([1, 0, 0])
    source.pairs = {"label1": np.array([*expected, 9]), "label2": np.array([expected[1], expected[0], 9])}
    ((name, found),) = source.pair_answers()
    assert (name, found.tolist()) == ("labels", [checker.YES, checker.YES, checker.NEAR])


def test_a_criterion_of_single_neurons_has_no_condition_feature_in_a_layer_of_fewer_neurons_than_others_have():
    source = source_of({(2, 0): np.array([1.0, -1.0]), (3, 0): np.array([2.0, -2.0])})
    source.told, source.sets = {"criteria": [criterion("n", NEURON_CRITERIA["n"](), free=False)]}, [[0], [1], [783]]
    source.neurons, source.x1, source.x2 = [0, 784, 2, 2], np.array([0]), np.array([0])
    source.found = source.paired = np.ones(2, bool)
    columns = {"condition_layer": 0, "condition_feature": -1, "decision_layer": 2, "criterion": 0, "pair": 0}
    source.table = {name: np.full(2, value) for name, value in columns.items()} | {"decision_feature": np.arange(2)}
    assert source.covered().tolist() == [checker.YES, checker.NO]


def test_criteria_that_are_not_computed_again_say_why():
    assert "sign patterns" in criterion("s", None, free=False)["not_computed"]
    assert math.isinf(checker.TOLERANCE["none"][1])


@pytest.fixture
def without_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "PARTS", pack.PARTS[:2])


def rows_of(path: Path) -> list[checker.Row]:
    return list(checker.verify(read_pack(path)))


@pytest.mark.usefixtures("without_report")
def test_a_measurement_is_measured_again_and_holds(tmp_path, capsys):
    measured, out = tmp_path / "toy.json", tmp_path / "pack.zip"
    criteria = "ss,vs,sv:ratio=1.1,vv:absolute=0.01,n,tn,nb,mn:3,s"
    asked = ("--suite", "toy", "--reference", "toy", "--criteria", criteria, "--out", measured)
    assert call("measure", "toy", *asked) == 0
    assert call("evidence", measured, "--out", out) == 0
    rows = {row.claim: row for row in rows_of(out)}
    document = json.loads(read_pack(out)["claims.json"])
    claims = {claim["id"]: claim for claim in document["sources"][0]["claims"]}
    for text in ("ss", "vs", "sv:ratio=1.1", "vv:absolute=0.01", "n", "tn"):
        row = rows[f"toy: covered/{text}"]
        assert row.holds
        assert row.agree + row.near == claims[f"covered/{text}"]["number"]
    for text in ("nb", "mn:3", "s"):
        assert rows[f"toy: covered/{text}: not computed again"].agree == 0
        assert claims[f"covered/{text}"]["not_computed"]


@pytest.mark.usefixtures("without_report")
def test_four_criteria_of_one_network_are_one_pack_with_one_model(tmp_path):
    paths = [runs.finished(tmp_path / f"{name}.dnncov", runs.toy_spec(name)) for name in ("ss", "vs", "sv", "vv")]
    out = tmp_path / "pack.zip"
    assert call("evidence", *paths, "--out", out) == 0
    rows = rows_of(out)
    assert named_in(rows) == []
    assert {f"{name}: covered" for name in ("ss", "vs", "sv", "vv")} <= {row.claim for row in rows}
    with zipfile.ZipFile(out) as archive:
        assert [name for name in archive.namelist() if name.endswith(".onnx")] == ["model.onnx"]
        assert "ss/pairs.npz" in archive.namelist()


@pytest.mark.usefixtures("without_report")
def test_without_a_model_rows_are_still_counted_and_nothing_counts_as_agreed(tmp_path, monkeypatch, capsys):
    def refused(network: object) -> bytes:
        raise pack.NetworkError("operators that ONNX can hold", "grid_sampler", "read the pack without model.onnx")

    monkeypatch.setattr(pack, "onnx_model", refused)
    out = tmp_path / "pack.zip"
    assert call("evidence", runs.finished(tmp_path / "toy.dnncov", runs.toy_spec()), "--out", out) == 0
    assert "grid_sampler" in capsys.readouterr().err
    rows = rows_of(out)
    assert named_in(rows) == []
    covered = next(row for row in rows if row.claim == "toy: covered" and " of " in row.stated)
    assert (covered.agree, covered.near > 0) == (0, True)
    assert "model.onnx" not in read_pack(out)
    assert any("grid_sampler" in row.claim for row in rows)


@pytest.mark.usefixtures("without_report")
@pytest.mark.parametrize(("outcome", "state"), [("exhausted", "finished"), ("pending", "cancelled")])
def test_a_campaign_without_test_pairs_has_a_pack_that_says_how_far_it_is(tmp_path, capsys, outcome, state):
    path, out = runs.finished(tmp_path / "toy.dnncov", runs.toy_spec()), tmp_path / "pack.zip"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE target SET outcome = ?", (outcome,))
        connection.execute("UPDATE worker SET state = ?", (state,))
        connection.execute("DELETE FROM test_pair")
    assert call("evidence", path, "--out", out) == 0
    assert ("is not finished" in capsys.readouterr().err) == (state == "cancelled")
    rows = {row.claim: row for row in rows_of(out)}
    assert named_in(list(rows.values())) == []
    assert rows["toy: covered"].stated == "0 of 15"
    assert (rows[f"toy: {outcome}"].computed, rows[f"toy: {outcome}"].agree) == ("15 of 15", 0)
    assert json.loads(read_pack(out)["claims.json"])["sources"][0]["state"].startswith(state)


@pytest.mark.usefixtures("without_report")
def test_a_free_feature_may_be_another_one_when_x2_is_rounded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_factory(tmp_path, (1, 9, 9))
    data = make_data(tmp_path, "made:make", (1, 9, 9))
    path, out = tmp_path / "free.dnncov", tmp_path / "pack.zip"
    asked = ("--feature-mode", "free", "--omega", "1", "--data", data, "--passes", "60", "--max-seeds", "3")
    assert call("run", "made:make", "--criterion", "ss", *asked, "--effect", "none", "--out", path) == 0
    assert call("evidence", path, "--network", "made:make", "--out", out) == 0
    rows = rows_of(out)
    assert named_in(rows) == []
    pairs = dict(np.load(io.BytesIO(read_pack(out)["pairs.npz"])))
    rounded = next(row for row in rows if row.claim == "free: holds_8bit" and " of " in row.stated)
    assert rounded.stated == f"{(pairs['holds_8bit'] == 1).sum()} of {len(pairs['x1'])}"
    assert rounded.agree + rounded.near == len(pairs["x1"]) > 0


def test_bad_input_is_refused_in_one_line(tmp_path, capsys):
    path = runs.finished(tmp_path / "toy.dnncov", runs.toy_spec())
    asked = runs.create(tmp_path / "begun.dnncov", runs.toy_spec())
    key = tmp_path / "key.pem"
    key.write_text("no key")
    for arguments, expected in (
        ((asked,), "has planned nothing"),
        ((path, path), "files of different names"),
        ((path, "--network", "mnist-n1"), "the network of this campaign"),
        ((tmp_path / "none.dnncov",), "no file none.dnncov"),
        ((tmp_path / "none.dnncov", "--sign", key), "openssl genpkey"),  # told before any work
    ):
        assert call("evidence", *arguments, "--out", tmp_path / "new.zip") == 2
        (line,) = [each for each in capsys.readouterr().err.splitlines() if each.startswith("dnncov: expected")]
        assert expected in line
    assert not (tmp_path / "new.zip").exists()
