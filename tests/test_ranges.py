"""Inputs whose features have ranges of their own, through the command from end to end."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core import registry
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.verification import verify, why_not
from dnncov_core.campaign.work.judge import Judge
from dnncov_core.distances import NORMS
from dnncov_core.networks.loader import load_network
from dnncov_core.oracle import Oracle
from dnncov_core.records import NetworkCard
from dnncov_core.statistics.adversarial import baselines_by_layer
from tests.command import call
from tests.networks_for_tests import save_network

FACTORY = """
import torch
from torch import nn
from dnncov_core import Network

LOW, HIGH = (torch.tensor(ends, dtype=torch.float64) for ends in ([0.0, -3.2, 100.0], [6000.0, 3.2, 1200.0]))
WIDTH = HIGH - LOW

class Scaled(nn.Sequential):
    def forward(self, x):
        return super().forward((x - LOW) / WIDTH)

def layers():
    torch.manual_seed(7)
    made = [nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 2)]
    for layer in made[::2]:
        layer.weight.data *= 2
    return made

def own():
    names = ["rho", "theta", "speed"]
    return Network(Scaled(*layers()).double(), (3,), (LOW, HIGH), features=names, units=["m", "rad", "m/s"])

def by_hand():
    return Network(nn.Sequential(*layers()).double(), (3,))
"""
LOW, HIGH = np.array([0.0, -3.2, 100.0]), np.array([6000.0, 3.2, 1200.0])
RUN = ("--effect", "none", "--pairs", "14", "--max-seeds", "5", "--random-seed", "3")


@pytest.fixture
def data(folder: Path) -> Path:
    """Inputs in units of their own, and the same as shares, with the labels that the network gives them."""
    sys.modules.pop("ranged", None)
    (folder / "ranged.py").write_text(FACTORY)
    shares = np.random.default_rng(0).random((40, 3))
    labels = load_network("ranged:by_hand")[0](torch.from_numpy(shares)).argmax(dim=1).numpy()
    np.savez(folder / "shares.npz", images=shares, labels=labels)
    np.savez(folder / "own.npz", images=LOW + (HIGH - LOW) * shares, labels=labels)
    return folder


def ran(capsys: pytest.CaptureFixture[str], network: str, data: str, *options: str) -> dict[str, object]:
    assert call("run", network, "--data", data, *RUN, *options, "--json") == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("generator", ["lp", "targeted"])
def test_a_campaign_is_that_of_shares_written_by_hand(
    data: Path, capsys: pytest.CaptureFixture[str], generator: str
) -> None:
    options = ("--generator", generator)
    own = ran(capsys, "ranged:own", "own.npz", *options, "--out", "own.dnncov")
    shares = ran(capsys, "ranged:by_hand", "shares.npz", *options, "--out", "shares.dnncov")
    assert own["outcomes"] == shares["outcomes"]
    assert own["covered"] == shares["covered"] != 0
    assert own["adversarial"] == shares["adversarial"]
    with CampaignStore(data / "own.dnncov") as store, CampaignStore(data / "shares.dnncov") as by_hand:
        assert verify(store).holding == own["covered"]
        network, method = load_network("ranged:own")[0], store.covering_method()
        moved = replace(pair := store.pairs.page()[0], x2=pair.x2 + np.array([0.0, 7.0, 0.0]))
        replayed = Judge(network, method, Oracle()).replayed(moved.target, moved.x1, moved.x2)
        said = why_not(network, moved, replayed, Oracle().judge(network, moved.x1, moved.x2))
        assert said == "an input leaves the network's bounds of theta, -3.2 to 3.2"
        assert baselines_by_layer(store).total == baselines_by_layer(by_hand).total
        for pair, twin in zip(store.pairs.page(), by_hand.pairs.page(), strict=True):
            assert ((pair.x2 >= LOW) & (pair.x2 <= HIGH)).all()
            apart = np.abs(pair.x2 - pair.x1) / (HIGH - LOW)
            assert pair.distance_inf == apart.max() == pytest.approx(twin.distance_inf, abs=1e-6)
            assert pair.distance_2 == NORMS["2"](apart)
            assert pair.distance_1 == NORMS["1"](apart)
            assert pair.holds_8bit is None


def test_what_the_command_says_of_features(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "rho from 0 to 6,000 m, theta from −3.2 to 3.2 rad, speed from 100 to 1,200 m/s."
    assert call("networks", "ranged:own") == 0
    assert said in capsys.readouterr().out
    assert call("networks", "ranged:own", "--json") == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["bounds"], entry["features"], entry["units"]) == (
        [-3.2, 6000.0],
        ["rho", "theta", "speed"],
        ["m", "rad", "m/s"],
    )
    assert entry["ranges"] == [[0.0, 6000.0], [-3.2, 3.2], [100.0, 1200.0]]
    ran(capsys, "ranged:own", "own.npz", "--pairs", "1", "--out", "c.dnncov")
    assert call("show", "c.dnncov") == 0
    assert said in capsys.readouterr().out
    assert call("export", "c.dnncov", "--out", "report", "--formats", "csv") == 0
    provenance = json.loads((data / "report" / "provenance.json").read_text())
    assert said in json.dumps(provenance, ensure_ascii=False)


def test_grey_levels_are_refused_before_anything_is_written(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "ranged:own", "--data", "own.npz", "--grid", "8bit", "--out", "c.dnncov") == 2
    assert "each feature with its own range; choose grid none" in capsys.readouterr().err


def test_data_outside_a_range_are_refused(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "ranged:own", "--data", "shares.npz", "--out", "c.dnncov") == 2
    error = capsys.readouterr().err
    assert "expected speed from 100 to 1200 m/s; got 0.0" in error
    assert error.count("\n") == 1


def test_a_file_and_the_registry_keep_ranges_names_and_units(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, card = load_network("ranged:own")
    save_network(made, data / "own.pt2")
    (data / "registry.toml").write_text('[[network]]\nname = "ours"\nfile = "own.pt2"\ndata = "toy"\n')
    monkeypatch.setenv("DNNCOV_REGISTRY", str(data / "registry.toml"))
    for network, read in (load_network("own.pt2"), registry.open_network("ours")):
        assert network.box == made.box
        assert _inputs(read) == _inputs(card)
        assert network.fingerprint == made.fingerprint


def _inputs(card: NetworkCard) -> tuple[object, ...]:
    return card.bounds, card.ranges, card.features, card.units, card.fingerprint


def test_a_table_with_the_names_of_features_gives_the_campaign_of_the_arrays(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load("own.npz") as file:
        rows = [
            f"{speed!r},{label},{rho!r},{theta!r}" for (rho, theta, speed), label in zip(*file.values(), strict=True)
        ]
    text = "\n".join(["speed,label,rho,theta", *rows]).replace("np.float64(", "").replace(")", "")
    Path("own.csv").write_text(text)
    found = [
        ran(capsys, "ranged:own", f"own.{kind}", "--pairs", "3", "--out", f"{kind}.dnncov") for kind in ("csv", "npz")
    ]
    assert found[0]["outcomes"] == found[1]["outcomes"]
    assert call("measure", "ranged:own", "--suite", "own.csv", "--criteria", "n", "--json") == 0
    assert json.loads(capsys.readouterr().out)["suite"]["inputs"] == 40
    Path("own.csv").write_text(text.replace("\n", "\nfast,0,1,2\n", 1))
    assert call("run", "ranged:own", "--data", "own.csv", "--out", "c.dnncov") == 2
    error = capsys.readouterr().err
    assert "expected a number in column speed of own.csv; got 'fast' in row 1 below the header; correct it" in error
    assert error.count("\n") == 1
    assert not list(data.glob("c.dnncov*"))
