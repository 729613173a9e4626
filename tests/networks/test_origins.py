"""Records say which files network and data come from, and what the file beside the network's told."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.networks.loader import load_network
from tests.brought.test_told import scores
from tests.command import call

TOLD = 'classes = ["COC", "WL", "WR"]\ndecision = "min"\nbounds = [-1, 1]\n'


@pytest.fixture
def digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Those of a network's file, with another one beside it, and of a file of data, both in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("scores.onnx").write_bytes(scores())
    Path("scores.onnx.toml").write_text(TOLD, encoding="utf-8")
    x = np.random.default_rng(0).uniform(-1, 1, (30, 2)).astype(np.float32)
    np.savez("points.npz", images=x, labels=load_network("scores.onnx")[0](torch.from_numpy(x)).argmin(1))
    first, second = (hashlib.sha256(Path(each).read_bytes()).hexdigest() for each in ("scores.onnx", "points.npz"))
    return first, second


@pytest.fixture
def origins(digests: tuple[str, str]) -> dict[str, str]:
    told = "classes COC, WL, WR; the smallest output decides; bounds -1 to 1"
    return {
        "network": f"scores.onnx (SHA-256 of the file {digests[0]}); told by scores.onnx.toml: {told}",
        "data": f"points.npz (SHA-256 of the file {digests[1]})",
    }


def test_a_campaign_says_it(origins: dict[str, str]) -> None:
    asked = ("--pairs", "2", "--passes", "20", "--out", "one.dnncov")
    assert call("run", "scores.onnx", "--data", "points.npz", *asked) == 0
    with CampaignStore(Path("one.dnncov")) as store:
        assert store.prepared.origins() == origins
    assert call("evidence", "one.dnncov", "--out", "pack.zip") == 0  # the network's file lies in the working folder
    assert call("evidence", "one.dnncov", "--out", "other.zip", "--network", "scores.onnx") == 0
    Path("scores.onnx").unlink()
    assert call("evidence", "one.dnncov", "--out", "third.zip") == 2


def test_a_measurement_says_it_and_a_registered_name_says_more(
    origins: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = tmp_path / "names.toml"
    network = '[[network]]\nname = "ours"\nfile = "scores.onnx"\ndata = "ours"\ndescription = "Of the second course."\n'
    registry.write_text(network + '[[data]]\nname = "ours"\npath = "points.npz"\n', encoding="utf-8")
    monkeypatch.setenv("DNNCOV_REGISTRY", str(registry))
    for name, suite, before in (("scores.onnx", "points.npz", ""), ("ours", "ours", "Of the second course; ")):
        assert call("measure", name, "--suite", suite, "--criteria", "n", "--out", "one.json") == 0
        found = json.loads(Path("one.json").read_text(encoding="utf-8"))
        assert found["network"]["source"] == before + origins["network"]
        assert found["suite"]["source"] == origins["data"]
