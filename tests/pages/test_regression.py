"""A network whose outputs are numbers: every page speaks of outputs, units and tolerances, and none of labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import nn

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.networks.network import Network
from dnncov_core.records import TestPair
from dnncov_core.registry import open_network
from dnncov_core.statistics.outputs import output_table
from dnncov_core.suites import replays
from tests.command import call
from tests.networks_for_tests import save_network
from tests.pages.looking import app, words

TOLD = """
tolerance = [0.05, 0.5]
quantities = ["cross-track error", "heading error"]
quantity_units = ["m", "°"]
features = ["left", "middle", "right"]
bounds = [[0, 0, -1], [1, 2, 1]]
"""
REGISTRY = """
[[network]]
name = "taxi"
file = "taxi.pt2"
data = "runway"

[[network]]
name = "next"
file = "next.pt2"
data = "runway"

[[data]]
name = "runway"
path = "runway.npz"
"""
OF_CLASSES = re.compile(r"\b(labels?|class(es)?|(mis)?classif\w+|confidence)\b")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A user's folder with a regression, its data and a campaign called abc."""
    folder = tmp_path_factory.mktemp("regression")
    (folder / "campaigns").mkdir()
    torch.manual_seed(2)
    module = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 2))
    for parameter in module.parameters():
        nn.init.normal_(parameter)
    for name, moved in (("taxi", 0.0), ("next", -0.6)):
        nn.utils.vector_to_parameters(nn.utils.parameters_to_vector(module.parameters()) + moved, module.parameters())
        save_network(Network(module, (3,)), folder / f"{name}.pt2")
        (folder / f"{name}.pt2.toml").write_text(TOLD, encoding="utf-8")
    (folder / "registry.toml").write_text(REGISTRY, encoding="utf-8")
    inputs = np.random.default_rng(0).random((60, 3)).astype(np.float32) * [1, 2, 2] - [0, 0, 1]
    np.savez(folder / "runway.npz", inputs=inputs.astype(np.float32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DNNCOV_HOME", str(folder))
        out = folder / "campaigns" / "abc.dnncov"
        assert call("run", "taxi", "--seed-order", "random", "--workers", "1", "--out", out) == 0
        yield folder


@pytest.fixture
def store(home: Path) -> Iterator[CampaignStore]:
    with closing(CampaignStore(home / "campaigns" / "abc.dnncov")) as opened:
        yield opened


@pytest.fixture(scope="module")
def network(home: Path) -> Network:
    return open_network("taxi")[0]


def outputs_of(network: Network, pair: TestPair) -> np.ndarray:
    return np.stack([network(torch.from_numpy(x)[None])[0].detach().numpy() for x in (pair.x1, pair.x2)])


def page(name: str, **asked: str) -> AppTest:
    test = app()
    for key, value in asked.items():
        test.query_params[key] = value
    shown = test.switch_page(f"pages/{name}/page.py").run()
    assert not shown.exception
    return shown


def test_outputs_are_stored_with_each_test_pair(store: CampaignStore, network: Network) -> None:
    pairs = store.pairs.page()
    assert len(pairs) > 5
    for pair in pairs:
        assert pair.outputs is not None
        np.testing.assert_allclose(pair.outputs, outputs_of(network, pair), rtol=1e-5, atol=1e-6)
        beyond = (np.abs(pair.outputs[1] - pair.outputs[0]) > [0.05, 0.5]).any()
        assert pair.adversarial == beyond


def test_the_table_of_outputs_counts_what_moves_beyond_its_tolerance(store: CampaignStore, network: Network) -> None:
    moved = np.abs([np.subtract(*outputs_of(network, pair)) for pair in store.pairs.page()])
    for i, row in enumerate(output_table(store)):
        assert (row.quantity.name, row.quantity.unit) == [("cross-track error", "m"), ("heading error", "°")][i]
        assert (row.median, row.most) == pytest.approx((np.median(moved[:, i]), moved[:, i].max()), rel=1e-4)
        assert (row.beyond.n, row.beyond.total) == ((moved[:, i] > row.quantity.tolerance).sum(), len(moved))


ASKED = {
    "overview": {},
    **{name: {"campaign": "abc"} for name in ("run", "layers", "distances", "examples", "gaps")},
    "compare": {"campaigns": "abc"},
}


@pytest.mark.parametrize("name", ASKED)
def test_no_page_speaks_of_labels(name: str, home: Path) -> None:
    said = words(page(name, **ASKED[name]))
    both = said.replace("has another label, or an output beyond its tolerance", "").replace("two labels differ, or", "")
    assert OF_CLASSES.findall(both) == []


def test_one_pair_shows_what_its_outputs_do(store: CampaignStore, network: Network) -> None:
    pair = store.pairs.page()[0]
    test = page("examples", campaign="abc", pair=str(pair.target.ordinal))
    assert OF_CLASSES.findall(words(test)) == []
    one, two = outputs_of(network, pair)
    shown = f"{two[0] - one[0]:+.4g}".replace("-", "−")
    assert f"**cross-track error {shown}\N{NO-BREAK SPACE}m, heading error " in words(test)
    table = next(d.value for d in test.dataframe if "Share of range" in d.value)
    moved = pair.x2[0] - pair.x1[0]
    assert table.iloc[0]["Difference"] == f"{moved:+,.4g}".replace("-", "−")


def test_the_command_tells_how_far_outputs_move(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", home / "campaigns" / "abc.dnncov") == 0
    said = capsys.readouterr().out
    assert re.search(r"\ncross-track error \(m\): median [\d.]+, most [\d.]+; beyond the tolerance 0\.05: ", said)
    assert OF_CLASSES.findall(said) == []
    assert call("measure", "taxi", "--suite", "runway", "--criteria", "ss") == 0
    assert "runway, 60 inputs (" in (measured := capsys.readouterr().out)
    assert OF_CLASSES.findall(measured.replace("without labels", "")) == []
    assert call("networks", "taxi") == 0
    named = "cross-track error, tolerance 0.05 m; heading error, tolerance 0.5 °."
    assert f"The outputs are numbers and no classes: {named}" in capsys.readouterr().out


def test_a_replay_on_the_next_version_speaks_of_outputs(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, job = home / "campaigns" / "abc.dnncov", replays.job_of("abc", "next")
    job.stem.parent.mkdir(exist_ok=True)
    assert call("replay", path, "--network", "next", "--out", job.file(replays.RESULT)) == 0
    said = capsys.readouterr().out
    assert re.search(r"Judged otherwise there: x1 of 0 of \d+ test pairs, x2 of [1-9]", said)
    assert "x2 is within tolerance instead of beyond tolerance; ceased to be adversarial" in said
    assert OF_CLASSES.findall(said) == []
    shown = words(page("replay", campaign="abc", network="next"))
    assert "x2 is within tolerance instead of beyond tolerance; ceased to be adversarial" in shown
    for both in ("another label, or of a regression another side", "the two networks give it different labels. Of a"):
        assert both in shown
        shown = shown.replace(both, "")
    assert OF_CLASSES.findall(shown) == []
